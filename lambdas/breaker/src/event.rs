//! What is announced: each change of a circuit's state, by the one writer that made it.

use serde::Serialize;

use crate::clock::Timestamp;
use crate::item::{Item, Override};
use crate::policy::Policy;

/// A change of a circuit's state that its writer announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Closed to open, after too many failures.
    Opened,
    /// Half-open to open, after a failed probe.
    Reopened,
    /// Half-open to closed.
    Closed,
}

/// A transition as it is announced: at most one for a circuit and epoch. A gap between one event's `epoch` and the next
/// one's `previousEpoch` shows that something came between which was not announced, or whose announcement got lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transition {
    /// The circuit.
    pub circuit: String,
    /// What happened.
    #[serde(skip)]
    pub change: Change,
    /// The epoch that it began.
    pub epoch: u64,
    /// The epoch that it followed.
    pub previous_epoch: u64,
    /// When.
    pub at: String,
    /// Until when nobody calls; only of an open circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_until: Option<String>,
    /// Openings, failed probes and lost leases in a row, this one included; 0 once it is closed.
    pub openings: u64,
    /// That a person has set a dry run: calls go out all the same.
    pub dry_run: bool,
}

impl Transition {
    pub(crate) fn between(policy: &Policy, change: Change, before: &Item, after: &Item, now: Timestamp) -> Self {
        Self {
            circuit: policy.circuit.clone(),
            change,
            epoch: after.epoch(),
            previous_epoch: before.epoch(),
            at: now.to_string(),
            open_until: after.open_until().map(|until| until.to_string()),
            openings: after.openings(),
            dry_run: after.forced(now) == Some(Override::DryRun),
        }
    }

    /// The event's type on the bus. In a dry run an opening stops no call, so that it has a name of its own and no alarm
    /// takes it for one.
    pub fn detail_type(&self) -> &'static str {
        match (self.change, self.dry_run) {
            (Change::Opened, false) => "CircuitOpened",
            (Change::Opened, true) => "CircuitWouldOpen",
            (Change::Reopened, false) => "CircuitReopened",
            (Change::Reopened, true) => "CircuitWouldReopen",
            (Change::Closed, _) => "CircuitClosed",
        }
    }
}
