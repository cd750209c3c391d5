//! A state machine as it was created.

use states_language::Machine;
use time::OffsetDateTime;

/// Which rules a machine's executions follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Five minutes at most; the only kind that starts synchronously.
    Express,
    /// A name starts one execution.
    Standard,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Express => "EXPRESS",
            Self::Standard => "STANDARD",
        }
    }
}

/// What somebody creates.
#[derive(Clone, Debug)]
pub(crate) struct MachineSpec {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The definition's text, as it is described later.
    pub(crate) definition: String,
    /// Kept and shown; nothing is checked against it.
    pub(crate) role_arn: String,
}

/// A machine that exists. An update makes a new one; executions keep the one that they began with.
#[derive(Debug)]
pub(crate) struct Created {
    pub(super) spec: MachineSpec,
    pub(super) arn: String,
    pub(super) machine: Machine,
    pub(super) created_at: OffsetDateTime,
    /// None before the first update.
    pub(super) revision: Option<String>,
}
