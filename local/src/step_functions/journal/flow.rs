//! What the states of a machine do to the payload, so that of each payload only what a state changed needs to be written.

use std::collections::HashMap;

use serde_json::{Map, Value};
use states_language::Machine;

/// What a definition says of the payload between its states: each state begins with what the one before ended with, and ends
/// with that or with a part of it replaced.
#[derive(Debug, Default)]
pub(in crate::step_functions) struct Flow {
    /// Whether states follow each other one by one. In a Parallel or a Map they don't, and nothing is known.
    pub(super) in_line: bool,
    states: HashMap<String, Effects>,
}

/// What a state does to the payload: when it ends well, and by each of its catchers.
#[derive(Debug)]
struct Effects {
    success: Effect,
    catchers: Vec<Effect>,
}

/// How a payload differs from the one before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Wholly, for all that is known.
    Anything,
    /// Not at all.
    Nothing,
    /// In one field of the object that it is.
    Field(String),
}

impl Flow {
    /// Reads it from a definition and what it was parsed to.
    pub(in crate::step_functions) fn of(definition: &str, machine: &Machine) -> Self {
        let in_line = machine
            .outline()
            .all(|state| !matches!(state.kind.as_str(), "Parallel" | "Map"));
        if !in_line {
            return Self::default();
        }
        let document: Value = serde_json::from_str(definition).unwrap_or_default();
        let states = document["States"].as_object().into_iter().flatten();
        Self {
            in_line,
            states: states.map(|(name, state)| (name.clone(), Effects::of(state))).collect(),
        }
    }

    /// What a state does that ends now, by a catcher or well.
    pub(super) fn effect(&self, state: &str, catcher: Option<usize>) -> &Effect {
        let effect = self.states.get(state).and_then(|effects| match catcher {
            Some(catcher) => effects.catchers.get(catcher),
            None => Some(&effects.success),
        });
        effect.unwrap_or(&Effect::Anything)
    }
}

impl Effects {
    fn of(state: &Value) -> Self {
        let none = Map::new();
        let fields = state.as_object().unwrap_or(&none);
        let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
        // None of what reads or makes variables is supported; if it were, nothing would be known of these states.
        let success = if has(&["OutputPath", "Assign", "Output", "QueryLanguage"]) {
            Effect::Anything
        } else {
            match state["Type"].as_str() {
                Some("Pass" | "Task") => Effect::of(fields.get("ResultPath")),
                Some("Choice" | "Wait" | "Succeed") if !has(&["InputPath"]) => Effect::Nothing,
                _ => Effect::Anything,
            }
        };
        let catchers = state["Catch"].as_array().into_iter().flatten();
        Self {
            success,
            catchers: catchers.map(|catcher| Effect::of(catcher.get("ResultPath"))).collect(),
        }
    }
}

impl Effect {
    /// Of a `ResultPath`. Only `$.name` is understood: a path into an object is left to those who wrote it.
    fn of(result_path: Option<&Value>) -> Self {
        match result_path {
            Some(Value::Null) => Self::Nothing,
            Some(Value::String(path)) => match path.strip_prefix("$.") {
                Some(name) if is_plain(name) => Self::Field(name.to_owned()),
                _ => Self::Anything,
            },
            _ => Self::Anything,
        }
    }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_state_does_is_read_from_its_filters() {
        let field = |name: &str| Effect::Field(name.to_owned());
        for (state, expected) in [
            (json!({ "Type": "Pass" }), Effect::Anything),
            (json!({ "Type": "Pass", "ResultPath": "$" }), Effect::Anything),
            (json!({ "Type": "Pass", "ResultPath": "$.a" }), field("a")),
            (json!({ "Type": "Pass", "ResultPath": "$.a.b" }), Effect::Anything),
            (json!({ "Type": "Pass", "ResultPath": "$.a[0]" }), Effect::Anything),
            (json!({ "Type": "Pass", "ResultPath": "$['a']" }), Effect::Anything),
            (json!({ "Type": "Pass", "ResultPath": null }), Effect::Nothing),
            (
                json!({ "Type": "Pass", "ResultPath": null, "InputPath": "$.a" }),
                Effect::Nothing,
            ),
            (
                json!({ "Type": "Task", "ResultPath": "$.a", "OutputPath": "$.b" }),
                Effect::Anything,
            ),
            (json!({ "Type": "Choice" }), Effect::Nothing),
            (json!({ "Type": "Choice", "InputPath": "$.a" }), Effect::Anything),
            (json!({ "Type": "Succeed" }), Effect::Nothing),
            (json!({ "Type": "Fail" }), Effect::Anything),
        ] {
            assert_eq!(Effects::of(&state).success, expected, "{state}");
        }
        let state = json!({ "Type": "Task", "Catch": [{ "ResultPath": "$.error" }, {}, { "ResultPath": null }] });
        assert_eq!(
            Effects::of(&state).catchers,
            [field("error"), Effect::Anything, Effect::Nothing]
        );
    }
}
