//! The numbers of a policy that the protocol needs. The file they come from, with its defaults and ranges, is the
//! `policy` crate's: here they are taken as given.

use serde::{Deserialize, Serialize};

/// When a closed circuit opens: at `failures` failures within `window_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trip {
    /// How many failures open the circuit, at least 1.
    pub failures: u32,
    /// The window that they must lie in, in milliseconds; a multiple of ten, because it has ten slices.
    pub window_ms: u64,
}

/// How long an open circuit stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    /// From the opening, or the failed probe, to the next probe; in milliseconds.
    pub for_ms: u64,
}

/// How a half-open circuit is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// How long one execution holds the right to probe, in milliseconds.
    pub lease_ms: u64,
    /// How many successful probes in a row close the circuit; left out where it is 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub successes_to_close: u32,
}

impl Probe {
    /// A probe whose first success closes the circuit.
    pub fn new(lease_ms: u64) -> Self {
        Self {
            lease_ms,
            successes_to_close: one(),
        }
    }
}

/// What the protocol needs of one circuit's policy, as the workflow hands it to the Lambdas.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// The circuit's name: the key of its item.
    pub circuit: String,
    /// When it opens.
    pub trip: Trip,
    /// How long it stays open.
    pub open: Open,
    /// How it is tried.
    pub probe: Probe,
}

fn one() -> u32 {
    1
}

fn is_one(value: &u32) -> bool {
    *value == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_success_closes_where_nothing_else_is_said_and_then_nothing_is() {
        let usual: Probe = serde_json::from_str(r#"{"leaseMs":5000}"#).unwrap();
        assert_eq!(usual, Probe::new(5000));
        assert_eq!(usual.successes_to_close, 1);
        assert_eq!(serde_json::to_string(&usual).unwrap(), r#"{"leaseMs":5000}"#);
        let patient = Probe {
            successes_to_close: 3,
            ..usual
        };
        let text = r#"{"leaseMs":5000,"successesToClose":3}"#;
        assert_eq!(serde_json::to_string(&patient).unwrap(), text);
        assert_eq!(serde_json::from_str::<Probe>(text).unwrap(), patient);
    }
}
