//! Checks a file's JSON and collects everything that is wrong with it at once.
//!
//! First each field by itself (its type, range and name), then the rules between fields, where those are sound.

use serde_json::{Map, Value};

use crate::limits::{self, Number};
use crate::pattern::Pattern;
use crate::problem::Problems;
use crate::rules::{self, Declared};
use crate::url::Template;
use crate::{headers, params, route};

/// Fields that a later version brings: who copies them from newer documents should learn that, not that they mistyped.
const LATER: [&str; 14] = [
    "call.secretHeaders",
    "call.passHeaders",
    "call.retries",
    "call.expectContentType",
    "call.body",
    "call.query",
    "events",
    "onOpen",
    "onStoreDown",
    "scope",
    "trip.slowCallMs",
    "trip.failureRate",
    "probe.rampMs",
    "probe.successesToClose",
];

/// The methods that a call or a route can have.
const METHODS: [&str; 2] = ["GET", "HEAD"];

/// Checks all of a file. `name` is the file's name without `.json`.
pub(crate) fn check(file: &Value, name: &str, problems: &mut Problems<'_>) {
    let known = [
        "$schema", "circuit", "route", "params", "call", "trip", "open", "probe", "fallback",
    ];
    let Some(file) = object(Some(file), "", &known, problems) else {
        return;
    };
    if file.get("$schema").is_some_and(|schema| !schema.is_string()) {
        problems.add("$schema", "is not a string", "the schema's path or URL as a string");
    }
    circuit(file, name, problems);
    let route = file
        .get("route")
        .and_then(|value| object(Some(value), "route", &["method", "path"], problems));
    let path = route.and_then(|route| {
        method(route, "route.method", problems);
        parsed(route, "path", "route.path", problems, |path| {
            route::segments(path).map_err(|error| error.allowed)
        })
    });
    let params = patterns(file, problems);
    let call = object(
        file.get("call"),
        "call",
        &["method", "url", "headers", "timeoutMs", "maxResponseBytes"],
        problems,
    );
    let url = call.and_then(|call| {
        method(call, "call.method", problems);
        let url = parsed(call, "url", "call.url", problems, |url| {
            Template::parse(url).map_err(|error| error.allowed)
        });
        if let Some(value) = call.get("headers") {
            match value.as_object() {
                Some(value) => headers::check(value, problems),
                None => problems.add(
                    "call.headers",
                    "is not an object",
                    "an object of header names and values",
                ),
            }
        }
        number(call, &limits::TIMEOUT_MS, problems);
        number(call, &limits::MAX_RESPONSE_BYTES, problems);
        url
    });
    for (section, known, numbers) in [
        (
            "trip",
            ["failures", "windowMs"].as_slice(),
            [limits::TRIP_FAILURES, limits::TRIP_WINDOW_MS].as_slice(),
        ),
        ("open", &["forMs"], &[limits::OPEN_FOR_MS]),
        ("probe", &["leaseMs"], &[limits::PROBE_LEASE_MS]),
    ] {
        let object = file
            .get(section)
            .and_then(|value| object(Some(value), section, known, problems));
        numbers.iter().for_each(|each| {
            object.inspect(|object| number(object, each, problems));
        });
    }
    fallback(file, problems);
    rules::lease(file, problems);
    rules::uses(&params, url.as_ref(), path.as_deref(), route.is_some(), problems);
}

fn circuit(file: &Map<String, Value>, name: &str, problems: &mut Problems<'_>) {
    let allowed = format!(
        "a name that matches {}, and is the file's name without .json",
        limits::CIRCUIT
    );
    match file.get("circuit") {
        None => problems.add("circuit", "is missing", allowed),
        Some(Value::String(circuit)) if is_circuit(circuit) && circuit == name => {}
        Some(Value::String(circuit)) if is_circuit(circuit) => {
            problems.add(
                "circuit",
                format!("is {circuit:?}, but the file's name is {name:?}"),
                allowed,
            );
        }
        Some(other) => problems.add("circuit", shown(other), allowed),
    }
}

fn is_circuit(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn method(object: &Map<String, Value>, field: &str, problems: &mut Problems<'_>) {
    match object.get("method") {
        None => {}
        Some(Value::String(method)) if METHODS.contains(&method.as_str()) => {}
        Some(other) => problems.add(
            field,
            shown(other),
            format!("{} (this version sends no bodies)", METHODS.join(" or ")),
        ),
    }
}

/// A required string and what a parser makes of it.
fn parsed<T>(
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

fn patterns<'a>(file: &'a Map<String, Value>, problems: &mut Problems<'_>) -> Declared<'a> {
    let Some(value) = file.get("params") else {
        return Vec::new();
    };
    let Some(object) = value.as_object() else {
        problems.add("params", shown(value), "an object of names and patterns");
        return Vec::new();
    };
    if object.len() > limits::PARAMETERS {
        problems.add(
            "params",
            format!("has {}", object.len()),
            format!("at most {} parameters", limits::PARAMETERS),
        );
    }
    let mut declared = Vec::new();
    for (name, value) in object {
        let field = format!("params.{name}");
        if !params::is_name(name) {
            problems.add(
                &field,
                "is no parameter's name",
                format!("a name that matches {}", limits::PARAMETER),
            );
        }
        let pattern = match value.as_str().map(Pattern::parse) {
            Some(Ok(pattern)) => Some(pattern.accepts_empty()),
            Some(Err(error)) => {
                problems.add(&field, shown(value), error.to_string());
                None
            }
            None => {
                problems.add(&field, shown(value), "a pattern as a string");
                None
            }
        };
        declared.push((name.as_str(), pattern));
    }
    declared
}

fn fallback(file: &Map<String, Value>, problems: &mut Problems<'_>) {
    let Some(fallback) = object(file.get("fallback"), "fallback", &["status", "body"], problems) else {
        return;
    };
    number(fallback, &limits::FALLBACK_STATUS, problems);
    match fallback.get("body") {
        None => problems.add("fallback.body", "is missing", "any JSON"),
        Some(body) => {
            let length = body.to_string().len();
            if length > limits::FALLBACK_BODY_BYTES {
                let allowed = format!("at most {} bytes as text", limits::FALLBACK_BODY_BYTES);
                problems.add("fallback.body", format!("has {length} bytes as text"), allowed);
            }
        }
    }
}

/// An object's fields; those that are not known are refused by name.
fn object<'v>(
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

fn number(object: &Map<String, Value>, number: &Number, problems: &mut Problems<'_>) {
    let key = number.field.rsplit('.').next().unwrap_or(number.field);
    if let Some(value) = object.get(key)
        && !value.as_u64().is_some_and(|value| number.accepts(value))
    {
        problems.add(number.field, shown(value), number.allowed());
    }
}

/// A value as an error shows it: on one line, and not endless.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("is {}…", &text[..end]),
        None => format!("is {text}"),
    }
}
