//! What the workflow does with what it read: its Choice states, as functions. They decide nothing of the protocol: they
//! branch on the breaker's own readings. A test runs the shipped definition over the same inputs and compares.

use breaker::acquisition::Answer;
use breaker::clock::Timestamp;
use breaker::item::{Item, Override, State};
use breaker::recording::Verdict;

/// What follows the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// *Call Partner*, as a usual call.
    Call,
    /// *Acquire Probe Lease*.
    Acquire,
    /// An end without a call.
    FallBack,
}

/// From *Is Circuit Forced?* to *Is Circuit Open?*.
pub fn after_read(read: &Item, now: Timestamp) -> Route {
    let due = read.is_due(now);
    match (read.forced(now), read.state()) {
        (Some(Override::Open), _) => Route::FallBack,
        (Some(Override::Closed), _) | (_, State::Closed) => Route::Call,
        (_, State::Open) if due => Route::Acquire,
        (Some(Override::DryRun), State::Open) => Route::Call,
        (None, State::Open) => Route::FallBack,
    }
}

/// *Is Lease Ours?*: whether the partner is called. A granted lease makes the call the probe.
pub fn calls_after(answer: Answer) -> bool {
    matches!(answer, Answer::Granted | Answer::Closed | Answer::DryRun)
}

/// *Must Outcome Be Recorded?*, of an execution whose read did not fail.
pub fn must_be_recorded(is_probe: bool, verdict: &Verdict) -> bool {
    is_probe || matches!(verdict, Verdict::Failure(_))
}

/// How much earlier than its lease's end a probe must be able to finish, in milliseconds: clocks agree to a second. The
/// caller asks (`LEASE_SPARE_MS` of call-partner).
pub const LEASE_SPARE_MS: u64 = 1000;

/// Whether the caller starts the call of a probe: it ends before its lease does, by any clock that agrees to a second.
pub fn may_start(now: Timestamp, timeout_ms: u64, spare_ms: u64, until: Timestamp) -> bool {
    now.plus_ms(timeout_ms + spare_ms) < until
}
