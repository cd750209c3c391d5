//! Appending an event.

use std::time::Duration;

use serde_json::Value;
use states_language::{Event, EventIds, StateKind};
use time::OffsetDateTime;

use super::mark;
use crate::step_functions::journal::Log;
use crate::step_functions::journal::flow::{Effect, Flow};
use crate::step_functions::journal::payload;

/// Appends an event.
pub(in crate::step_functions::journal) fn write(
    log: &mut Log,
    flow: &Flow,
    at: OffsetDateTime,
    ids: EventIds,
    event: &Event<'_>,
) {
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
                .begin(mark::EXECUTION_STARTED)
                .payload(input, &Effect::Anything)
                .text(role_arn);
        }
        Event::StateEntered { state, kind, input } => {
            let effect = same_if(flow.in_line);
            entry
                .begin(mark::STATE_ENTERED)
                .text(state)
                .kind(kind)
                .payload(input, effect);
        }
        Event::ChoiceTaken { state, rule, next } => {
            let rule = rule.map(|rule| rule as u64);
            entry.begin(mark::CHOICE_TAKEN).text(state).optional(rule).text(next);
        }
        Event::TaskScheduled {
            state,
            resource,
            parameters,
            timeout,
            heartbeat,
        } => {
            let (timeout, heartbeat) = (timeout.map(milliseconds), heartbeat.map(milliseconds));
            entry.begin(mark::TASK_SCHEDULED).text(state).text(resource);
            entry
                .payload(parameters, &Effect::Anything)
                .optional(timeout)
                .optional(heartbeat);
        }
        Event::TaskStarted { state, resource } => {
            entry.begin(mark::TASK_STARTED).text(state).text(resource);
        }
        Event::TaskSucceeded {
            state,
            resource,
            output,
        } => {
            entry.begin(mark::TASK_SUCCEEDED).text(state).text(resource);
            entry.payload(output, &Effect::Anything);
        }
        Event::TaskFailed {
            state,
            resource,
            error,
            cause,
        } => {
            entry.begin(mark::TASK_FAILED).text(state).text(resource);
            entry.text(error).text(cause);
        }
        Event::TaskTimedOut {
            state,
            resource,
            error,
            cause,
        } => {
            entry.begin(mark::TASK_TIMED_OUT).text(state).text(resource);
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
            entry.begin(mark::RETRIED).text(state).count(retrier as u64).text(error);
            entry.text(cause).count(retry_count.into()).count(milliseconds(wait));
        }
        Event::Caught {
            state,
            catcher,
            error,
            cause,
            next,
        } => {
            entry.begin(mark::CAUGHT).text(state).count(catcher as u64).text(error);
            entry.text(cause).text(next);
            log.catcher = Some(catcher);
        }
        Event::StateExited { state, kind, output } => {
            let effect = flow.effect(state, log.catcher.take());
            entry
                .begin(mark::STATE_EXITED)
                .text(state)
                .kind(kind)
                .payload(output, effect);
        }
        Event::ExecutionSucceeded { output } => {
            let effect = same_if(flow.in_line);
            entry.begin(mark::EXECUTION_SUCCEEDED).payload(output, effect);
        }
        Event::ExecutionFailed { error, cause } => {
            entry.begin(mark::EXECUTION_FAILED).text(error).text(cause);
        }
        Event::ExecutionTimedOut { error, cause } => {
            entry.begin(mark::EXECUTION_TIMED_OUT).text(error).text(cause);
        }
        Event::ParallelStarted { state } => drop(entry.begin(mark::PARALLEL_STARTED).text(state)),
        Event::ParallelSucceeded { state } => drop(entry.begin(mark::PARALLEL_SUCCEEDED).text(state)),
        Event::ParallelFailed { state, error, cause } => {
            entry.begin(mark::PARALLEL_FAILED).text(state).text(error).text(cause);
        }
        Event::MapStarted { state, length } => drop(entry.begin(mark::MAP_STARTED).text(state).count(length as u64)),
        Event::IterationStarted { state, index } => entry.iteration(mark::ITERATION_STARTED, state, index),
        Event::IterationSucceeded { state, index } => entry.iteration(mark::ITERATION_SUCCEEDED, state, index),
        Event::IterationFailed { state, index } => entry.iteration(mark::ITERATION_FAILED, state, index),
        Event::IterationAborted { state, index } => entry.iteration(mark::ITERATION_ABORTED, state, index),
        Event::MapSucceeded { state } => drop(entry.begin(mark::MAP_SUCCEEDED).text(state)),
        Event::MapFailed { state, error, cause } => {
            entry.begin(mark::MAP_FAILED).text(state).text(error).text(cause);
        }
        Event::StateAborted { state, kind } => drop(entry.begin(mark::STATE_ABORTED).text(state).kind(kind)),
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
        let place = mark::KINDS.iter().position(|known| *known == kind).unwrap_or_default();
        self.count(place as u64)
    }

    fn payload(&mut self, value: &Value, effect: &Effect) -> &mut Self {
        match effect {
            Effect::Nothing => self.bytes.push(mark::SAME),
            Effect::Field(name) if let Some(field) = value.get(name) => {
                self.bytes.push(mark::FIELD);
                payload::write_text(name, self.bytes);
                payload::write(field, self.bytes);
            }
            Effect::Field(_) | Effect::Anything => {
                self.bytes.push(mark::WHOLE);
                payload::write(value, self.bytes);
            }
        }
        self
    }
}
