//! `call.headers` and `call.secretHeaders`: which headers a policy may send; `call.passHeaders`: which of the partner's
//! it may pass on.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::fields::{object, shown};
use crate::limits;
use crate::method::Method;
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

/// The partner's headers that the customer never gets: those of the connection and of the body as it was sent, which the
/// caller has undone; cookies, which would be set for our host; those that speak for a whole host; and the front door's own.
const NEVER_PASSED: [&str; 22] = [
    "alt-svc",
    "clear-site-data",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "public-key-pins",
    "set-cookie",
    "set-cookie2",
    "strict-transport-security",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-circuit",
    "x-forwarded-for",
];

/// Checks names and values of the headers that are sent. No value is ever shown: it may be a credential.
pub(crate) fn check(call: &Map<String, Value>, method: Option<Method>, problems: &mut Problems<'_>) {
    let mut names = Names {
        seen: BTreeSet::new(),
        sends_key: method.is_some_and(|method| !method.is_safe()),
    };
    for (key, most, check_value) in [
        ("headers", limits::HEADERS, value as fn(&str, &Value, &mut Problems<'_>)),
        ("secretHeaders", limits::SECRET_HEADERS, secret),
    ] {
        let field = format!("call.{key}");
        let headers = match call.get(key) {
            None => continue,
            Some(Value::Object(headers)) => headers,
            Some(_) => {
                problems.add(field, "is not an object", "an object of header names and values");
                continue;
            }
        };
        if headers.len() > most {
            problems.add(&field, format!("has {}", headers.len()), format!("at most {most}"));
        }
        for (name, value) in headers {
            let field = format!("{field}.{name}");
            names.check(name, &field, problems);
            check_value(&field, value, problems);
        }
    }
}

struct Names {
    seen: BTreeSet<String>,
    /// The caller sends an idempotency key of its own.
    sends_key: bool,
}

impl Names {
    fn check(&mut self, name: &str, field: &str, problems: &mut Problems<'_>) {
        let lower = name.to_ascii_lowercase();
        if !is_token(name) {
            problems.add(field, "is no header's name", TOKEN);
        } else if OURS.contains(&lower.as_str()) {
            problems.add(
                field,
                "belongs to the connection, the caller sets it itself",
                "leave it out",
            );
        } else if self.sends_key && lower == "idempotency-key" {
            problems.add(
                field,
                "is another one for each execution, the caller sets it itself",
                "leave it out",
            );
        } else if !self.seen.insert(lower) {
            problems.add(field, "is there already in another spelling", "each header once");
        }
    }
}

fn value(field: &str, value: &Value, problems: &mut Problems<'_>) {
    match value.as_str() {
        Some(value) if is_value(value) => {}
        Some(_) => problems.add(
            field,
            "has a value that can't be sent (not shown)",
            format!(
                "1 to {} characters of printable ASCII, no space at either end",
                limits::HEADER_LENGTH
            ),
        ),
        None => problems.add(field, "is not a string", "a string"),
    }
}

/// Where a value is kept. Somebody may have written the value itself there, so a text is not shown.
fn secret(field: &str, value: &Value, problems: &mut Problems<'_>) {
    if !value.is_object() {
        let allowed = "an object with secret or parameter, the name of where the value is kept";
        problems.add(field, "is not an object (not shown)", allowed);
        return;
    }
    let Some(source) = object(
        Some(value),
        field,
        &["secret", "parameter", "field", "prefix"],
        problems,
    ) else {
        return;
    };
    if source.contains_key("secret") == source.contains_key("parameter") {
        problems.add(field, "does not name one place", "either secret or parameter");
    }
    for (key, most) in [("secret", 2_048), ("parameter", 2_048), ("field", 256), ("prefix", 64)] {
        let is_text = |value: &Value| {
            value.as_str().is_some_and(|text| {
                (1..=most).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
            })
        };
        if source.get(key).is_some_and(|value| !is_text(value)) {
            let allowed = format!("1 to {most} characters of printable ASCII");
            problems.add(format!("{field}.{key}"), "is no such text (not shown)", allowed);
        }
    }
}

/// Checks the names of the partner's headers that are passed on.
pub(crate) fn check_passed(call: &Map<String, Value>, problems: &mut Problems<'_>) {
    let Some(value) = call.get("passHeaders") else { return };
    let Some(names) = value.as_array() else {
        problems.add("call.passHeaders", shown(value), "a list of header names");
        return;
    };
    if names.len() > limits::PASS_HEADERS {
        let allowed = format!("at most {}", limits::PASS_HEADERS);
        problems.add("call.passHeaders", format!("has {}", names.len()), allowed);
    }
    let mut seen = BTreeSet::new();
    for name in names {
        let lower = name.as_str().unwrap_or_default().to_ascii_lowercase();
        let allowed = if !is_token(&lower) {
            TOKEN
        } else if NEVER_PASSED.contains(&lower.as_str()) || lower.starts_with("x-amz") {
            "another one: this one is about the connection, the body as it was sent or the whole host, or is the front door's own"
        } else if !seen.insert(lower) {
            "each header once"
        } else {
            continue;
        };
        problems.add("call.passHeaders", format!("has {name}"), allowed);
    }
}

const TOKEN: &str = "letters, digits and !#$%&'*+-.^_`|~";

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
        let call = json!({ "headers": headers });
        check(call.as_object().unwrap(), None, &mut problems);
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
