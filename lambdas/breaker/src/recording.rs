//! Recording what came of a call: a failure is counted, and opens the circuit when it is one too many; a probe's result
//! closes it, opens it anew or gives the lease back. Everything else changes nothing.
//!
//! Each write is decided on the item handed on, and once more on the item that a refusal returns.

use crate::clock::Timestamp;
use crate::decision::{self, Failure, ProbeEffect, ProbeResult};
use crate::event::{Change, Transition};
use crate::item::Item;
use crate::policy::Policy;
use crate::procedure::{Next, Procedure};
use crate::update::Written;

/// One call, as far as the breaker is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The item that it went out under: the one read, or the one that the acquisition ended with.
    pub known: Item,
    /// The token, if it went out as the probe.
    pub token: Option<String>,
    /// When it went out.
    pub went_out: Timestamp,
    /// What came of it.
    pub verdict: Verdict,
}

/// What a call says about the partner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It works.
    Success,
    /// It does not.
    Failure(Failure),
    /// Nothing.
    Undecided,
}

/// What a recording came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recorded {
    /// There was nothing to record, or the circuit does not count.
    Nothing,
    /// A failure was counted.
    Counted,
    /// A failure was counted, and the circuit opened.
    Opened(Transition),
    /// The probe closed the circuit.
    Closed(Transition),
    /// The probe failed: the wait starts anew.
    Reopened(Transition),
    /// The probe succeeded, but more successes are needed.
    ProbeSucceeded,
    /// The lease was given back.
    Freed,
    /// Too late: the circuit is of another epoch by now, or the lease another's.
    Late,
}

impl Recorded {
    /// The one spelling, in the payload and in logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Counted => "counted",
            Self::Opened(_) => "opened",
            Self::Closed(_) => "closed",
            Self::Reopened(_) => "reopened",
            Self::ProbeSucceeded => "probe-succeeded",
            Self::Freed => "freed",
            Self::Late => "late",
        }
    }

    /// The transition that is announced, if this is one.
    pub fn transition(&self) -> Option<&Transition> {
        match self {
            Self::Opened(transition) | Self::Closed(transition) | Self::Reopened(transition) => Some(transition),
            _ => None,
        }
    }
}

/// The recording of one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recording {
    policy: Policy,
    call: Call,
    /// The item that the next decision is made on.
    seen: Item,
    stage: Stage,
    refused_before: bool,
}

/// What the write under way is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Counting a failure that was stamped with this time, once and for all.
    Counting(Timestamp),
    /// Opening, after the count was made.
    Opening,
    /// Writing a probe's result, with this effect.
    Concluding(ProbeEffect),
}

impl Recording {
    /// The recording of `call`.
    pub fn new(policy: Policy, call: Call) -> Self {
        // The stage is set by the first decision.
        Self {
            policy,
            seen: call.known.clone(),
            call,
            stage: Stage::Opening,
            refused_before: false,
        }
    }

    fn conclude(&mut self, token: &str, now: Timestamp) -> Next<Recorded> {
        let result = match self.call.verdict {
            Verdict::Success => ProbeResult::Succeeded,
            Verdict::Failure(_) => ProbeResult::Failed,
            Verdict::Undecided => ProbeResult::Undecided,
        };
        match decision::conclude(&self.policy, &self.seen, token, result, now) {
            Some((update, effect)) => {
                self.stage = Stage::Concluding(effect);
                Next::Write(update)
            }
            None => Next::Done(Recorded::Late),
        }
    }

    fn count(&mut self, failure: &Failure, at: Timestamp) -> Next<Recorded> {
        // A failure is of the epoch that its call went out under, or of none: it is never counted to another.
        if self.seen.epoch() != self.call.known.epoch() {
            return Next::Done(Recorded::Late);
        }
        match decision::count(&self.policy.trip, &self.seen, failure, self.call.went_out, at) {
            Some(update) => {
                self.stage = Stage::Counting(at);
                Next::Write(update)
            }
            None => Next::Done(Recorded::Nothing),
        }
    }

    fn open(&mut self, now: Timestamp) -> Next<Recorded> {
        let same_epoch = self.seen.epoch() == self.call.known.epoch();
        match decision::open(&self.policy, &self.seen, now).filter(|_| same_epoch) {
            Some(update) => {
                self.stage = Stage::Opening;
                Next::Write(update)
            }
            None => Next::Done(Recorded::Counted),
        }
    }

    fn applied(&mut self, item: Item, now: Timestamp) -> Next<Recorded> {
        let seen = std::mem::replace(&mut self.seen, item);
        let transition = |change, recorded: fn(Transition) -> Recorded| {
            Next::Done(recorded(Transition::between(
                &self.policy,
                change,
                &seen,
                &self.seen,
                now,
            )))
        };
        match self.stage {
            Stage::Counting(_) => {
                self.refused_before = false;
                self.open(now)
            }
            Stage::Opening => transition(Change::Opened, Recorded::Opened),
            Stage::Concluding(ProbeEffect::Closed) => transition(Change::Closed, Recorded::Closed),
            Stage::Concluding(ProbeEffect::Reopened) => transition(Change::Reopened, Recorded::Reopened),
            Stage::Concluding(ProbeEffect::Succeeded) => Next::Done(Recorded::ProbeSucceeded),
            Stage::Concluding(ProbeEffect::Freed) => Next::Done(Recorded::Freed),
        }
    }

    fn refused(&mut self, item: Item, now: Timestamp) -> Next<Recorded> {
        self.seen = item;
        if std::mem::replace(&mut self.refused_before, true) {
            return Next::Done(if self.stage == Stage::Opening {
                Recorded::Counted
            } else {
                Recorded::Late
            });
        }
        match self.stage {
            Stage::Counting(at) => self.decide(at),
            Stage::Opening => self.open(now),
            Stage::Concluding(_) => self.decide(now),
        }
    }

    fn decide(&mut self, now: Timestamp) -> Next<Recorded> {
        match (self.call.token.clone(), self.call.verdict.clone()) {
            (Some(token), _) => self.conclude(&token, now),
            (None, Verdict::Failure(failure)) => self.count(&failure, now),
            (None, _) => Next::Done(Recorded::Nothing),
        }
    }
}

impl Procedure for Recording {
    type Answer = Recorded;

    fn begin(&mut self, now: Timestamp) -> Next<Recorded> {
        self.decide(now)
    }

    fn resume(&mut self, written: Written, now: Timestamp) -> Next<Recorded> {
        match written {
            Written::Applied(item) => self.applied(item.into(), now),
            Written::Refused(item) => self.refused(item.into(), now),
        }
    }
}
