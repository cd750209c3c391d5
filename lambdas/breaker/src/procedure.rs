//! A decision and what follows its write, without doing the write: whoever drives a procedure makes each write that it
//! asks for, in whatever way, and tells what it came to. Production drives it with a table, the model with every
//! interleaving.

use crate::clock::Timestamp;
use crate::update::{Update, Written};

/// What a procedure wants next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Next<A> {
    /// This write, and then to hear what it came to.
    Write(Update),
    /// Nothing more: the answer.
    Done(A),
}

/// A sequence of conditional updates of one item, each decided on what is known by then.
///
/// A write whose answer is lost ends a procedure: nothing is repeated blindly.
pub trait Procedure {
    /// What it comes to.
    type Answer;

    /// The first step.
    fn begin(&mut self, now: Timestamp) -> Next<Self::Answer>;

    /// The step after a write.
    fn resume(&mut self, written: Written, now: Timestamp) -> Next<Self::Answer>;
}
