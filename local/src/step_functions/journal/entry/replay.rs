//! Telling the events again that were written.

use std::time::Duration;

use serde_json::Value;
use states_language::{Event, EventIds, Observer, StateKind};
use time::OffsetDateTime;

use super::mark;
use crate::step_functions::journal::payload::Reader;

/// Tells every event to an observer, in its order.
pub(in crate::step_functions::journal) fn replay(bytes: &[u8], observer: &dyn Observer) {
    let mut events = Replay {
        bytes: Reader(bytes),
        last: Value::Null,
    };
    // What was written here can be read here, so this goes to the end.
    while events.tell(observer).is_some() {}
}

struct Replay<'a> {
    bytes: Reader<'a>,
    /// The payload that the last state began or ended with.
    last: Value,
}

impl<'a> Replay<'a> {
    fn tell(&mut self, observer: &dyn Observer) -> Option<()> {
        let event = self.bytes.byte()?;
        let nanoseconds = i64::from_le_bytes(self.bytes.bytes(8)?.try_into().ok()?);
        let at = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds.into()).ok()?;
        let ids = EventIds {
            id: self.bytes.count()?,
            previous_id: self.bytes.count()?,
        };
        let value;
        let event = match event {
            mark::EXECUTION_STARTED => {
                value = self.flowing()?;
                let role_arn = self.text()?;
                Event::ExecutionStarted {
                    input: &value,
                    role_arn,
                }
            }
            mark::STATE_ENTERED => {
                let (state, kind) = (self.text()?, self.kind()?);
                value = self.flowing()?;
                Event::StateEntered {
                    state,
                    kind,
                    input: &value,
                }
            }
            mark::CHOICE_TAKEN => {
                let (state, rule, next) = (self.text()?, self.optional()?, self.text()?);
                let rule = rule.and_then(|rule| usize::try_from(rule).ok());
                Event::ChoiceTaken { state, rule, next }
            }
            mark::TASK_SCHEDULED => {
                let (state, resource) = (self.text()?, self.text()?);
                value = self.beside()?;
                let timeout = self.optional()?.map(Duration::from_millis);
                let heartbeat = self.optional()?.map(Duration::from_millis);
                Event::TaskScheduled {
                    state,
                    resource,
                    parameters: &value,
                    timeout,
                    heartbeat,
                }
            }
            mark::TASK_STARTED => {
                let (state, resource) = (self.text()?, self.text()?);
                Event::TaskStarted { state, resource }
            }
            mark::TASK_SUCCEEDED => {
                let (state, resource) = (self.text()?, self.text()?);
                value = self.beside()?;
                Event::TaskSucceeded {
                    state,
                    resource,
                    output: &value,
                }
            }
            mark::TASK_FAILED => {
                let (state, resource) = (self.text()?, self.text()?);
                let (error, cause) = (self.text()?, self.text()?);
                Event::TaskFailed {
                    state,
                    resource,
                    error,
                    cause,
                }
            }
            mark::TASK_TIMED_OUT => {
                let (state, resource) = (self.text()?, self.text()?);
                let (error, cause) = (self.text()?, self.text()?);
                Event::TaskTimedOut {
                    state,
                    resource,
                    error,
                    cause,
                }
            }
            mark::RETRIED => {
                let (state, retrier, error) = (self.text()?, self.bytes.length()?, self.text()?);
                let (cause, retry_count) = (self.text()?, u32::try_from(self.bytes.count()?).ok()?);
                let wait = Duration::from_millis(self.bytes.count()?);
                Event::Retried {
                    state,
                    retrier,
                    error,
                    cause,
                    retry_count,
                    wait,
                }
            }
            mark::CAUGHT => {
                let (state, catcher, error) = (self.text()?, self.bytes.length()?, self.text()?);
                let (cause, next) = (self.text()?, self.text()?);
                Event::Caught {
                    state,
                    catcher,
                    error,
                    cause,
                    next,
                }
            }
            mark::STATE_EXITED => {
                let (state, kind) = (self.text()?, self.kind()?);
                value = self.flowing()?;
                Event::StateExited {
                    state,
                    kind,
                    output: &value,
                }
            }
            mark::EXECUTION_SUCCEEDED => {
                value = self.flowing()?;
                Event::ExecutionSucceeded { output: &value }
            }
            mark::EXECUTION_FAILED => {
                let (error, cause) = (self.text()?, self.text()?);
                Event::ExecutionFailed { error, cause }
            }
            mark::EXECUTION_TIMED_OUT => {
                let (error, cause) = (self.text()?, self.text()?);
                Event::ExecutionTimedOut { error, cause }
            }
            mark::PARALLEL_STARTED => Event::ParallelStarted { state: self.text()? },
            mark::PARALLEL_SUCCEEDED => Event::ParallelSucceeded { state: self.text()? },
            mark::PARALLEL_FAILED => {
                let (state, error, cause) = (self.text()?, self.text()?, self.text()?);
                Event::ParallelFailed { state, error, cause }
            }
            mark::MAP_STARTED => {
                let (state, length) = (self.text()?, self.bytes.length()?);
                Event::MapStarted { state, length }
            }
            mark::ITERATION_STARTED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationStarted { state, index }
            }
            mark::ITERATION_SUCCEEDED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationSucceeded { state, index }
            }
            mark::ITERATION_FAILED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationFailed { state, index }
            }
            mark::ITERATION_ABORTED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationAborted { state, index }
            }
            mark::MAP_SUCCEEDED => Event::MapSucceeded { state: self.text()? },
            mark::MAP_FAILED => {
                let (state, error, cause) = (self.text()?, self.text()?, self.text()?);
                Event::MapFailed { state, error, cause }
            }
            mark::STATE_ABORTED => {
                let (state, kind) = (self.text()?, self.kind()?);
                Event::StateAborted { state, kind }
            }
            _ => return None,
        };
        observer.event_with_ids(at, ids, &event);
        Some(())
    }

    fn text(&mut self) -> Option<&'a str> {
        self.bytes.text()
    }

    fn optional(&mut self) -> Option<Option<u64>> {
        self.bytes.count().map(|count| count.checked_sub(1))
    }

    fn kind(&mut self) -> Option<StateKind> {
        mark::KINDS.get(self.bytes.length()?).copied()
    }

    /// A payload between states.
    fn flowing(&mut self) -> Option<Value> {
        match self.bytes.byte()? {
            mark::SAME => {}
            mark::FIELD => {
                let (name, field) = (self.text()?, self.bytes.value()?);
                self.last.as_object_mut()?.insert(name.to_owned(), field);
            }
            mark::WHOLE => self.last = self.bytes.value()?,
            _ => return None,
        }
        Some(self.last.clone())
    }

    /// A payload beside them: what a Task is given, and what it gives.
    fn beside(&mut self) -> Option<Value> {
        (self.bytes.byte()? == mark::WHOLE)
            .then(|| self.bytes.value())
            .flatten()
    }
}
