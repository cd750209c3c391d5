//! One line of events: the execution's own, or a branch's. Events on one line follow each other in AWS's history.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Where a line has got to. Shared with the state around a branch, which tells what was dropped when another failed.
#[derive(Debug)]
pub(super) struct Line {
    /// The event that the next one follows.
    last: AtomicU64,
    /// The index of the state that runs; [`NONE`](Self::NONE) between states.
    state: AtomicUsize,
}

impl Line {
    const NONE: usize = usize::MAX;

    /// A line that begins after this event.
    pub(super) fn after(event: u64) -> Self {
        Self {
            last: AtomicU64::new(event),
            state: AtomicUsize::new(Self::NONE),
        }
    }

    pub(super) fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    pub(super) fn follow(&self, event: u64) {
        self.last.store(event, Ordering::Relaxed);
    }

    pub(super) fn enter(&self, state: usize) {
        self.state.store(state, Ordering::Relaxed);
    }

    pub(super) fn leave(&self) {
        self.enter(Self::NONE);
    }

    /// The index of the state that runs.
    pub(super) fn state(&self) -> Option<usize> {
        Some(self.state.load(Ordering::Relaxed)).filter(|state| *state != Self::NONE)
    }
}
