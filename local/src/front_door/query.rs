//! The parameters that a route takes from the query.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::answer::Refusal;
use crate::http::is_encoded_properly;

/// The values of these names. Other names are passed over; of a name that is there twice the last value holds, as in API
/// Gateway. A `+` is a space, as forms have it.
///
/// # Errors
/// The encoding of one of the values is broken.
pub(super) fn params(query: Option<&str>, names: &[String]) -> Result<Map<String, Value>, Refusal> {
    let mut params = Map::new();
    for pair in query.unwrap_or_default().split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        // A name that can't be decoded is none of ours.
        if let Some(name) = decoded(name).filter(|name| names.contains(name)) {
            params.insert(name, decoded(value).ok_or(Refusal::MalformedPath)?.into());
        }
    }
    Ok(params)
}

fn decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8().ok().map(Cow::into_owned);
    decoded.filter(|_| is_encoded_properly(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(query: &str) -> Option<Value> {
        let names = ["a", "b"].map(str::to_owned);
        params(Some(query), &names).ok().map(Value::Object)
    }

    #[test]
    fn values_are_taken_by_name_and_decoded() {
        for (query, expected) in [
            ("", json!({})),
            ("a=1&c=2", json!({ "a": "1" })),
            ("b=x%26y%3Dz%2Bp+q&a", json!({ "b": "x&y=z+p q", "a": "" })),
            ("%61=%C3%A4=", json!({ "a": "ä=" })),
            ("a=1&a=2", json!({ "a": "2" })),
            ("A=1&%zz=1&c=%", json!({})),
        ] {
            assert_eq!(of(query), Some(expected), "{query}");
        }
        assert_eq!(params(None, &[]).unwrap(), Map::new());
    }

    #[test]
    fn broken_value_is_refused() {
        for query in ["a=%", "a=%zz", "a=%ff", "a=1&b=%c3"] {
            assert_eq!(of(query), None, "{query}");
        }
    }
}
