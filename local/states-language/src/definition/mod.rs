//! Definitions: read, checked and compiled, once.
//!
//! Nothing that this engine can't do gets past here: an unknown field, state type, operator or function is refused by
//! its name, so that no execution stops half-way at something that was never going to work.

mod branch;
mod document;
mod fields;
mod flow;
mod graph;
mod recovery;
mod report;
mod state;
mod work;

use serde_json::Value;

pub(crate) use flow::{Filter, ResultPlace};
pub(crate) use graph::{Graph, Next};
pub(crate) use recovery::{Catcher, Retrier};
pub(crate) use state::{Body, ChoiceBody, FailBody, PassBody, State, TaskBody, Text};

use crate::InvalidDefinition;
use crate::limits::MAX_DEFINITION_BYTES;
use fields::Fields;
use report::{INVALID_JSON_DESCRIPTION, Report, SCHEMA_VALIDATION_FAILED};

/// The longest `TimeoutSeconds`, `IntervalSeconds` and `MaxAttempts`, inclusive.
const MAX_WHOLE: u32 = 99_999_999;

/// A whole definition.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) graph: Graph,
    pub(crate) timeout_s: Option<u32>,
    /// Whether some state may read `$$.Execution.Input`.
    pub(crate) reads_execution_input: bool,
}

/// What parsing a state needs to know beyond the state.
pub(crate) struct Scope<'a> {
    /// Whether a Task's resource can be run.
    pub(crate) supports: &'a dyn Fn(&str) -> bool,
    /// The names of the states, by index.
    pub(crate) names: &'a std::collections::HashMap<String, usize>,
}

/// Reads, checks and compiles the text of a definition.
pub(crate) fn parse(text: &str, supports: &dyn Fn(&str) -> bool) -> Result<Definition, InvalidDefinition> {
    let mut report = Report::default();
    let definition = read(text, supports, &mut report);
    match (definition, report.into_diagnostics()) {
        (Some(definition), diagnostics) if diagnostics.is_empty() => Ok(definition),
        (_, diagnostics) => Err(InvalidDefinition { diagnostics }),
    }
}

fn read(text: &str, supports: &dyn Fn(&str) -> bool, report: &mut Report) -> Option<Definition> {
    if text.len() > MAX_DEFINITION_BYTES {
        report.add(
            SCHEMA_VALIDATION_FAILED,
            "/",
            format!(
                "the definition has {} bytes; {MAX_DEFINITION_BYTES} are allowed",
                text.len()
            ),
        );
        return None;
    }
    if text.trim().is_empty() {
        report.add(SCHEMA_VALIDATION_FAILED, "/", "Definition must be a valid JSON object");
        return None;
    }
    let document = match document::read(text) {
        Ok(document) => document,
        Err(error) => {
            report.add(
                INVALID_JSON_DESCRIPTION,
                "/",
                format!("the definition is not valid JSON: {error}"),
            );
            return None;
        }
    };
    for location in document.duplicates {
        report.add(SCHEMA_VALIDATION_FAILED, &location, "the field is given twice");
    }
    let Value::Object(object) = document.value else {
        report.add(SCHEMA_VALIDATION_FAILED, "/", "Definition must be a valid JSON object");
        return None;
    };
    let mut fields = Fields::new(object, "");
    fields.string("Comment", report);
    fields.query_language(report);
    if let Some(version) = fields.string("Version", report).filter(|version| version != "1.0") {
        report.add(
            SCHEMA_VALIDATION_FAILED,
            "/Version",
            format!("'{version}' is not supported; '1.0' is"),
        );
    }
    let timeout_s = fields.whole("TimeoutSeconds", 1..=MAX_WHOLE, report);
    let graph = graph::parse(&mut fields, supports, report);
    fields.finish("a state machine", report);
    let graph = graph?;
    let reads_execution_input = graph
        .states
        .iter()
        .any(|state| state.paths().into_iter().any(crate::path::Path::reads_execution_input));
    Some(Definition {
        graph,
        timeout_s,
        reads_execution_input,
    })
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::rule as rule_for_tests;
