//! What the checks of all sections share: objects, numbers, methods, texts, and how a value is shown.

use serde_json::{Map, Value};

use crate::limits::Number;
use crate::method::Method;
use crate::problem::Problems;

/// Fields that a later version brings: who copies them from newer documents should learn that, not that they mistyped.
const LATER: [&str; 8] = [
    "events",
    "onOpen",
    "onStoreDown",
    "scope",
    "trip.slowCallMs",
    "trip.failureRate",
    "probe.rampMs",
    "probe.successesToClose",
];

/// A method, if one is there and known; the default where none is there.
pub(crate) fn method(object: &Map<String, Value>, field: &str, problems: &mut Problems<'_>) -> Option<Method> {
    match object.get("method") {
        None => Some(Method::default()),
        Some(value) => {
            let method = value.as_str().and_then(Method::parse);
            if method.is_none() {
                let known = Method::ALL.map(Method::as_str);
                problems.add(field, shown(value), format!("one of {}", known.join(", ")));
            }
            method
        }
    }
}

/// A required string and what a parser makes of it.
pub(crate) fn parsed<T>(
    object: &Map<String, Value>,
    key: &str,
    field: &str,
    problems: &mut Problems<'_>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<T> {
    match object.get(key) {
        None => problems.add(field, "is missing", "a string"),
        Some(Value::String(text)) => match parse(text) {
            Ok(parsed) => return Some(parsed),
            // A URL with a password in it is refused, and then it should not be printed either.
            Err(allowed) if text.contains('@') => problems.add(field, "is not shown, it may hold a password", allowed),
            Err(allowed) => problems.add(field, shown(&Value::from(text.as_str())), allowed),
        },
        Some(other) => problems.add(field, shown(other), "a string"),
    }
    None
}

/// An object's fields; those that are not known are refused by name.
pub(crate) fn object<'v>(
    value: Option<&'v Value>,
    field: &str,
    known: &[&str],
    problems: &mut Problems<'_>,
) -> Option<&'v Map<String, Value>> {
    let allowed = || format!("an object with {}", known.join(", "));
    let object = match value {
        None => {
            problems.add(field, "is missing", allowed());
            return None;
        }
        Some(Value::Object(object)) => object,
        Some(other) => {
            problems.add(field, shown(other), allowed());
            return None;
        }
    };
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let field = if field.is_empty() {
            // An empty field is the file as a whole.
            if key.is_empty() { "\"\"" } else { key }.to_owned()
        } else {
            format!("{field}.{key}")
        };
        if LATER.contains(&field.as_str()) {
            problems.add(field, "is not supported by this version", "leave it out");
        } else {
            problems.add(field, "is unknown", format!("one of {}", known.join(", ")));
        }
    }
    Some(object)
}

pub(crate) fn number(object: &Map<String, Value>, number: &Number, problems: &mut Problems<'_>) {
    let key = number.field.rsplit('.').next().unwrap_or(number.field);
    if let Some(value) = object.get(key)
        && !value.as_u64().is_some_and(|value| number.accepts(value))
    {
        problems.add(number.field, shown(value), number.allowed());
    }
}

/// A value as an error shows it: on one line, and not endless.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("is {}…", &text[..end]),
        None => format!("is {text}"),
    }
}
