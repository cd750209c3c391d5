//! `call.query`: what is asked, as names and values, written into the URL when the policy is deployed.

use std::collections::BTreeMap;

use percent_encoding::utf8_percent_encode;

use crate::params::is_name;
use crate::url::ENCODED;

/// The URL with these query values behind its own. A value that is `{parameter}` stays one, anything else is encoded.
pub(crate) fn join(url: &str, query: &BTreeMap<String, String>) -> String {
    let mut joined = url.to_owned();
    for (name, value) in query {
        if !joined.contains('?') {
            joined.push('?');
        } else if !joined.ends_with(['?', '&']) {
            joined.push('&');
        }
        joined.extend(utf8_percent_encode(name, ENCODED));
        joined.push('=');
        match parameter(value) {
            Some(_) => joined.push_str(value),
            None => joined.extend(utf8_percent_encode(value, ENCODED)),
        }
    }
    joined
}

/// The parameter that a value stands for.
pub(crate) fn parameter(value: &str) -> Option<&str> {
    let name = value.strip_prefix('{')?.strip_suffix('}')?;
    is_name(name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_behind_those_of_the_url() {
        let query = BTreeMap::from([
            ("a b".to_owned(), "1&2=3".to_owned()),
            ("q".to_owned(), "{title}".to_owned()),
        ]);
        for (url, joined) in [
            ("http://h", "http://h?a%20b=1%262%3D3&q={title}"),
            ("http://h/?", "http://h/?a%20b=1%262%3D3&q={title}"),
            ("http://h/?x=1", "http://h/?x=1&a%20b=1%262%3D3&q={title}"),
            ("http://h/?x=1&", "http://h/?x=1&a%20b=1%262%3D3&q={title}"),
        ] {
            assert_eq!(join(url, &query), joined);
        }
        assert_eq!(join("http://h", &BTreeMap::new()), "http://h");
    }
}
