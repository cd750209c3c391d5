//! Every decision of the protocol, as a pure function of the item seen (`protocol.md`, *Decisions*).
//!
//! Each gives an [`Update`] that is conditional on the epoch that it was decided on: **one fence**. So what is decided
//! holds for exactly the item that was seen, and a writer that comes too late is refused by the table, not by a check
//! that may be stale. All updates but a count begin a new epoch.

use crate::attribute::{Attribute, Attributes};
use crate::clock::Timestamp;
use crate::item::{Item, Override, State, name};
use crate::policy::{Policy, Trip};
use crate::update::{Assignment, Update};
use crate::window;

/// How long an item outlives its last write, at least, in milliseconds: seven days.
const KEPT_MS: u64 = 7 * 24 * 3600 * 1000;

/// What is stored of a failure. Never the partner's content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// What kind of failure, one word of ours: `timeout`, `connect`, …
    pub kind: String,
    /// A short sentence of ours.
    pub message: String,
}

/// Why a probe's lease was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// A person has forced the circuit open.
    ForcedOpen,
    /// The circuit is closed, or forced closed: the call goes out as a normal one.
    Closed,
    /// The lease is ours already: an earlier answer got lost.
    AlreadyOurs,
    /// Another execution's probe is out.
    ProbeBusy,
    /// The circuit is open, and its wait is not over.
    Open,
}

/// What a probe found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeResult {
    /// The partner works.
    Succeeded,
    /// It does not.
    Failed,
    /// Nothing: our own fault, or there was no time left to start.
    Undecided,
}

/// What is written when a probe's result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeEffect {
    /// The circuit closes.
    Closed,
    /// One success of the several that it takes.
    Succeeded,
    /// The wait starts anew.
    Reopened,
    /// The lease is given back, and the next execution may probe at once.
    Freed,
}

/// Counts a failure of a call that went out under `seen`, at the time of its recorder's stamp; none where the circuit
/// counts nothing: it is open, or was forced closed when the call went out.
///
/// The only write that begins no new epoch: counts of one epoch add up, whoever writes them.
pub fn count(trip: &Trip, seen: &Item, failure: &Failure, went_out: Timestamp, at: Timestamp) -> Option<Update> {
    if seen.state() != State::Closed || seen.forced(went_out) == Some(Override::Closed) {
        return None;
    }
    let (slice_can_be_counted, counted) = window::count(trip, seen, at);
    let mut assignments = vec![
        counted,
        set(name::FAILING_UNTIL, Attribute::string(at.plus_ms(trip.window_ms))),
        set(name::LAST_FAILURE, last_failure(failure, at)),
    ];
    assignments.extend(window::remove_old(trip, seen, at));
    assignments.extend(keep(seen, at));
    Some(Update {
        conditions: vec![seen.same_epoch(), slice_can_be_counted],
        assignments,
        repeatable: false,
    })
}

/// Opens the circuit, where the item that a count left holds enough failures; none where it doesn't.
pub fn open(policy: &Policy, counted: &Item, now: Timestamp) -> Option<Update> {
    if counted.state() != State::Closed || window::failures(counted) < u64::from(policy.trip.failures) {
        return None;
    }
    let until = now.plus_ms(policy.open.for_ms);
    let mut assignments = vec![
        set(name::STATE, Attribute::string(State::Open.as_str())),
        set(name::OPENINGS, Attribute::number(counted.openings() + 1)),
        set(name::OPEN_UNTIL, Attribute::string(until)),
        set(name::PROBE_SUCCESSES, Attribute::number(0)),
        // No closed circuit has a probe out. One on a malformed item would make an open circuit look as if it were probed.
        Assignment::Remove(name::PROBE_TOKEN.to_owned()),
    ];
    assignments.extend(window::remove_all(counted));
    Some(new_epoch(counted, now, until, assignments))
}

/// Grants the probe's lease to the execution of `token`, by pushing the gate one lease ahead.
///
/// # Errors
/// The [`Refusal`] where it is not granted.
pub fn grant(policy: &Policy, seen: &Item, token: &str, now: Timestamp) -> Result<Update, Refusal> {
    let refused = refuse(seen, token, now);
    let may_be_granted = matches!(refused, Refusal::AlreadyOurs | Refusal::ProbeBusy | Refusal::Open);
    if !may_be_granted || !seen.is_due(now) {
        return Err(refused);
    }
    let until = now.plus_ms(policy.probe.lease_ms);
    let mut assignments = vec![
        set(name::PROBE_TOKEN, Attribute::string(token)),
        set(name::OPEN_UNTIL, Attribute::string(until)),
    ];
    // Another's lease ran out: that probe is lost, which counts like a failed one.
    if seen.probe_token().is_some_and(|other| other != token) {
        assignments.push(set(name::OPENINGS, Attribute::number(seen.openings() + 1)));
        assignments.push(set(name::PROBE_SUCCESSES, Attribute::number(0)));
    }
    // A repeat finds our own token, so that it takes nothing from anybody.
    Ok(Update {
        repeatable: true,
        ..new_epoch(seen, now, until, assignments)
    })
}

/// Why the lease is not granted on this item, whether its wait is over or not.
pub fn refuse(seen: &Item, token: &str, now: Timestamp) -> Refusal {
    match (seen.forced(now), seen.state(), seen.probe_token()) {
        (Some(Override::Open), ..) => Refusal::ForcedOpen,
        (Some(Override::Closed), ..) | (_, State::Closed, _) => Refusal::Closed,
        (_, State::Open, Some(holder)) if holder == token => Refusal::AlreadyOurs,
        (_, State::Open, Some(_)) => Refusal::ProbeBusy,
        (_, State::Open, None) => Refusal::Open,
    }
}

/// Writes what the probe of `token` found out; none where the lease is no longer its own: taken by another execution,
/// or reset by a person. A lease that ran out but was not taken still counts.
pub fn conclude(
    policy: &Policy,
    seen: &Item,
    token: &str,
    result: ProbeResult,
    now: Timestamp,
) -> Option<(Update, ProbeEffect)> {
    if seen.state() != State::Open || seen.probe_token() != Some(token) {
        return None;
    }
    let mut assignments = vec![Assignment::Remove(name::PROBE_TOKEN.to_owned())];
    let mut gate = |until: Timestamp| assignments.push(set(name::OPEN_UNTIL, Attribute::string(until)));
    let successes = seen.probe_successes() + 1;
    let (effect, until) = match result {
        ProbeResult::Succeeded if successes >= u64::from(policy.probe.successes_to_close) => {
            assignments.push(set(name::STATE, Attribute::string(State::Closed.as_str())));
            assignments.extend(closing());
            assignments.extend(window::remove_all(seen));
            (ProbeEffect::Closed, now)
        }
        ProbeResult::Succeeded => {
            gate(now);
            assignments.push(set(name::PROBE_SUCCESSES, Attribute::number(successes)));
            (ProbeEffect::Succeeded, now)
        }
        ProbeResult::Failed => {
            let until = now.plus_ms(policy.open.for_ms);
            gate(until);
            assignments.push(set(name::OPENINGS, Attribute::number(seen.openings() + 1)));
            assignments.push(set(name::PROBE_SUCCESSES, Attribute::number(0)));
            (ProbeEffect::Reopened, until)
        }
        ProbeResult::Undecided => {
            gate(now);
            (ProbeEffect::Freed, now)
        }
    };
    Some((new_epoch(seen, now, until, assignments), effect))
}

/// An override that a person sets, on the item shown to that person.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Forcing {
    /// What is forced.
    pub kind: Override,
    /// When it ends by itself, if it does.
    pub until: Option<Timestamp>,
    /// Who sets it.
    pub by: String,
    /// Why, if they say.
    pub reason: Option<String>,
}

/// Sets a person's override. The item does not expire while it has one.
pub fn force(shown: &Item, forcing: &Forcing, now: Timestamp) -> Update {
    let optional = |name: &str, value: Option<Attribute>| match value {
        Some(value) => set(name, value),
        None => Assignment::Remove(name.to_owned()),
    };
    let assignments = vec![
        set(name::OVERRIDE, Attribute::string(forcing.kind.as_str())),
        optional(name::OVERRIDE_UNTIL, forcing.until.map(Attribute::string)),
        set(name::OVERRIDE_BY, Attribute::string(&forcing.by)),
        optional(name::OVERRIDE_REASON, forcing.reason.as_ref().map(Attribute::string)),
        Assignment::Remove(name::EXPIRES_AT.to_owned()),
    ];
    begin_epoch(shown, now, assignments)
}

/// Lifts a person's override: whatever is stored besides goes on.
pub fn lift(shown: &Item, now: Timestamp) -> Update {
    let names = [
        name::OVERRIDE,
        name::OVERRIDE_UNTIL,
        name::OVERRIDE_BY,
        name::OVERRIDE_REASON,
    ];
    let mut assignments: Vec<_> = names.map(|name| Assignment::Remove(name.to_owned())).into();
    let lasts_until = shown.open_until().unwrap_or(now).max(now);
    assignments.push(expires(lasts_until));
    begin_epoch(shown, now, assignments)
}

/// Closes the circuit and forgets what led to its state, failures that were counted since the item was shown included.
/// An override stays.
pub fn reset(trip: &Trip, shown: &Item, now: Timestamp) -> Update {
    let mut assignments = vec![
        set(name::STATE, Attribute::string(State::Closed.as_str())),
        Assignment::Remove(name::PROBE_TOKEN.to_owned()),
    ];
    assignments.extend(closing());
    assignments.extend(window::remove_all_by(trip, shown, now));
    new_epoch(shown, now, now, assignments)
}

/// What is removed when a circuit closes; token, state and slices are the caller's.
fn closing() -> [Assignment; 3] {
    [name::OPENINGS, name::OPEN_UNTIL, name::PROBE_SUCCESSES].map(|name| Assignment::Remove(name.to_owned()))
}

/// An automatic write that begins a new epoch and keeps the item for as long as anybody may wait for it.
fn new_epoch(seen: &Item, now: Timestamp, until: Timestamp, mut assignments: Vec<Assignment>) -> Update {
    assignments.extend(keep(seen, until));
    begin_epoch(seen, now, assignments)
}

/// The fence: only on the epoch that was seen, and a new one from then on. It is the time, or the old one and 1 where
/// clocks disagree, so that an epoch never comes again, not even after the item was deleted.
fn begin_epoch(seen: &Item, now: Timestamp, mut assignments: Vec<Assignment>) -> Update {
    let epoch = (seen.epoch() + 1).max(now.as_ms());
    assignments.push(set(name::EPOCH, Attribute::number(epoch)));
    assignments.push(set(name::CHANGED_AT, Attribute::string(now)));
    Update {
        conditions: vec![seen.same_epoch()],
        assignments,
        repeatable: false,
    }
}

/// Moves the item's expiry, unless a person's override is on it.
fn keep(seen: &Item, until: Timestamp) -> Option<Assignment> {
    (!seen.has_override()).then(|| expires(until))
}

fn expires(until: Timestamp) -> Assignment {
    // One second more, because whole seconds are rounded down.
    set(name::EXPIRES_AT, Attribute::number(until.plus_ms(KEPT_MS).as_s() + 1))
}

fn last_failure(failure: &Failure, at: Timestamp) -> Attribute {
    Attribute::M(Attributes::from([
        ("at".to_owned(), Attribute::string(at)),
        ("kind".to_owned(), Attribute::string(&failure.kind)),
        ("message".to_owned(), Attribute::string(&failure.message)),
    ]))
}

fn set(name: &str, value: Attribute) -> Assignment {
    Assignment::Set(name.to_owned(), value)
}
