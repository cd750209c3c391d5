//! The rules between the fields of one file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::call::Checked;
use crate::limits;
use crate::method::Method;
use crate::problem::Problems;
use crate::route::{Segment, Way};

/// The declared parameters, and whether each may be empty; `None` for one whose pattern is refused.
pub(crate) type Declared<'a> = Vec<(&'a str, Option<bool>)>;

/// The rule between the lease and the time-out (the protocol's *Decisions*).
pub(crate) fn lease(file: &Map<String, Value>, problems: &mut Problems<'_>) {
    if problems.has(limits::TIMEOUT_MS.field) || problems.has(limits::PROBE_LEASE_MS.field) {
        return;
    }
    let find = |section: &str, key: &str| {
        file.get(section)
            .and_then(|value| value.get(key))
            .and_then(Value::as_u64)
    };
    let timeout_ms = find("call", "timeoutMs")
        .or(limits::TIMEOUT_MS.default)
        .unwrap_or_default();
    if let Some(lease_ms) = find("probe", "leaseMs") {
        let least = timeout_ms + limits::LEASE_OVER_TIMEOUT_MS;
        if lease_ms <= least {
            let allowed = format!("more than call.timeoutMs + {} = {least}", limits::LEASE_OVER_TIMEOUT_MS);
            problems.add(limits::PROBE_LEASE_MS.field, format!("is {lease_ms}"), allowed);
        }
    }
}

/// The rules between the parameters, what is sent, and the route.
pub(crate) fn uses(declared: &Declared<'_>, call: &Checked<'_>, way: Option<&Way<'_>>, problems: &mut Problems<'_>) {
    let segments: Vec<(&str, bool)> = call.url.as_ref().map(|url| url.placed().collect()).unwrap_or_default();
    let in_url: BTreeSet<&str> = segments.iter().map(|(name, _)| *name).collect();
    let in_query: BTreeSet<&str> = call.query.iter().flatten().copied().collect();
    let in_body: BTreeSet<&str> = call.template.iter().flat_map(|it| it.whole.iter().copied()).collect();
    let path = way.and_then(|way| way.path.as_deref());
    let in_path: BTreeSet<&str> = path.unwrap_or_default().iter().filter_map(parameter).collect();
    let asked: BTreeSet<&str> = way
        .and_then(|way| way.query.as_ref())
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let is_declared = |name: &str| declared.iter().any(|(declared, _)| *declared == name);
    for (field, names) in [
        ("call.url", &in_url),
        ("call.query", &in_query),
        ("call.body", &in_body),
        ("route.path", &in_path),
        ("route.query", &asked),
    ] {
        for name in names.iter().filter(|name| !is_declared(name)) {
            problems.add(
                field,
                format!("has {{{name}}}, which is not declared"),
                format!("a pattern in params.{name}"),
            );
        }
    }
    for name in in_path.intersection(&asked) {
        problems.add(
            "route.query",
            format!("has {name:?}, which route.path has too"),
            "one of the two",
        );
    }
    partly(declared, call, problems);
    let is_sound = way.is_none_or(|way| way.path.is_some() && way.query.is_some());
    if way.is_some() && is_sound {
        for (field, names) in [
            ("call.url", &in_url),
            ("call.query", &in_query),
            ("call.body", &in_body),
        ] {
            for name in names
                .iter()
                .filter(|name| !in_path.contains(*name) && !asked.contains(*name))
            {
                problems.add(
                    field,
                    format!("has {{{name}}}, which route.path does not supply"),
                    "the same parameters in route.path or route.query, or no route: a call by the route could never fill them in",
                );
            }
        }
    }
    // Only where all are sound: otherwise a parameter seems unused because its place could not be read.
    if call.url.is_some() && call.query.is_some() && call.template.is_some() && is_sound {
        let used = [&in_url, &in_query, &in_body, &in_path, &asked];
        for (name, _) in declared
            .iter()
            .filter(|(name, _)| !used.iter().any(|names| names.contains(name)))
        {
            problems.add(
                format!("params.{name}"),
                "is used neither in call.url nor in route.path",
                "leave it out, or use it in call.url, call.query, call.body or the route",
            );
        }
    }
    for (name, empty) in declared {
        let is_segment =
            in_path.contains(name) || segments.iter().any(|(used, is_segment)| used == name && *is_segment);
        if *empty == Some(true) && is_segment {
            let allowed = "a pattern that asks for a character at least, since an empty segment changes the path";
            problems.add(format!("params.{name}"), "accepts the empty value", allowed);
        }
    }
}

/// A declared parameter that stands in a longer text would be sent as the text `{name}`: nobody means that.
fn partly(declared: &Declared<'_>, call: &Checked<'_>, problems: &mut Problems<'_>) {
    let texts = call.template.iter().flat_map(|it| &it.texts);
    for (text, name) in texts.flat_map(|text| declared.iter().map(move |(name, _)| (text, *name))) {
        if text.contains(&format!("{{{name}}}")) {
            problems.add(
                "call.body.template",
                format!("has {{{name}}} within a longer text or as a key"),
                "parameters only as whole strings",
            );
        }
    }
}

/// The rules between methods and bodies.
pub(crate) fn methods(call: &Checked<'_>, way: Option<&Way<'_>>, problems: &mut Problems<'_>) {
    let allowed = "a method with a body: POST, PUT, PATCH or DELETE";
    let bodiless = |method: Option<Method>| method.filter(|method| method.is_safe());
    if let (Some(method), true) = (bodiless(call.method), call.has_body) {
        problems.add("call.body", format!("stands beside the method {method}"), allowed);
    }
    if let (Some(method), true) = (way.and_then(|way| bodiless(way.method)), call.passes_body) {
        problems.add(
            "route.method",
            format!("is {method}, and call.body.pass needs a body"),
            allowed,
        );
    }
}

fn parameter(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Parameter(name) => Some(name),
        Segment::Literal(_) => None,
    }
}
