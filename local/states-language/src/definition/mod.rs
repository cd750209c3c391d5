//! Definitions: read, checked and compiled, once.
//!
//! Nothing that this engine can't do gets past here: an unknown field, state type, operator or function is refused by
//! its name, so that no execution stops half-way at something that was never going to work.

mod branch;
mod branches;
mod document;
mod effort;
mod fields;
mod flow;
mod graph;
mod quantity;
mod recovery;
mod report;
mod single;
mod state;
mod wait;
mod work;

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

pub(crate) use branches::{MapBody, ParallelBody};
pub(crate) use effort::Effort;
pub(crate) use flow::{Filter, ResultPlace};
pub(crate) use graph::{Graph, Next};
pub(crate) use quantity::Quantity;
pub(crate) use recovery::{Catcher, Retrier};
pub(crate) use single::{STATE_NAME, check_single};
pub(crate) use state::{Body, ChoiceBody, FailBody, PassBody, State, TaskBody, Text};
pub(crate) use wait::{Until, WaitBody};

use crate::limits::MAX_DEFINITION_BYTES;
use crate::machine::MachineType;
use crate::{Diagnostic, InvalidDefinition, Severity};
use fields::Fields;
use report::{INVALID_JSON_DESCRIPTION, MISSING_DESCRIPTION, Report, SCHEMA_VALIDATION_FAILED};

/// The longest `TimeoutSeconds`, `IntervalSeconds` and `MaxAttempts`, inclusive.
const MAX_WHOLE: u32 = 99_999_999;

/// A whole definition.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) graph: Graph,
    pub(crate) timeout_s: Option<u32>,
}

/// What parsing a state needs to know of the whole machine.
pub(crate) struct MachineScope<'a> {
    pub(crate) kind: MachineType,
    /// Whether a Task's resource can be run.
    pub(crate) supports: &'a dyn Fn(&str) -> bool,
    /// Every state's name so far, with its place.
    pub(crate) names: RefCell<HashMap<String, String>>,
}

/// What parsing a state needs to know beyond the state.
pub(crate) struct Scope<'a> {
    pub(crate) machine: &'a MachineScope<'a>,
    /// The names of the states around it, by index.
    pub(crate) names: &'a HashMap<String, usize>,
    /// Where these states stand.
    pub(crate) location: &'a str,
}

/// Reads, checks and compiles the text of a definition.
pub(crate) fn parse(
    text: &str,
    kind: MachineType,
    supports: &dyn Fn(&str) -> bool,
) -> Result<Definition, InvalidDefinition> {
    let (definition, mut diagnostics) = check(text, kind, supports);
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    match definition {
        Some(definition) if diagnostics.is_empty() => Ok(definition),
        _ => Err(InvalidDefinition { diagnostics }),
    }
}

/// As [`parse`], with the warnings too.
pub(crate) fn check(
    text: &str,
    kind: MachineType,
    supports: &dyn Fn(&str) -> bool,
) -> (Option<Definition>, Vec<Diagnostic>) {
    let mut report = Report::default();
    let scope = MachineScope {
        kind,
        supports,
        names: RefCell::default(),
    };
    let definition = read(text, &scope, &mut report);
    (definition, report.into_diagnostics())
}

fn read(text: &str, scope: &MachineScope<'_>, report: &mut Report) -> Option<Definition> {
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
        report.add(MISSING_DESCRIPTION, "/", "Definition must be a valid JSON object");
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
    let graph = graph::parse(&mut fields, scope, report);
    fields.finish("a state machine", report);
    Some(Definition {
        graph: graph?,
        timeout_s,
    })
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::rule as rule_for_tests;
