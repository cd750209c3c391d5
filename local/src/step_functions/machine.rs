//! A state machine as it was created.

use states_language::{Machine, MachineType};
use time::OffsetDateTime;

use super::journal::{Flow, Legacy};
use super::tags::Tags;

/// Which rules a machine's executions follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Five minutes at most; the only kind that starts synchronously.
    Express,
    /// A name starts one execution.
    Standard,
}

impl Kind {
    /// As the engine calls it.
    pub(super) fn machine_type(self) -> MachineType {
        match self {
            Self::Express => MachineType::Express,
            Self::Standard => MachineType::Standard,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        self.machine_type().as_str()
    }
}

/// What somebody creates.
#[derive(Clone, Debug)]
pub(crate) struct MachineSpec {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The definition's text, as it is described later.
    pub(crate) definition: String,
    /// Kept and shown; only its form is checked.
    pub(crate) role_arn: String,
    /// For a machine that does not exist yet; one that does keeps its own.
    pub(crate) tags: Tags,
}

/// A machine that exists. An update makes a new one; executions keep the one that they began with.
#[derive(Debug)]
pub(crate) struct Created {
    pub(super) spec: MachineSpec,
    pub(super) arn: String,
    pub(super) machine: Machine,
    pub(super) created_at: OffsetDateTime,
    /// The creation, or the last update.
    pub(super) updated_at: OffsetDateTime,
    /// None before the first update.
    pub(super) revision: Option<String>,
    pub(super) flow: Flow,
    pub(super) legacy: Legacy,
}
