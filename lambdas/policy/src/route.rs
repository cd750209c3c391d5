//! `route.path`: where the front door takes calls for the circuit.

use serde_json::{Map, Value};

use crate::fields::{method, parsed, shown};
use crate::file::Route;
use crate::limits;
use crate::method::Method;
use crate::params::is_name;
use crate::problem::Problems;

/// One segment of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// It must be exactly this.
    Literal(String),
    /// It is the value of the parameter.
    Parameter(String),
}

/// Why a path was refused: what is allowed instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{allowed}")]
pub struct InvalidPath {
    /// What is allowed.
    pub allowed: String,
}

impl Route {
    /// The path's segments.
    ///
    /// # Errors
    /// The path is none; a loaded policy's is one.
    pub fn segments(&self) -> Result<Vec<Segment>, InvalidPath> {
        segments(&self.path)
    }
}

/// What the rules between the fields need to know of a route. Each is none if it is refused.
#[derive(Debug)]
pub(crate) struct Way<'a> {
    pub(crate) method: Option<Method>,
    pub(crate) path: Option<Vec<Segment>>,
    /// The parameters that are taken from the query.
    pub(crate) query: Option<Vec<&'a str>>,
}

impl<'a> Way<'a> {
    /// Checks the section.
    pub(crate) fn of(route: &'a Map<String, Value>, problems: &mut Problems<'_>) -> Self {
        Self {
            method: method(route, "route.method", problems),
            path: parsed(route, "path", "route.path", problems, |path| {
                segments(path).map_err(|error| error.allowed)
            }),
            query: query(route, problems),
        }
    }
}

fn query<'a>(route: &'a Map<String, Value>, problems: &mut Problems<'_>) -> Option<Vec<&'a str>> {
    let Some(value) = route.get("query") else {
        return Some(Vec::new());
    };
    let names: Option<Vec<&str>> = value
        .as_array()
        .and_then(|names| names.iter().map(Value::as_str).collect());
    let is_sound = names.as_ref().is_some_and(|names| {
        let mut each = names.clone();
        each.sort_unstable();
        each.dedup();
        each.len() == names.len() && names.iter().all(|name| is_name(name))
    });
    if !is_sound {
        problems.add("route.query", shown(value), "a list of parameters' names, each once");
        return None;
    }
    names
}

/// Reads a path. What a literal may hold is what API Gateway allows in a resource's path part.
pub(crate) fn segments(path: &str) -> Result<Vec<Segment>, InvalidPath> {
    let refuse = |allowed: String| Err(InvalidPath { allowed });
    if path.len() > limits::URL_LENGTH {
        return refuse(format!("at most {} bytes", limits::URL_LENGTH));
    }
    let Some(inner) = path.strip_prefix('/').filter(|inner| !inner.is_empty()) else {
        return refuse("a path that starts with / and has a segment, as in /books/{isbn}".to_owned());
    };
    let mut segments: Vec<Segment> = Vec::new();
    for text in inner.split('/') {
        let segment = match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) if is_name(name) => Segment::Parameter(name.to_owned()),
            None if is_literal(text) => Segment::Literal(text.to_owned()),
            _ => {
                return refuse(format!(
                    "segments of letters, digits and . _ : - or a whole {{name}} that matches {}; none empty, . or ..",
                    limits::PARAMETER
                ));
            }
        };
        if matches!(segment, Segment::Parameter(_)) && segments.contains(&segment) {
            return refuse("each parameter once".to_owned());
        }
        segments.push(segment);
    }
    match segments.as_slice() {
        [Segment::Literal(first), ..] if first == "circuits" => {
            refuse("a path outside of /circuits, which every circuit has already".to_owned())
        }
        [Segment::Literal(only)] if only == "healthz" => {
            refuse("another path than /healthz, which is taken".to_owned())
        }
        _ => Ok(segments),
    }
}

fn is_literal(text: &str) -> bool {
    !matches!(text, "" | "." | "..")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_literals_or_whole_parameters() {
        let literal = |text: &str| Segment::Literal(text.to_owned());
        assert_eq!(
            segments("/books/{isbn}/v1.0:x-y_z").unwrap(),
            [
                literal("books"),
                Segment::Parameter("isbn".to_owned()),
                literal("v1.0:x-y_z")
            ]
        );
        assert!(segments("/{a}").is_ok());
        assert!(segments("/circuits-x").is_ok());
        assert!(segments("/a/circuits").is_ok());
        assert!(segments("/healthz/x").is_ok());
    }

    #[test]
    fn what_is_no_path_or_taken_is_refused() {
        for path in [
            "",
            "/",
            "books",
            "/a/",
            "//a",
            "/a//b",
            "/a/../b",
            "/.",
            "/a{b}",
            "/{a}b",
            "/{}",
            "/{a-b}",
            "/{a",
            "/a b",
            "/a?b",
            "/a#b",
            "/a%20b",
            "/ä",
            "/{a}/{a}",
            "/circuits",
            "/circuits/x/calls",
            "/healthz",
            "/a*",
            "/{a+}",
        ] {
            assert!(segments(path).is_err(), "{path}");
        }
    }
}
