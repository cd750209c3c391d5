//! The rules between the fields of one file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::limits;
use crate::problem::Problems;
use crate::route::Segment;
use crate::url::Template;

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

/// The rules between the parameters, the URL and the route.
pub(crate) fn uses(
    declared: &Declared<'_>,
    url: Option<&Template>,
    path: Option<&[Segment]>,
    routed: bool,
    problems: &mut Problems<'_>,
) {
    let in_url: Vec<(&str, bool)> = url.map(|url| url.placed().collect()).unwrap_or_default();
    let in_path: BTreeSet<&str> = path.unwrap_or_default().iter().filter_map(parameter).collect();
    let is_declared = |name: &str| declared.iter().any(|(declared, _)| *declared == name);
    let url_names: BTreeSet<&str> = in_url.iter().map(|(name, _)| *name).collect();
    for (field, names) in [("call.url", &url_names), ("route.path", &in_path)] {
        for name in names.iter().filter(|name| !is_declared(name)) {
            problems.add(
                field,
                format!("has {{{name}}}, which is not declared"),
                format!("a pattern in params.{name}"),
            );
        }
    }
    if let (Some(_), true) = (path, routed) {
        for name in url_names.difference(&in_path) {
            let allowed =
                "the same parameters in route.path, or no route: a call by the route could never fill them in";
            problems.add(
                "call.url",
                format!("has {{{name}}}, which route.path does not supply"),
                allowed,
            );
        }
    }
    // Only where both are sound: otherwise a parameter seems unused because its place could not be read.
    if url.is_some() && path.is_some() == routed {
        for (name, _) in declared
            .iter()
            .filter(|(name, _)| !url_names.contains(name) && !in_path.contains(name))
        {
            problems.add(
                format!("params.{name}"),
                "is used neither in call.url nor in route.path",
                "leave it out",
            );
        }
    }
    for (name, empty) in declared {
        let is_segment = in_path.contains(name) || in_url.iter().any(|(used, is_segment)| used == name && *is_segment);
        if *empty == Some(true) && is_segment {
            let allowed = "a pattern that asks for a character at least, since an empty segment changes the path";
            problems.add(format!("params.{name}"), "accepts the empty value", allowed);
        }
    }
}

fn parameter(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Parameter(name) => Some(name),
        Segment::Literal(_) => None,
    }
}
