//! Acquiring the probe's lease: decided on the item that the workflow read, and once more on the item that a refusal
//! returns. Refused again, it is answered from that item, and nothing more is written.

use crate::clock::Timestamp;
use crate::decision::{self, Refusal};
use crate::item::{Item, Override};
use crate::policy::Policy;
use crate::procedure::{Next, Procedure};
use crate::update::Written;

/// One execution's attempt to become the probe.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acquisition {
    policy: Policy,
    token: String,
    seen: Item,
    refusals: u8,
}

/// What an attempt came to, with the item as it was then: what the call is recorded on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acquired {
    /// Whether this execution is the probe, may call all the same, or must not.
    pub answer: Answer,
    /// The item as the grant left it, or as it was found.
    pub item: Item,
}

/// The answer to an execution that asked for the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The lease is ours: call, as the probe.
    Granted,
    /// The circuit is closed by now, or forced closed: call, as usual.
    Closed,
    /// It would have been refused, but a person has set a dry run: call.
    DryRun,
    /// A person has forced the circuit open.
    ForcedOpen,
    /// Another's probe is under way.
    ProbeBusy,
    /// The wait is not over.
    Open,
}

impl Answer {
    /// The one spelling, which the definition matches on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Closed => "closed",
            Self::DryRun => "dry-run",
            Self::ForcedOpen => "forced-open",
            Self::ProbeBusy => "probe-busy",
            Self::Open => "open",
        }
    }
}

/// How often a decision is taken again on a newer item.
const SECOND_TRIES: u8 = 1;

impl Acquisition {
    /// An attempt under `token`, on the item that the workflow read.
    pub fn new(policy: Policy, seen: Item, token: String) -> Self {
        Self {
            policy,
            token,
            seen,
            refusals: 0,
        }
    }

    fn decide(&self, now: Timestamp) -> Next<Acquired> {
        if self.refusals > SECOND_TRIES {
            return self.refused(decision::refuse(&self.seen, &self.token, now), now);
        }
        match decision::grant(&self.policy, &self.seen, &self.token, now) {
            Ok(update) => Next::Write(update),
            Err(refusal) => self.refused(refusal, now),
        }
    }

    fn refused(&self, refusal: Refusal, now: Timestamp) -> Next<Acquired> {
        let answer = match refusal {
            Refusal::AlreadyOurs => Answer::Granted,
            Refusal::Closed => Answer::Closed,
            Refusal::ForcedOpen => Answer::ForcedOpen,
            Refusal::ProbeBusy | Refusal::Open if self.seen.forced(now) == Some(Override::DryRun) => Answer::DryRun,
            Refusal::ProbeBusy => Answer::ProbeBusy,
            Refusal::Open => Answer::Open,
        };
        Next::Done(Acquired {
            answer,
            item: self.seen.clone(),
        })
    }
}

impl Procedure for Acquisition {
    type Answer = Acquired;

    fn begin(&mut self, now: Timestamp) -> Next<Acquired> {
        self.decide(now)
    }

    fn resume(&mut self, written: Written, now: Timestamp) -> Next<Acquired> {
        match written {
            Written::Applied(item) => Next::Done(Acquired {
                answer: Answer::Granted,
                item: item.into(),
            }),
            Written::Refused(item) => {
                self.seen = item.into();
                self.refusals += 1;
                self.decide(now)
            }
        }
    }
}
