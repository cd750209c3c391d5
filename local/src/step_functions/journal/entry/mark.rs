//! The bytes that say what follows them. They live no longer than the process, so their values mean nothing elsewhere.

use states_language::StateKind;

pub(super) const EXECUTION_STARTED: u8 = 0;
pub(super) const STATE_ENTERED: u8 = 1;
pub(super) const CHOICE_TAKEN: u8 = 2;
pub(super) const TASK_SCHEDULED: u8 = 3;
pub(super) const TASK_STARTED: u8 = 4;
pub(super) const TASK_SUCCEEDED: u8 = 5;
pub(super) const TASK_FAILED: u8 = 6;
pub(super) const TASK_TIMED_OUT: u8 = 7;
pub(super) const RETRIED: u8 = 8;
pub(super) const CAUGHT: u8 = 9;
pub(super) const STATE_EXITED: u8 = 10;
pub(super) const EXECUTION_SUCCEEDED: u8 = 11;
pub(super) const EXECUTION_FAILED: u8 = 12;
pub(super) const EXECUTION_TIMED_OUT: u8 = 13;
pub(super) const PARALLEL_STARTED: u8 = 14;
pub(super) const PARALLEL_SUCCEEDED: u8 = 15;
pub(super) const PARALLEL_FAILED: u8 = 16;
pub(super) const MAP_STARTED: u8 = 17;
pub(super) const ITERATION_STARTED: u8 = 18;
pub(super) const ITERATION_SUCCEEDED: u8 = 19;
pub(super) const ITERATION_FAILED: u8 = 20;
pub(super) const ITERATION_ABORTED: u8 = 21;
pub(super) const MAP_SUCCEEDED: u8 = 22;
pub(super) const MAP_FAILED: u8 = 23;
pub(super) const STATE_ABORTED: u8 = 24;

/// The kinds of states; each is written as its place here.
pub(super) const KINDS: [StateKind; 8] = [
    StateKind::Pass,
    StateKind::Task,
    StateKind::Choice,
    StateKind::Wait,
    StateKind::Parallel,
    StateKind::Map,
    StateKind::Succeed,
    StateKind::Fail,
];

/// How a payload is written: in full, not at all, or one field of it.
pub(super) const WHOLE: u8 = 0;
pub(super) const SAME: u8 = 1;
pub(super) const FIELD: u8 = 2;
