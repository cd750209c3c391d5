//! What the shipped definition holds to that neither asl-validator nor a case can tell.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod contract;
mod presence;
mod rules;
mod walk;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The text that ships.
const TEXT: &str = include_str!("../../../statemachine/circuit-breaker.asl.json");

/// A state's fields.
type State = Map<String, Value>;

fn definition() -> Value {
    serde_json::from_str(TEXT).unwrap()
}

/// The states by name.
fn states() -> BTreeMap<String, State> {
    serde_json::from_value(definition()["States"].clone()).unwrap()
}

fn states_of(kind: &str) -> BTreeMap<String, State> {
    let mut states = states();
    states.retain(|_, state| state["Type"] == kind);
    assert!(!states.is_empty(), "there is no {kind}");
    states
}

/// The rules of a Choice, or the catchers of a Task; empty where it has none.
fn list<'a>(state: &'a State, field: &str) -> &'a [Value] {
    state.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The error names that a catcher matches.
fn caught(catcher: &Value) -> Vec<&str> {
    catcher["ErrorEquals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect()
}
