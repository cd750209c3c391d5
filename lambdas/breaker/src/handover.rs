//! What the workflow hands to the two Lambdas that use the table, and what they give back. The definition
//! (`statemachine/circuit-breaker.asl.json`) reads and writes the same names.

use serde::{Deserialize, Serialize};

use crate::acquisition::{Acquired, Answer};
use crate::attribute::Attributes;
use crate::clock::Timestamp;
use crate::decision::Failure;
use crate::event::Transition;
use crate::item::Item;
use crate::policy::Policy;
use crate::recording::{Call, Recorded, Verdict};

/// What the workflow knows of the circuit. The read and the acquisition each leave it whole, so that it stands once in
/// the execution's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Known {
    /// From the read: the item, absent where there is none. (The read's metadata stand beside it and are passed over.)
    #[serde(rename = "Item")]
    pub item: Option<Attributes>,
    /// From the acquisition.
    pub lease: Option<Lease>,
    /// From a read that failed: such an execution knows no epoch.
    #[serde(rename = "Error")]
    pub error: Option<serde_json::Value>,
}

/// The event of acquire-probe.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcquireProbe {
    /// The circuit's policy.
    pub policy: Policy,
    /// What the workflow read.
    pub circuit: Known,
    /// The execution's token.
    pub token: String,
}

/// The answer of acquire-probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// [`Answer`]'s spelling.
    pub answer: String,
    /// The token; only when granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Until when the lease is ours; only when granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The item as the grant left it, or as it was found.
    #[serde(rename = "Item")]
    pub item: Attributes,
}

impl Lease {
    /// The lease as it is handed on.
    pub fn new(acquired: Acquired, token: String) -> Self {
        let granted = acquired.answer == Answer::Granted;
        Self {
            answer: acquired.answer.as_str().to_owned(),
            until: acquired
                .item
                .open_until()
                .filter(|_| granted)
                .map(|until| until.to_string()),
            token: granted.then_some(token),
            item: acquired.item.into_attributes(),
        }
    }
}

/// The event of record-outcome.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordOutcome {
    /// The circuit's policy.
    pub policy: Policy,
    /// What the workflow knows.
    pub circuit: Known,
    /// What came of the call.
    pub outcome: Outcome,
    /// The execution's id, for the log.
    pub execution: String,
    /// When the execution started, RFC 3339.
    pub started_at: String,
}

/// What came of a call, as the caller says, or the workflow where the caller could not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What it says about the partner.
    pub verdict: OutcomeVerdict,
    /// The customer's `x-circuit`.
    pub reason: String,
    /// What kind of failure, one word of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A short sentence of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a call says about the partner, as it is spelled in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeVerdict {
    /// The partner works.
    Success,
    /// It does not.
    Failure,
    /// Nothing.
    Undecided,
}

/// Why an event can't be worked on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// `startedAt` is no time.
    #[error("startedAt is no RFC 3339 time")]
    StartedAt,
}

impl RecordOutcome {
    /// The call to record; none where the execution knows no epoch, because its read failed.
    ///
    /// # Errors
    /// [`Malformed`] where a field does not hold what it must.
    pub fn into_call(self) -> Result<Option<(Policy, Call)>, Malformed> {
        let went_out = Timestamp::parse(&self.started_at).ok_or(Malformed::StartedAt)?;
        if self.circuit.error.is_some() {
            return Ok(None);
        }
        let (known, token) = match self.circuit.lease {
            Some(lease) => (Item::from(lease.item), lease.token),
            None => (Item::from(self.circuit.item.unwrap_or_default()), None),
        };
        let verdict = match self.outcome.verdict {
            OutcomeVerdict::Success => Verdict::Success,
            OutcomeVerdict::Undecided => Verdict::Undecided,
            OutcomeVerdict::Failure => Verdict::Failure(Failure {
                kind: self.outcome.kind.unwrap_or_else(|| "unknown".to_owned()),
                message: self.outcome.message.unwrap_or_default(),
            }),
        };
        Ok(Some((
            self.policy,
            Call {
                known,
                token,
                went_out,
                verdict,
            },
        )))
    }
}

/// The answer of record-outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedOutcome {
    /// [`Recorded`]'s spelling.
    pub recorded: &'static str,
    /// What is announced, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
}

/// An event for the bus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The event's type.
    pub detail_type: &'static str,
    /// What it says.
    pub detail: Transition,
}

impl From<Recorded> for RecordedOutcome {
    fn from(recorded: Recorded) -> Self {
        let event = recorded.transition();
        let event = event.map(|detail| Event {
            detail_type: detail.detail_type(),
            detail: detail.clone(),
        });
        Self {
            recorded: recorded.as_str(),
            event,
        }
    }
}

#[cfg(test)]
mod tests;
