//! A state of the model: the stored item, who is on the way with what, and what the laws need to remember.

use std::hash::{Hash, Hasher};

use breaker::acquisition::Acquisition;
use breaker::clock::Timestamp;
use breaker::item::Item;
use breaker::recording::Recording;
use breaker::update::Update;

use crate::design::Kind;
use crate::law::Laws;
use crate::scenario::Budget;
use crate::shared::{Shared, hash_of};
use crate::sight::Events;

/// An item as it was once stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// The item.
    pub item: Shared<Item>,
    /// The number of its epoch among those that were begun, 0 where it has none. It is what an epoch is meant to tell, and
    /// the model's own count: so an epoch that comes again shows.
    pub generation: u8,
}

/// The whole world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The time, by the slowest clock.
    pub now_ms: u64,
    /// What is stored.
    pub table: Version,
    /// What a stale read may return, the newest first.
    pub earlier: Vec<Version>,
    /// Those on the way and those to come, in an order of their own: which caller does something makes no difference.
    pub executions: Vec<Execution>,
    /// The item that a person was shown.
    pub shown: Option<Version>,
    /// What may still happen.
    pub left: Budget,
    /// The storm is over.
    pub calm: bool,
    /// What the laws remember.
    pub ghost: Ghost,
}

/// What no writer knows and the laws are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ghost {
    /// Tokens made so far.
    pub tokens: u8,
    /// The lease that is out, and its end.
    pub lease: Option<(u8, u64)>,
    /// The failures that were accepted since it last opened, closed or was reset, in the order of their stamps.
    pub accepted: Vec<Accepted>,
    /// Epochs that were begun so far.
    pub generations: u8,
    /// The greatest epoch so far.
    pub epoch: u64,
    /// The last epoch that was announced.
    pub announced: u64,
    /// Successful probes in a row.
    pub successes: u8,
    /// Openings, failed probes and lost leases since the last close.
    pub openings_in_a_row: u8,
    /// Openings by failures, two at most.
    pub openings: u8,
    /// What happened.
    pub happened: Events,
    /// Laws that were broken.
    pub broken: Laws,
}

/// A failure that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Accepted {
    /// Its recorder's stamp, in milliseconds.
    pub at_ms: u64,
    /// So much newer ones were counted since that its slice may be gone: it may still combine, but need not.
    pub may_be_gone: bool,
}

/// A caller's name, for traces only: it makes no state another.
#[derive(Clone, Copy, Debug)]
pub struct Name(pub char);

impl PartialEq for Name {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// One caller's execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Execution {
    /// Whose.
    pub name: Name,
    /// How far it is.
    pub stage: Stage,
}

/// How far an execution is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Not begun, or ended.
    Idle,
    /// A usual call is out.
    Calling(Known),
    /// It holds a lease, and the caller has not started yet.
    Leased(Lease),
    /// The probe's call is out, until its time-out at the latest.
    Probing(Lease, u64),
    /// A write is on its way.
    Writing(Writing),
}

/// What a call goes out under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// The item.
    pub version: Version,
    /// When it went out.
    pub went_out: Timestamp,
}

/// A lease, as its holder knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The token's number.
    pub id: u8,
    /// What the probe goes out under.
    pub known: Known,
    /// Until when it is ours.
    pub until: Timestamp,
    /// A person has reset the circuit meanwhile.
    pub reset: bool,
}

/// A write on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Writing {
    /// Whose write.
    pub work: Work,
    /// What it does.
    pub kind: Kind,
    /// The write.
    pub update: Shared<Update>,
    /// What it was decided on.
    pub on: Version,
    /// When it was decided, by its decider's clock. Of a count: the failure's stamp.
    pub at: Timestamp,
    /// Its answer got lost once.
    pub repeated: bool,
}

/// What a write is part of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Asking for the lease under this token.
    Acquiring(Shared<Acquisition>, u8, Timestamp),
    /// Recording a call that went out under this; with the lease, if it was the probe.
    Recording(Shared<Recording>, Known, Option<Lease>),
    /// A refuted design's write, which nothing follows.
    Bare,
}

impl State {
    /// The time, by the slowest clock.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now_ms)
    }

    /// How many executions are on the way.
    pub fn on_their_way(&self) -> usize {
        let idle = |execution: &&Execution| execution.stage != Stage::Idle;
        self.executions.iter().filter(idle).count()
    }

    /// Puts the executions in their order, whoever they are.
    pub(crate) fn sort(&mut self) {
        self.executions
            .sort_by_cached_key(|execution| hash_of(&execution.stage));
    }
}

impl Stage {
    /// The lease that it holds, if it believes that it does.
    pub fn lease(&self) -> Option<&Lease> {
        match self {
            Self::Leased(lease) | Self::Probing(lease, _) => Some(lease),
            Self::Writing(Writing {
                work: Work::Recording(_, _, lease),
                ..
            }) => lease.as_ref(),
            _ => None,
        }
    }

    /// As [`Stage::lease`], to change it.
    pub(crate) fn lease_mut(&mut self) -> Option<&mut Lease> {
        match self {
            Self::Leased(lease) | Self::Probing(lease, _) => Some(lease),
            Self::Writing(Writing {
                work: Work::Recording(_, _, lease),
                ..
            }) => lease.as_mut(),
            _ => None,
        }
    }
}
