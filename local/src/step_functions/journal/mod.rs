//! What happens in an execution: written down at once and briefly, read seldom.
//!
//! Executions are recorded on their own path, so writing must cost next to nothing: everything goes into one growing run of
//! bytes, without an allocation per event. A payload is told in full wherever a state begins and ends, but most of it is what
//! it was before: what its definition says that a state changes is written, and nothing else ([`Flow`]). Only when somebody
//! asks for the history are events made of it again.

mod entry;
mod flow;
mod payload;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use states_language::{Event, EventIds, Observer};
use time::OffsetDateTime;

use super::machine::Created;
pub(super) use flow::Flow;

/// The most events of a STANDARD execution's history, its end included; no more are recorded of an EXPRESS one either
/// (<https://docs.aws.amazon.com/step-functions/latest/dg/bp-history-limit.html>).
pub(super) const EVENTS: u64 = 25_000;
/// How many bytes one execution records before only its end is.
const BYTES: usize = 16 * 1024 * 1024;
/// How many bytes are set aside from the start, if an earlier execution needed them, and are handed on from one that is
/// forgotten to one that begins.
const USUAL_BYTES: usize = 8 * 1024;

/// What a machine's executions hand on to each other, so that recording one seldom asks for memory.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    /// How many bytes the record of an execution took at most.
    usual: AtomicUsize,
    /// The memory of one that is forgotten.
    spare: Mutex<Vec<u8>>,
}

impl Legacy {
    fn take(&self) -> Vec<u8> {
        let spare = std::mem::take(&mut *self.spare());
        if spare.capacity() > 0 {
            return spare;
        }
        Vec::with_capacity(self.usual.load(Ordering::Relaxed))
    }

    fn leave(&self, mut bytes: Vec<u8>) {
        if (1..=USUAL_BYTES).contains(&bytes.capacity()) {
            bytes.clear();
            *self.spare() = bytes;
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<u8>> {
        // Nothing under this lock can leave it half changed.
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The record of one execution.
#[derive(Debug)]
pub(super) struct Journal {
    machine: Arc<Created>,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    bytes: Vec<u8>,
    /// The catcher by which the state under way will end.
    catcher: Option<usize>,
    /// Whether something was not recorded.
    incomplete: bool,
}

impl Journal {
    pub(super) fn new(machine: &Arc<Created>) -> Self {
        let log = Log {
            bytes: machine.legacy.take(),
            ..Log::default()
        };
        Self {
            machine: Arc::clone(machine),
            log: Mutex::new(log),
        }
    }

    /// Tells everything that was recorded to another observer.
    pub(super) fn replay(&self, observer: &dyn Observer) {
        // The execution may go on meanwhile.
        let bytes = self.log().bytes.clone();
        entry::replay(&bytes, observer);
    }

    /// Nothing follows.
    pub(super) fn close(&self) {
        let mut log = self.log();
        let length = log.bytes.len();
        let capacity = log.bytes.capacity();
        if capacity > USUAL_BYTES && length < capacity / 2 {
            log.bytes.shrink_to_fit();
        }
        let usual = &self.machine.legacy.usual;
        if length > usual.load(Ordering::Relaxed) {
            usual.store(length.min(USUAL_BYTES), Ordering::Relaxed);
        }
    }

    /// How many bytes it holds.
    pub(super) fn size(&self) -> usize {
        self.log().bytes.len()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        // Nothing under this lock can leave it half changed.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.log().bytes);
        self.machine.legacy.leave(bytes);
    }
}

impl Observer for Journal {
    /// Without ids it is no event that the engine tells.
    fn event(&self, _at: OffsetDateTime, _event: &Event<'_>) {}

    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        let is_end = matches!(
            event,
            Event::ExecutionSucceeded { .. } | Event::ExecutionFailed { .. } | Event::ExecutionTimedOut { .. }
        );
        let mut log = self.log();
        log.incomplete |= log.bytes.len() >= BYTES || (ids.id >= EVENTS && !is_end);
        if !log.incomplete {
            entry::write(&mut log, &self.machine.flow, at, ids, event);
        } else if is_end {
            // The engine only notices that the history is full when the next state begins; on AWS the end is always the
            // last event that there is room for. The payload before it may not have been recorded.
            let ids = match ids.id {
                ..=EVENTS => ids,
                _ => EventIds {
                    id: EVENTS,
                    previous_id: EVENTS - 1,
                },
            };
            entry::write(&mut log, &Flow::default(), at, ids, event);
        }
    }
}

#[cfg(test)]
mod tests;
