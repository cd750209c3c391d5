//! AWS's execution history, made of what an [`Observer`] hears.
//!
//! A [`History`] is an observer: hand it to [`run`](crate::run()), alone or beside another one in a tuple, and take its
//! events when you want, also while the execution runs. They serialise to what `GetExecutionHistory` returns.
//!
//! ```
//! # use states_language::{Machine, NoObserver, Start, SystemClock, TaskError, TaskRequest, Tasks, run};
//! # struct Nothing;
//! # #[async_trait::async_trait]
//! # impl Tasks for Nothing {
//! #     async fn run(&self, _: TaskRequest<'_>) -> Result<serde_json::Value, TaskError> { Ok(().into()) }
//! # }
//! use states_language::history::History;
//! let machine = Machine::parse(r#"{"StartAt":"Done","States":{"Done":{"Type":"Succeed"}}}"#, &|_| true)?;
//! let history = History::new("local");
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! run(&machine, Start::default(), &Nothing, &SystemClock, &(&history, NoObserver)).await;
//! # });
//! let types: Vec<&str> = history.events().iter().map(|event| event.kind).collect();
//! assert_eq!(types, ["ExecutionStarted", "SucceedStateEntered", "SucceedStateExited", "ExecutionSucceeded"]);
//! # Ok::<(), states_language::InvalidDefinition>(())
//! ```
//!
//! # What AWS's histories look like
//!
//! The ids count all events; `previousEventId` follows each branch on its own. As in histories recorded on AWS, the
//! first state names no previous event (0), and the events that end an iteration or a successful Parallel or Map are
//! passed by: what comes next follows the last state's exit. Where nothing was recorded (a Parallel that is retried, an
//! execution that is stopped) it follows the last event of its line.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_GetExecutionHistory.html>

pub mod details;
mod event;
mod resource;

use std::sync::{Mutex, MutexGuard, PoisonError};

use time::OffsetDateTime;

pub use details::Details;
pub use event::HistoryEvent;

use crate::{Event, EventIds, Observer};
use resource::Resource;

/// Keeps the history of one execution.
#[derive(Debug)]
pub struct History {
    region: String,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    events: Vec<HistoryEvent>,
    /// Told of its end: what comes later, from an execution that is only being dropped, is not history.
    ended: bool,
}

impl History {
    /// An empty history. `region` is what `taskScheduledEventDetails` tells.
    pub fn new(region: impl Into<String>) -> Self {
        Self {
            region: region.into(),
            kept: Mutex::default(),
        }
    }

    /// The events so far, in the order of their ids.
    pub fn events(&self) -> Vec<HistoryEvent> {
        self.kept().events.clone()
    }

    /// The events so far, without a copy of them.
    pub fn with_events<T>(&self, read: impl FnOnce(&[HistoryEvent]) -> T) -> T {
        read(&self.kept().events)
    }

    /// Ends the history with `ExecutionAborted`, as `StopExecution` does; `error` and `cause` are the caller's, and may
    /// be empty. To be called when the future of [`run`](crate::run()) was dropped. Nothing happens after an end.
    ///
    /// Returns whether the history had no end yet.
    pub fn abort(&self, at: OffsetDateTime, error: &str, cause: &str) -> bool {
        let mut kept = self.kept();
        if kept.ended {
            return false;
        }
        let last = kept.events.last().map_or(0, |event| event.id);
        kept.push(HistoryEvent {
            timestamp: at,
            kind: "ExecutionAborted",
            id: last + 1,
            previous_event_id: last,
            details: Some(Details::ExecutionAborted(details::failed(error, cause))),
        });
        kept.ended = true;
        true
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn push(&mut self, event: HistoryEvent) {
        self.events.push(event);
    }
}

impl Observer for History {
    /// For whoever tells events without their ids: each follows the one before.
    fn event(&self, at: OffsetDateTime, event: &Event<'_>) {
        let last = self.kept().events.last().map_or(0, |event| event.id);
        let ids = EventIds {
            id: last + u64::from(event.is_in_history()),
            previous_id: last,
        };
        self.event_with_ids(at, ids, event);
    }

    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        let Some((kind, details)) = event::translate(event, &self.region) else {
            return;
        };
        let mut kept = self.kept();
        if kept.ended {
            return;
        }
        kept.ended = matches!(
            event,
            Event::ExecutionSucceeded { .. } | Event::ExecutionFailed { .. } | Event::ExecutionTimedOut { .. }
        );
        kept.push(HistoryEvent {
            timestamp: at,
            kind,
            id: ids.id,
            previous_event_id: ids.previous_id,
            details,
        });
    }
}
