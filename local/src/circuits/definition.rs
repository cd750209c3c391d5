//! The workflow's definition, as it is deployed too.

use std::io;
use std::path::Path;

use policy::Deployed;
use policy::definition::{Names, bind};

use super::CircuitError;
use super::functions::{ACQUIRE_PROBE, RECORD_OUTCOME};

/// The definition before it is bound to a circuit.
#[derive(Debug)]
pub(crate) struct Template {
    text: String,
    /// What it is called in an error.
    pub(super) origin: String,
}

impl Template {
    /// The one that ships.
    pub(crate) fn shipped() -> Self {
        let text = include_str!("../../../statemachine/circuit-breaker.asl.json").to_owned();
        Self {
            text,
            origin: "statemachine/circuit-breaker.asl.json".to_owned(),
        }
    }

    /// Another one, for whoever works on it.
    pub(crate) fn read(file: &Path) -> io::Result<Self> {
        Ok(Self {
            text: std::fs::read_to_string(file)?,
            origin: file.display().to_string(),
        })
    }

    /// The definition of one circuit's machine.
    pub(super) fn bind(&self, policy: &Deployed, table: &str, caller: &str) -> Result<String, CircuitError> {
        let names = Names {
            circuits_table: table.to_owned(),
            call_partner_function: caller.to_owned(),
            acquire_probe_function: ACQUIRE_PROBE.to_owned(),
            record_outcome_function: RECORD_OUTCOME.to_owned(),
        };
        bind(&self.text, policy, &names).map_err(|source| CircuitError::Bind {
            origin: self.origin.clone(),
            source,
        })
    }
}
