//! `call.url`: where the call goes. Parameters fill whole path segments and whole query values, and nothing else.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::limits;
use crate::params::is_name;

/// What is not percent-encoded in a value: RFC 3986's unreserved characters.
pub(crate) const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A URL whose parameters can be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Parameter { name: String, is_segment: bool },
}

/// Why a URL was refused: what is allowed instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{allowed}")]
pub struct InvalidUrl {
    /// What is allowed.
    pub allowed: String,
}

/// A parameter that can't be filled in; a request that [`crate::Params::check`] let through has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// The URL wants a value that is not there.
    #[error("parameter {parameter} is missing")]
    Missing {
        /// Its name.
        parameter: String,
    },
    /// The value would change the path: it is `.`, `..` or empty.
    #[error("parameter {parameter} would change the path")]
    ChangesPath {
        /// Its name.
        parameter: String,
    },
}

impl Template {
    /// Reads a URL with `{parameters}`.
    ///
    /// # Errors
    /// It is no http(s) URL, has user information or a fragment, or a parameter stands where none may.
    pub fn parse(url: &str) -> Result<Self, InvalidUrl> {
        if url.len() > limits::URL_LENGTH {
            return Err(refuse(format!("at most {} bytes", limits::URL_LENGTH)));
        }
        if url.contains(|next: char| next.is_whitespace() || next.is_control() || next == '\\') {
            return Err(refuse("no white space, control characters or backslashes"));
        }
        if url.contains('#') {
            return Err(refuse("no fragment: it would never be sent"));
        }
        let authority = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let authority = authority.ok_or_else(|| refuse("a URL that starts with http:// or https://"))?;
        let end = authority.find(['/', '?']).unwrap_or(authority.len());
        let (authority, rest) = authority.split_at(end);
        if authority.is_empty() {
            // A URL parser skips such slashes and takes the first segment for the host.
            return Err(refuse("a host behind http:// or https://"));
        }
        if authority.contains('@') {
            return Err(refuse("no user or password in a URL: use an authorization header"));
        }
        if authority.contains(['{', '}']) {
            return Err(refuse(
                "no parameters in host or port: a request must not choose where the call goes",
            ));
        }
        let (path, query) = rest
            .split_once('?')
            .map_or((rest, None), |(path, query)| (path, Some(query)));
        let mut template = Self { parts: Vec::new() };
        template.text(&url[..url.len() - rest.len()]);
        template.path(path)?;
        if let Some(query) = query {
            template.query(query)?;
        }
        template.check()
    }

    fn path(&mut self, path: &str) -> Result<(), InvalidUrl> {
        for segment in path.split('/').skip(1) {
            let dots = segment.to_ascii_lowercase().replace("%2e", ".");
            if dots == "." || dots == ".." {
                return Err(refuse("no . or .. as a path segment"));
            }
            self.text("/");
            self.value(segment, true)?;
        }
        Ok(())
    }

    fn query(&mut self, query: &str) -> Result<(), InvalidUrl> {
        for (index, pair) in query.split('&').enumerate() {
            self.text(if index == 0 { "?" } else { "&" });
            let (key, value) = pair
                .split_once('=')
                .map_or((pair, None), |(key, value)| (key, Some(value)));
            if key.contains(['{', '}']) {
                return Err(refuse(
                    "parameters only as whole path segments or whole query values, not as a query's name",
                ));
            }
            self.text(key);
            if let Some(value) = value {
                self.text("=");
                self.value(value, false)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, text: &str, is_segment: bool) -> Result<(), InvalidUrl> {
        if !text.contains(['{', '}']) {
            self.text(text);
            return Ok(());
        }
        match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) if is_name(name) => {
                self.parts.push(Part::Parameter {
                    name: name.to_owned(),
                    is_segment,
                });
                Ok(())
            }
            _ => Err(refuse(format!(
                "parameters only as whole path segments or whole query values: {{name}} with a name that matches {}",
                limits::PARAMETER
            ))),
        }
    }

    fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// The URL with a letter for each parameter is one that the client will take too.
    fn check(self) -> Result<Self, InvalidUrl> {
        let sample: String = self
            .parts
            .iter()
            .map(|part| if let Part::Text(text) = part { text } else { "x" })
            .collect();
        match ::url::Url::parse(&sample) {
            Ok(url) if url.host_str().is_some() && url.port() != Some(0) => Ok(self),
            Ok(_) => Err(refuse("a URL with a host, and a port from 1 to 65535")),
            Err(error) => Err(refuse(format!("a URL with a host ({error})"))),
        }
    }

    /// The parameters that stand in it, in order, each as often as it does.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.placed().map(|(name, _)| name)
    }

    /// The parameters, and whether each is a segment of the path.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (&str, bool)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Parameter { name, is_segment } => Some((name.as_str(), *is_segment)),
            Part::Text(_) => None,
        })
    }

    /// The URL with each value percent-encoded into its one segment or query value.
    ///
    /// # Errors
    /// A value is missing, or would change the path whatever its encoding: URL parsers take `%2e%2e` for `..`.
    pub fn fill(&self, values: &BTreeMap<String, String>) -> Result<String, Unfilled> {
        let mut url = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => url.push_str(text),
                Part::Parameter { name, is_segment } => {
                    let parameter = || name.clone();
                    let value = values
                        .get(name)
                        .ok_or_else(|| Unfilled::Missing { parameter: parameter() })?;
                    if *is_segment && matches!(value.as_str(), "" | "." | "..") {
                        return Err(Unfilled::ChangesPath { parameter: parameter() });
                    }
                    url.extend(utf8_percent_encode(value, ENCODED));
                }
            }
        }
        Ok(url)
    }
}

fn refuse(allowed: impl Into<String>) -> InvalidUrl {
    InvalidUrl {
        allowed: allowed.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, value: &str) -> Result<String, Unfilled> {
        Template::parse(template)
            .unwrap()
            .fill(&BTreeMap::from([("a".to_owned(), value.to_owned())]))
    }

    #[test]
    fn hostile_values_stay_in_their_segment_and_their_query_value() {
        for value in [
            "a/b",
            "../../admin",
            "..%2f",
            "%2e%2e",
            "a?b=c",
            "a#b",
            "a&b=c",
            "a=b",
            "a+b",
            "a b",
            "a\\b",
            "@evil",
            ":80",
            "a;b",
            "\u{0}",
            "\r\nHost: x",
            "ä",
            "🦀",
            "{a}",
            "%",
            "%00",
            "..;",
            " ",
            "...",
            "//",
            "'\"<>",
        ] {
            let url = ::url::Url::parse(&fill("https://h.example/p/{a}/s?q={a}&r=1", value).unwrap()).unwrap();
            assert_eq!(url.host_str(), Some("h.example"), "{value:?}");
            let segments: Vec<_> = url.path_segments().unwrap().collect();
            assert_eq!((segments.len(), segments[0], segments[2]), (3, "p", "s"), "{value:?}");
            let decoded = percent_encoding::percent_decode_str(segments[1]).decode_utf8().unwrap();
            assert_eq!(decoded, value);
            let query: Vec<_> = url.query_pairs().collect();
            assert_eq!(query, [("q".into(), value.into()), ("r".into(), "1".into())]);
            assert_eq!(url.fragment(), None);
        }
    }

    #[test]
    fn values_that_no_encoding_keeps_in_place_are_refused() {
        for value in ["", ".", ".."] {
            assert!(
                matches!(fill("https://h.example/{a}", value), Err(Unfilled::ChangesPath { .. })),
                "{value:?}"
            );
            assert!(fill("https://h.example/?q={a}", value).is_ok(), "{value:?}");
        }
        let missing = Template::parse("http://h/{b}").unwrap().fill(&BTreeMap::new());
        assert_eq!(
            missing,
            Err(Unfilled::Missing {
                parameter: "b".to_owned()
            })
        );
    }

    #[test]
    fn urls_are_kept_as_they_were_written() {
        for url in [
            "http://h",
            "https://h:8443/",
            "http://127.0.0.1:9/a//b/?x&y=1&",
            "https://h?q=1",
            "http://[::1]:80/a",
        ] {
            assert_eq!(Template::parse(url).unwrap().fill(&BTreeMap::new()).unwrap(), url);
        }
    }

    #[test]
    fn parameters_stand_only_where_they_can_do_no_harm() {
        for (url, says) in [
            ("https://{a}/x", "host or port"),
            ("https://h.{a}.example/x", "host or port"),
            ("https://h:{a}/x", "host or port"),
            ("https://{a}@h/x", "no user"),
            ("https://me:secret@h/x", "no user"),
            ("https://h/x#{a}", "no fragment"),
            ("https://h/x#", "no fragment"),
            ("https://h/x{a}", "whole path segments"),
            ("https://h/{a}{b}", "whole path segments"),
            ("https://h/{}", "whole path segments"),
            ("https://h/{a-b}", "whole path segments"),
            ("https://h/{a", "whole path segments"),
            ("https://h/?q=x{a}", "whole query values"),
            ("https://h/?{a}=1", "whole query values"),
            ("https://h/?{a}", "whole query values"),
            ("https://h/a/../b", "no . or .."),
            ("https://h/%2E%2e/b", "no . or .."),
            ("https://h/./b", "no . or .."),
            ("https://h\\@evil/", "backslashes"),
            ("https://h/a b", "white space"),
            ("https://h/a\tb", "white space"),
            ("ftp://h/", "http:// or https://"),
            ("//h/", "http:// or https://"),
            ("https:///x", "a host"),
            ("https:///{a}", "a host"),
            ("https://?q={a}", "a host"),
            ("https://h:99999/", "port"),
            ("https://h:0/", "port"),
            ("https://", "host"),
        ] {
            let error = Template::parse(url).expect_err(url).to_string();
            assert!(error.contains(says), "{url}: {error}");
        }
        assert!(Template::parse(&format!("https://h/{}", "a".repeat(limits::URL_LENGTH - 10))).is_ok());
        assert!(Template::parse(&format!("https://h/{}", "a".repeat(limits::URL_LENGTH - 9))).is_err());
    }
}
