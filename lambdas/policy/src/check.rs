//! Checks a file's JSON and collects everything that is wrong with it at once.
//!
//! First each field by itself (its type, range and name), then the rules between fields, where those are sound.

use serde_json::{Map, Value};

use crate::fields::{number, object, shown};
use crate::limits;
use crate::pattern::Pattern;
use crate::problem::Problems;
use crate::route::Way;
use crate::rules::{self, Declared};
use crate::{call, params};

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
        .and_then(|value| object(Some(value), "route", &["method", "path", "query"], problems));
    let way = route.map(|route| Way::of(route, problems));
    let params = patterns(file, problems);
    let call = call::check(file.get("call"), problems);
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
    rules::uses(&params, &call, way.as_ref(), problems);
    rules::methods(&call, way.as_ref(), problems);
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
