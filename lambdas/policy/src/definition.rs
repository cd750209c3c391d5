//! Binds the workflow's definition to one circuit: the policy and the names of what it calls.

use serde_json::{Map, Value};

use crate::deployed::Deployed;

/// What the definition calls: names or ARNs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The table of circuits.
    pub circuits_table: String,
    /// The circuit's caller; it is one function per circuit.
    pub call_partner_function: String,
    /// The function that grants or refuses the probe's lease.
    pub acquire_probe_function: String,
    /// The function that counts and makes the transitions.
    pub record_outcome_function: String,
}

/// Why a definition could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The template is no JSON.
    #[error("the definition is no JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// The policy has no place, or several.
    #[error("the definition has {found} times \"Result\": \"{POLICY}\", allowed: once")]
    PolicyPlaces {
        /// How many places were found.
        found: usize,
    },
    /// Something is left that nobody can fill in.
    #[error("the definition has tokens that nothing replaces: {}", .tokens.join(", "))]
    Unreplaced {
        /// The tokens as they stand, each once.
        tokens: Vec<String>,
    },
    /// The bound definition could not be written.
    #[error("the bound definition can't be written: {0}")]
    Unwritable(#[source] serde_json::Error),
}

const POLICY: &str = "${Policy}";

/// The template's text with the policy as the first state's `Result` and all names in their places.
///
/// # Errors
/// The template is no JSON, has no single place for the policy, or has a `${…}` that is left over.
pub fn bind(template: &str, policy: &Deployed, names: &Names) -> Result<String, BindError> {
    let mut definition: Value = serde_json::from_str(template).map_err(BindError::NotJson)?;
    let policy = serde_json::to_value(policy).map_err(BindError::Unwritable)?;
    let mut binding = Binding {
        policy,
        names,
        places: 0,
        left: Vec::new(),
    };
    binding.value(&mut definition);
    if !binding.left.is_empty() {
        return Err(BindError::Unreplaced { tokens: binding.left });
    }
    if binding.places != 1 {
        return Err(BindError::PolicyPlaces { found: binding.places });
    }
    serde_json::to_string_pretty(&definition).map_err(BindError::Unwritable)
}

struct Binding<'a> {
    policy: Value,
    names: &'a Names,
    places: usize,
    left: Vec<String>,
}

impl Binding<'_> {
    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(fields) => self.fields(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>) {
        for (key, value) in fields.iter_mut() {
            // A token in a key is never replaced, so it is reported.
            let _ = self.tokens(key, |_| None);
            if key == "Result" && value.as_str() == Some(POLICY) {
                // The policy's own strings are not looked into: a `${` in a fallback's body is just text.
                *value = self.policy.clone();
                self.places += 1;
            } else {
                self.value(value);
            }
        }
    }

    fn text(&mut self, text: &str) -> String {
        let names = self.names;
        self.tokens(text, |token| match token {
            "${CircuitsTable}" => Some(&names.circuits_table),
            "${CallPartnerFunction}" => Some(&names.call_partner_function),
            "${AcquireProbeFunction}" => Some(&names.acquire_probe_function),
            "${RecordOutcomeFunction}" => Some(&names.record_outcome_function),
            _ => None,
        })
    }

    /// Replaces each `${…}` once, from the left, so that a name that looks like a token stays as it is.
    fn tokens<'n>(&mut self, text: &str, name: impl Fn(&str) -> Option<&'n String>) -> String {
        let mut done = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            done.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find('}').map_or(rest.len(), |end| end + 1);
            let token = &rest[..end];
            match name(token) {
                Some(name) => done.push_str(name),
                None if self.left.iter().any(|left| left == token) => {}
                None => self.left.push(token.to_owned()),
            }
            rest = &rest[end..];
        }
        done.push_str(rest);
        done
    }
}
