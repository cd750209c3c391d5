//! Refusals: each with its place and what it says.

mod branch;
mod machine;
mod recovery;
mod state;

use serde_json::{Value, json};

use super::report::Report;
use super::{fields::Fields, parse};
use crate::choice::Rule;

/// A rule without where it leads.
pub(crate) fn rule(json: Value) -> Result<Rule, Vec<crate::Diagnostic>> {
    let mut report = Report::default();
    let rule = Fields::of(json, "", &mut report).and_then(|mut fields| {
        let rule = super::branch::rule(&mut fields, &mut report);
        fields.finish("a rule", &mut report);
        rule
    });
    let diagnostics = report.into_diagnostics();
    rule.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
}

fn diagnostics(text: &str) -> Vec<(&'static str, String, String)> {
    let supports = |resource: &str| !resource.contains("unsupported");
    match parse(text, crate::MachineType::Standard, &supports) {
        Ok(_) => Vec::new(),
        Err(invalid) => invalid
            .diagnostics
            .into_iter()
            .map(|d| (d.code, d.location, d.message))
            .collect(),
    }
}

/// Refused with exactly one diagnostic: its place, and a part of its message.
fn refused(definition: &Value, location: &str, message: &str) {
    refused_text(&definition.to_string(), location, message);
}

fn refused_text(text: &str, location: &str, message: &str) {
    let found = diagnostics(text);
    let [(_, at, said)] = found.as_slice() else {
        panic!("expected {location}: {message}; found {found:?} for {text}")
    };
    assert_eq!(at, location, "{said}");
    assert!(said.contains(message), "{said:?} does not hold {message:?}");
}

fn machine(state: Value) -> Value {
    json!({ "StartAt": "S", "States": { "S": state } })
}

fn task(extra: Value) -> Value {
    with(json!({ "Type": "Task", "Resource": "r", "End": true }), extra)
}

fn with(mut base: Value, extra: Value) -> Value {
    let (Value::Object(fields), Value::Object(extra)) = (&mut base, extra) else {
        panic!("objects")
    };
    fields.extend(extra);
    base
}
