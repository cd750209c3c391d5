//! Whose protocol is explored: ours, ours less one condition or guard, or a known design that is to be refuted.

use std::fmt;
use std::sync::Arc;

use breaker::clock::Timestamp;
use breaker::item::{Item, name};
use breaker::policy::Policy;
use breaker::update::{Assignment, Update};

use crate::refuted::is_slice;

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A failure is added to a slice.
    CountAdds,
    /// A failure replaces a slice that can't be added to.
    CountReplaces,
    /// The circuit opens.
    Open,
    /// A probe's lease is granted.
    Grant,
    /// A probe closes the circuit.
    ProbeCloses,
    /// A probe is one success of several.
    ProbeSucceeds,
    /// A probe failed.
    ProbeFails,
    /// A probe gives its lease back.
    ProbeFrees,
    /// A person sets an override.
    Force,
    /// A person lifts it.
    Lift,
    /// A person resets the circuit.
    Reset,
    /// Of a refuted design: a usual call's success writes something.
    Success,
}

impl Kind {
    /// Those of our protocol.
    pub const OURS: [Self; 11] = [
        Self::CountAdds,
        Self::CountReplaces,
        Self::Open,
        Self::Grant,
        Self::ProbeCloses,
        Self::ProbeSucceeds,
        Self::ProbeFails,
        Self::ProbeFrees,
        Self::Force,
        Self::Lift,
        Self::Reset,
    ];

    /// What a recording's write does, by what it assigns.
    pub fn of_recording(update: &Update, is_probe: bool) -> Self {
        let sets = |name: &str| {
            update
                .assignments
                .iter()
                .find(|assignment| assigned(assignment) == name)
        };
        let adds = |assignment: &Assignment| matches!(assignment, Assignment::Add(..));
        match (is_probe, sets(name::EPOCH)) {
            (false, None) if update.assignments.iter().any(adds) => Self::CountAdds,
            (false, None) => Self::CountReplaces,
            (false, Some(_)) => Self::Open,
            (true, _) if sets(name::STATE).is_some() => Self::ProbeCloses,
            (true, _) if sets(name::OPENINGS).is_some() => Self::ProbeFails,
            (true, _) if sets(name::PROBE_SUCCESSES).is_some() => Self::ProbeSucceeds,
            (true, _) => Self::ProbeFrees,
        }
    }

    /// In the words of the table of decisions.
    pub fn text(self) -> &'static str {
        match self {
            Self::CountAdds => "count a failure: add to the slice",
            Self::CountReplaces => "count a failure: replace a slice that can't be added to",
            Self::Open => "open",
            Self::Grant => "grant the probe",
            Self::ProbeCloses => "probe succeeded: close",
            Self::ProbeSucceeds => "probe succeeded: one of several",
            Self::ProbeFails => "probe failed",
            Self::ProbeFrees => "probe undecided",
            Self::Force => "set an override",
            Self::Lift => "lift an override",
            Self::Reset => "reset",
            Self::Success => "a success",
        }
    }

    /// Whether it counts a failure: the only kind that begins no new epoch.
    pub fn is_count(self) -> bool {
        matches!(self, Self::CountAdds | Self::CountReplaces)
    }

    /// Whether a person makes it.
    pub fn is_persons(self) -> bool {
        matches!(self, Self::Force | Self::Lift | Self::Reset)
    }

    /// Whether it is a probe's result.
    pub fn is_probes(self) -> bool {
        matches!(
            self,
            Self::ProbeCloses | Self::ProbeSucceeds | Self::ProbeFails | Self::ProbeFrees
        )
    }
}

/// Changes a write, given its kind and the item that it was decided on.
pub type Alter = Arc<dyn Fn(Kind, &Item, Update) -> Update + Send + Sync>;

/// A design. The default is ours.
#[derive(Clone, Default)]
pub struct Design {
    /// Changes each write before it is made.
    pub alter: Option<Alter>,
    /// What the workflow's choices get to see of an item.
    pub shown_to_workflow: Option<fn(Item) -> Item>,
    /// What an acquisition gets to see of an item.
    pub shown_to_acquisition: Option<fn(Item) -> Item>,
    /// What a recording gets to see of an item, given its token.
    pub shown_to_recording: Option<fn(Item, Option<&str>) -> Item>,
    /// One token for everybody.
    pub token: Option<&'static str>,
    /// What a usual call's success writes.
    pub success: Option<fn(&Policy, &Item, Timestamp) -> Update>,
    /// A refused count is counted to whatever epoch it finds.
    pub recounts: bool,
    /// A probe starts however little of its lease is left.
    pub starts_late: bool,
}

impl fmt::Debug for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Design").finish_non_exhaustive()
    }
}

/// What a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum About {
    /// The fence.
    Epoch,
    /// The slice that is counted in.
    Slice,
}

impl About {
    /// Of a condition, by its attribute.
    pub fn of(attribute: &str) -> Self {
        if attribute == name::EPOCH {
            Self::Epoch
        } else {
            Self::Slice
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Epoch => "the epoch is the one seen",
            Self::Slice => "the slice can be counted in",
        }
    }
}

impl Design {
    /// Ours, less the condition of one kind of write that is about this.
    pub fn without_condition(kind: Kind, about: About) -> Self {
        Self::altered(move |written, _, mut update| {
            if written == kind {
                update
                    .conditions
                    .retain(|condition| About::of(condition.attribute()) != about);
            }
            update
        })
    }

    /// Ours, less the assignments of one kind of write to one attribute, or less its removal of [`SLICES`].
    pub fn without_assignment(kind: Kind, attribute: &'static str) -> Self {
        Self::altered(move |written, _, mut update| {
            if written == kind {
                update.assignments.retain(|assignment| !is_to(assignment, attribute));
            }
            update
        })
    }

    /// Ours, with each write changed.
    pub fn altered(alter: impl Fn(Kind, &Item, Update) -> Update + Send + Sync + 'static) -> Self {
        Self {
            alter: Some(Arc::new(alter)),
            ..Self::default()
        }
    }

    pub(crate) fn alter(&self, kind: Kind, on: &Item, update: Update) -> Update {
        match &self.alter {
            Some(alter) => alter(kind, on, update),
            None => update,
        }
    }

    pub(crate) fn token(&self, id: u8) -> String {
        self.token.map_or_else(|| format!("token-{id}"), str::to_owned)
    }
}

/// Stands for the removal of slices, however they are named.
pub const SLICES: &str = "slices";

fn is_to(assignment: &Assignment, attribute: &str) -> bool {
    match assignment {
        Assignment::Remove(name) if attribute == SLICES => is_slice(name),
        _ => assigned(assignment) == attribute,
    }
}

/// The attribute that an assignment is to.
pub fn assigned(assignment: &Assignment) -> &str {
    match assignment {
        Assignment::Set(name, _) | Assignment::Add(name, _) | Assignment::Remove(name) => name,
    }
}
