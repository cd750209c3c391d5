//! A single state as a definition: what TestState is given.

use serde_json::{Map, Value, json};

use super::report::{INVALID_JSON_DESCRIPTION, MISSING_END_STATE, Report};
use super::{Definition, check};
use crate::{InvalidDefinition, MachineType, Severity};

/// The name that AWS gives a state that is tested without one.
pub(crate) const STATE_NAME: &str = "StateName";

/// Checks and compiles one state, with an end in the place of each state that it leads to.
pub(crate) fn check_single(text: &str, supports: &dyn Fn(&str) -> bool) -> Result<Definition, InvalidDefinition> {
    let state: Value = serde_json::from_str(text).map_err(|error| {
        let mut report = Report::default();
        let message = format!("the definition is not valid JSON: {error}");
        report.add(INVALID_JSON_DESCRIPTION, "/", message);
        InvalidDefinition {
            diagnostics: report.into_diagnostics(),
        }
    })?;
    let mut states = Map::new();
    for target in targets(&state) {
        states.insert(target, json!({ "Type": "Succeed" }));
    }
    states.insert(STATE_NAME.to_owned(), state);
    let definition = json!({ "StartAt": STATE_NAME, "States": states }).to_string();
    let (definition, mut diagnostics) = check(&definition, MachineType::Standard, supports);
    diagnostics.retain(|found| found.severity == Severity::Error && found.code != MISSING_END_STATE);
    for diagnostic in &mut diagnostics {
        let inner = diagnostic.location.strip_prefix(&format!("/States/{STATE_NAME}"));
        diagnostic.location = match inner {
            Some("") | None => "/".to_owned(),
            Some(inner) => inner.to_owned(),
        };
    }
    match definition {
        Some(definition) if diagnostics.is_empty() => Ok(definition),
        _ => Err(InvalidDefinition { diagnostics }),
    }
}

/// The names of the states that a state may lead to.
fn targets(state: &Value) -> Vec<String> {
    let of = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let each = |list: &str| {
        let items = state.get(list).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(|item| of(item, "Next"))
            .collect::<Vec<_>>()
    };
    [of(state, "Next"), of(state, "Default")]
        .into_iter()
        .flatten()
        .chain(each("Choices"))
        .chain(each("Catch"))
        .collect()
}
