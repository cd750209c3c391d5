//! The steps that a state may take. Read and write are separate steps, and each write is one.

use crate::scenario::Command;

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// The partner works.
    Success,
    /// It does not.
    Failure,
    /// Nobody knows.
    Undecided,
}

/// One step. Whoever it is stands at `slot`; `ahead_ms` is how much the clock that it reads is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Time goes on.
    Tick,
    /// An execution begins: it reads the item, so many versions old, and branches on it.
    Read {
        /// Who.
        slot: usize,
        /// How stale.
        age: usize,
        /// By which clock.
        ahead_ms: u64,
    },
    /// The caller of a probe starts the call, or finds that it is too late.
    ProbeStarts {
        /// Who.
        slot: usize,
        /// By which clock.
        ahead_ms: u64,
    },
    /// A call ends, and its recorder stamps what it records.
    CallEnds {
        /// Who.
        slot: usize,
        /// How.
        ends: Ends,
        /// By which clock.
        ahead_ms: u64,
    },
    /// The table gets a write, and its writer decides what follows, if the answer is heard.
    Write {
        /// Who.
        slot: usize,
        /// Whether the answer is heard.
        heard: bool,
        /// By which clock the writer goes on.
        ahead_ms: u64,
    },
    /// An execution ends without a word.
    Die {
        /// Who.
        slot: usize,
    },
    /// A person is shown the item.
    Show,
    /// The person writes.
    Command(Command),
    /// Somebody edits the current slice by hand.
    Edit,
    /// Long after everybody is gone, DynamoDB deletes the item.
    Expire,
    /// The storm is over: the partner is healthy, no override is left and nothing fails any more.
    Calm,
}
