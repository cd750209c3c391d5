//! One event as bytes, and back.

use std::time::Duration;

use serde_json::Value;
use states_language::{Event, EventIds, Observer, StateKind};
use time::OffsetDateTime;

use super::Log;
use super::flow::{Effect, Flow};
use super::payload::{self, Reader};

const EXECUTION_STARTED: u8 = 0;
const STATE_ENTERED: u8 = 1;
const CHOICE_TAKEN: u8 = 2;
const TASK_SCHEDULED: u8 = 3;
const TASK_STARTED: u8 = 4;
const TASK_SUCCEEDED: u8 = 5;
const TASK_FAILED: u8 = 6;
const TASK_TIMED_OUT: u8 = 7;
const RETRIED: u8 = 8;
const CAUGHT: u8 = 9;
const STATE_EXITED: u8 = 10;
const EXECUTION_SUCCEEDED: u8 = 11;
const EXECUTION_FAILED: u8 = 12;
const EXECUTION_TIMED_OUT: u8 = 13;
const PARALLEL_STARTED: u8 = 14;
const PARALLEL_SUCCEEDED: u8 = 15;
const PARALLEL_FAILED: u8 = 16;
const MAP_STARTED: u8 = 17;
const ITERATION_STARTED: u8 = 18;
const ITERATION_SUCCEEDED: u8 = 19;
const ITERATION_FAILED: u8 = 20;
const ITERATION_ABORTED: u8 = 21;
const MAP_SUCCEEDED: u8 = 22;
const MAP_FAILED: u8 = 23;
const STATE_ABORTED: u8 = 24;

/// The kinds of states; each is written as its place here.
const KINDS: [StateKind; 8] = [
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
const WHOLE: u8 = 0;
const SAME: u8 = 1;
const FIELD: u8 = 2;

/// Appends an event.
pub(super) fn write(log: &mut Log, flow: &Flow, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
    let mut entry = Writer {
        bytes: &mut log.bytes,
        at,
        ids,
    };
    let same_if = |same: bool| {
        if same { &Effect::Nothing } else { &Effect::Anything }
    };
    match *event {
        Event::ExecutionStarted { input, role_arn } => {
            entry
                .begin(EXECUTION_STARTED)
                .payload(input, &Effect::Anything)
                .text(role_arn);
        }
        Event::StateEntered { state, kind, input } => {
            let effect = same_if(flow.in_line);
            entry.begin(STATE_ENTERED).text(state).kind(kind).payload(input, effect);
        }
        Event::ChoiceTaken { state, rule, next } => {
            let rule = rule.map(|rule| rule as u64);
            entry.begin(CHOICE_TAKEN).text(state).optional(rule).text(next);
        }
        Event::TaskScheduled {
            state,
            resource,
            parameters,
            timeout,
            heartbeat,
        } => {
            let (timeout, heartbeat) = (timeout.map(milliseconds), heartbeat.map(milliseconds));
            entry.begin(TASK_SCHEDULED).text(state).text(resource);
            entry
                .payload(parameters, &Effect::Anything)
                .optional(timeout)
                .optional(heartbeat);
        }
        Event::TaskStarted { state, resource } => {
            entry.begin(TASK_STARTED).text(state).text(resource);
        }
        Event::TaskSucceeded {
            state,
            resource,
            output,
        } => {
            entry.begin(TASK_SUCCEEDED).text(state).text(resource);
            entry.payload(output, &Effect::Anything);
        }
        Event::TaskFailed {
            state,
            resource,
            error,
            cause,
        } => {
            entry.begin(TASK_FAILED).text(state).text(resource);
            entry.text(error).text(cause);
        }
        Event::TaskTimedOut {
            state,
            resource,
            error,
            cause,
        } => {
            entry.begin(TASK_TIMED_OUT).text(state).text(resource);
            entry.text(error).text(cause);
        }
        Event::Retried {
            state,
            retrier,
            error,
            cause,
            retry_count,
            wait,
        } => {
            entry.begin(RETRIED).text(state).count(retrier as u64).text(error);
            entry.text(cause).count(retry_count.into()).count(milliseconds(wait));
        }
        Event::Caught {
            state,
            catcher,
            error,
            cause,
            next,
        } => {
            entry.begin(CAUGHT).text(state).count(catcher as u64).text(error);
            entry.text(cause).text(next);
            log.catcher = Some(catcher);
        }
        Event::StateExited { state, kind, output } => {
            let effect = flow.effect(state, log.catcher.take());
            entry.begin(STATE_EXITED).text(state).kind(kind).payload(output, effect);
        }
        Event::ExecutionSucceeded { output } => {
            let effect = same_if(flow.in_line);
            entry.begin(EXECUTION_SUCCEEDED).payload(output, effect);
        }
        Event::ExecutionFailed { error, cause } => {
            entry.begin(EXECUTION_FAILED).text(error).text(cause);
        }
        Event::ExecutionTimedOut { error, cause } => {
            entry.begin(EXECUTION_TIMED_OUT).text(error).text(cause);
        }
        Event::ParallelStarted { state } => drop(entry.begin(PARALLEL_STARTED).text(state)),
        Event::ParallelSucceeded { state } => drop(entry.begin(PARALLEL_SUCCEEDED).text(state)),
        Event::ParallelFailed { state, error, cause } => {
            entry.begin(PARALLEL_FAILED).text(state).text(error).text(cause);
        }
        Event::MapStarted { state, length } => drop(entry.begin(MAP_STARTED).text(state).count(length as u64)),
        Event::IterationStarted { state, index } => entry.iteration(ITERATION_STARTED, state, index),
        Event::IterationSucceeded { state, index } => entry.iteration(ITERATION_SUCCEEDED, state, index),
        Event::IterationFailed { state, index } => entry.iteration(ITERATION_FAILED, state, index),
        Event::IterationAborted { state, index } => entry.iteration(ITERATION_ABORTED, state, index),
        Event::MapSucceeded { state } => drop(entry.begin(MAP_SUCCEEDED).text(state)),
        Event::MapFailed { state, error, cause } => {
            entry.begin(MAP_FAILED).text(state).text(error).text(cause);
        }
        Event::StateAborted { state, kind } => drop(entry.begin(STATE_ABORTED).text(state).kind(kind)),
        // An event that this engine does not tell.
        _ => {}
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    at: OffsetDateTime,
    ids: EventIds,
}

impl Writer<'_> {
    fn begin(&mut self, event: u8) -> &mut Self {
        // Until the year 2262.
        let nanoseconds = i64::try_from(self.at.unix_timestamp_nanos()).unwrap_or_default();
        self.bytes.push(event);
        self.bytes.extend_from_slice(&nanoseconds.to_le_bytes());
        let EventIds { id, previous_id } = self.ids;
        self.count(id).count(previous_id)
    }

    fn iteration(&mut self, event: u8, state: &str, index: usize) {
        self.begin(event).text(state).count(index as u64);
    }

    fn count(&mut self, count: u64) -> &mut Self {
        payload::write_count(count, self.bytes);
        self
    }

    fn optional(&mut self, count: Option<u64>) -> &mut Self {
        self.count(count.map_or(0, |count| count.saturating_add(1)))
    }

    fn text(&mut self, text: &str) -> &mut Self {
        payload::write_text(text, self.bytes);
        self
    }

    fn kind(&mut self, kind: StateKind) -> &mut Self {
        let place = KINDS.iter().position(|known| *known == kind).unwrap_or_default();
        self.count(place as u64)
    }

    fn payload(&mut self, value: &Value, effect: &Effect) -> &mut Self {
        match effect {
            Effect::Nothing => self.bytes.push(SAME),
            Effect::Field(name) if let Some(field) = value.get(name) => {
                self.bytes.push(FIELD);
                payload::write_text(name, self.bytes);
                payload::write(field, self.bytes);
            }
            Effect::Field(_) | Effect::Anything => {
                self.bytes.push(WHOLE);
                payload::write(value, self.bytes);
            }
        }
        self
    }
}

/// Tells every event to an observer, in its order.
pub(super) fn replay(bytes: &[u8], observer: &dyn Observer) {
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
            EXECUTION_STARTED => {
                value = self.flowing()?;
                let role_arn = self.text()?;
                Event::ExecutionStarted {
                    input: &value,
                    role_arn,
                }
            }
            STATE_ENTERED => {
                let (state, kind) = (self.text()?, self.kind()?);
                value = self.flowing()?;
                Event::StateEntered {
                    state,
                    kind,
                    input: &value,
                }
            }
            CHOICE_TAKEN => {
                let (state, rule, next) = (self.text()?, self.optional()?, self.text()?);
                let rule = rule.and_then(|rule| usize::try_from(rule).ok());
                Event::ChoiceTaken { state, rule, next }
            }
            TASK_SCHEDULED => {
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
            TASK_STARTED => {
                let (state, resource) = (self.text()?, self.text()?);
                Event::TaskStarted { state, resource }
            }
            TASK_SUCCEEDED => {
                let (state, resource) = (self.text()?, self.text()?);
                value = self.beside()?;
                Event::TaskSucceeded {
                    state,
                    resource,
                    output: &value,
                }
            }
            TASK_FAILED => {
                let (state, resource) = (self.text()?, self.text()?);
                let (error, cause) = (self.text()?, self.text()?);
                Event::TaskFailed {
                    state,
                    resource,
                    error,
                    cause,
                }
            }
            TASK_TIMED_OUT => {
                let (state, resource) = (self.text()?, self.text()?);
                let (error, cause) = (self.text()?, self.text()?);
                Event::TaskTimedOut {
                    state,
                    resource,
                    error,
                    cause,
                }
            }
            RETRIED => {
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
            CAUGHT => {
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
            STATE_EXITED => {
                let (state, kind) = (self.text()?, self.kind()?);
                value = self.flowing()?;
                Event::StateExited {
                    state,
                    kind,
                    output: &value,
                }
            }
            EXECUTION_SUCCEEDED => {
                value = self.flowing()?;
                Event::ExecutionSucceeded { output: &value }
            }
            EXECUTION_FAILED => {
                let (error, cause) = (self.text()?, self.text()?);
                Event::ExecutionFailed { error, cause }
            }
            EXECUTION_TIMED_OUT => {
                let (error, cause) = (self.text()?, self.text()?);
                Event::ExecutionTimedOut { error, cause }
            }
            PARALLEL_STARTED => Event::ParallelStarted { state: self.text()? },
            PARALLEL_SUCCEEDED => Event::ParallelSucceeded { state: self.text()? },
            PARALLEL_FAILED => {
                let (state, error, cause) = (self.text()?, self.text()?, self.text()?);
                Event::ParallelFailed { state, error, cause }
            }
            MAP_STARTED => {
                let (state, length) = (self.text()?, self.bytes.length()?);
                Event::MapStarted { state, length }
            }
            ITERATION_STARTED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationStarted { state, index }
            }
            ITERATION_SUCCEEDED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationSucceeded { state, index }
            }
            ITERATION_FAILED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationFailed { state, index }
            }
            ITERATION_ABORTED => {
                let (state, index) = (self.text()?, self.bytes.length()?);
                Event::IterationAborted { state, index }
            }
            MAP_SUCCEEDED => Event::MapSucceeded { state: self.text()? },
            MAP_FAILED => {
                let (state, error, cause) = (self.text()?, self.text()?, self.text()?);
                Event::MapFailed { state, error, cause }
            }
            STATE_ABORTED => {
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
        KINDS.get(self.bytes.length()?).copied()
    }

    /// A payload between states.
    fn flowing(&mut self) -> Option<Value> {
        match self.bytes.byte()? {
            SAME => {}
            FIELD => {
                let (name, field) = (self.text()?, self.bytes.value()?);
                self.last.as_object_mut()?.insert(name.to_owned(), field);
            }
            WHOLE => self.last = self.bytes.value()?,
            _ => return None,
        }
        Some(self.last.clone())
    }

    /// A payload beside them: what a Task is given, and what it gives.
    fn beside(&mut self) -> Option<Value> {
        (self.bytes.byte()? == WHOLE).then(|| self.bytes.value()).flatten()
    }
}
