//! `call.headers`: which headers a policy may send.

use serde_json::{Map, Value};

use crate::limits;
use crate::problem::Problems;

/// Headers that belong to the connection, or that the caller must set itself.
const OURS: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Checks names and values. No value is ever shown: it may be a credential.
pub(crate) fn check(headers: &Map<String, Value>, problems: &mut Problems<'_>) {
    if headers.len() > limits::HEADERS {
        problems.add(
            "call.headers",
            format!("has {}", headers.len()),
            format!("at most {}", limits::HEADERS),
        );
    }
    for (index, (name, value)) in headers.iter().enumerate() {
        let field = format!("call.headers.{name}");
        let lower = name.to_ascii_lowercase();
        if !is_token(name) {
            problems.add(&field, "is no header's name", "letters, digits and !#$%&'*+-.^_`|~");
        } else if OURS.contains(&lower.as_str()) {
            problems.add(
                &field,
                "belongs to the connection, the caller sets it itself",
                "leave it out",
            );
        } else if headers
            .keys()
            .take(index)
            .any(|earlier| earlier.eq_ignore_ascii_case(name))
        {
            problems.add(&field, "is there already in another spelling", "each header once");
        }
        match value.as_str() {
            Some(value) if is_value(value) => {}
            Some(_) => problems.add(
                &field,
                "has a value that can't be sent (not shown)",
                format!(
                    "1 to {} characters of printable ASCII, no space at either end",
                    limits::HEADER_LENGTH
                ),
            ),
            None => problems.add(&field, "is not a string", "a string"),
        }
    }
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 256
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_value(value: &str) -> bool {
    (1..=limits::HEADER_LENGTH).contains(&value.len())
        && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim() == value
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::Path;

    fn problems(headers: Value) -> Vec<String> {
        let mut problems = Problems::of(Path::new("f"));
        check(headers.as_object().unwrap(), &mut problems);
        problems
            .into_refused()
            .problems
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn usual_headers_and_credentials_are_allowed() {
        let usual = json!({"accept": "application/json", "X-Api-Key": "abc", "user-agent": "books/1 (a; b)"});
        assert_eq!(problems(usual), Vec::<String>::new());
    }

    #[test]
    fn headers_of_the_connection_are_refused_in_any_spelling() {
        for name in [
            "Host",
            "content-length",
            "Transfer-Encoding",
            "connection",
            "TE",
            "Accept-Encoding",
            "expect",
        ] {
            assert_eq!(problems(json!({ name: "x" })).len(), 1, "{name}");
        }
        assert_eq!(problems(json!({"A": "1", "a": "1"})).len(), 1);
    }

    #[test]
    fn what_can_not_be_sent_is_refused_without_showing_it() {
        for (name, value) in [
            ("a", json!("SECRET\r\nx: y")),
            ("a", json!(" SECRET")),
            ("a", json!("SECRET ")),
            ("a", json!("")),
            ("a", json!("SECRET\u{e4}")),
            ("a", json!("S".repeat(limits::HEADER_LENGTH + 1))),
            ("a", json!(5)),
            ("a b", json!("x")),
            ("", json!("x")),
            ("a:", json!("x")),
        ] {
            let problems = problems(json!({ name: value }));
            assert_eq!(problems.len(), 1, "{name} {value}");
            assert!(!problems[0].contains("SECRET"));
        }
        assert!(problems(json!({"a": "S".repeat(limits::HEADER_LENGTH)})).is_empty());
    }
}
