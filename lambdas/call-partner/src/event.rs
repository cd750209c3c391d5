//! What the workflow hands to the caller.

use std::collections::BTreeMap;

use breaker::clock::Timestamp;
use policy::Call;
use serde::Deserialize;
use serde_json::Value;

use function::error::Error;

/// The event of call-partner.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPartner {
    /// The part of the circuit's policy that a call needs.
    pub policy: CallPolicy,
    /// The request's parameters: any JSON, since somebody may start an execution directly.
    pub params: Value,
    /// The request's body, for a circuit that passes it on: any JSON, for the same reason.
    #[serde(default)]
    pub body: Value,
    /// The execution's id: what a call that may change something is made recognisable by. An earlier workflow sends none.
    #[serde(default)]
    pub execution: Option<String>,
    /// What the workflow knows of the circuit; only the lease matters here.
    #[serde(default)]
    pub circuit: Value,
}

/// The part of a policy that a call needs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPolicy {
    /// The circuit's name, for the log.
    pub circuit: String,
    /// Each parameter's name and pattern.
    pub params: BTreeMap<String, String>,
    /// How the partner is called.
    pub call: Call,
}

impl CallPartner {
    /// Until when this call's lease holds, if the call is the probe.
    ///
    /// # Errors
    /// [`Error::BadPayload`] for a lease whose end can't be read.
    pub fn lease_until(&self) -> Result<Option<Timestamp>, Error> {
        let lease = &self.circuit["lease"];
        if lease["answer"] != "granted" {
            return Ok(None);
        }
        let until = lease["until"].as_str().and_then(Timestamp::parse);
        until.map(Some).ok_or_else(|| Error::BadPayload {
            what: "circuit.lease.until is no RFC 3339 time".to_owned(),
        })
    }
}
