//! A clock that only tests move, tasks that do as they are told, and an observer that writes down what it hears.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use states_language::{Clock, Event, Machine, Observer, Outcome, Start, TaskError, TaskRequest, Tasks, run};
use time::OffsetDateTime;

/// Tokio's paused time, begun at a time of day that the cases can name.
pub struct PausedClock {
    begun: tokio::time::Instant,
}

/// `2024-05-01T12:00:00.007Z`.
pub const EPOCH_MS: i128 = 1_714_564_800_007;

impl PausedClock {
    pub fn new() -> Self {
        Self {
            begun: tokio::time::Instant::now(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

#[async_trait]
impl Clock for PausedClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(EPOCH_MS * 1_000_000).unwrap() + self.elapsed()
    }

    async fn sleep(&self, for_: Duration) {
        tokio::time::sleep(for_).await;
    }
}

/// What one attempt does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Act {
    pub result: Value,
    pub error: Option<String>,
    pub cause: String,
    pub hangs: bool,
    pub after_ms: u64,
}

/// Attempts in order.
pub struct Script {
    acts: Mutex<VecDeque<Act>>,
    calls: Mutex<Vec<Value>>,
}

impl Script {
    pub fn new(acts: Vec<Act>) -> Self {
        Self {
            acts: Mutex::new(acts.into()),
            calls: Mutex::default(),
        }
    }

    pub fn left(&self) -> usize {
        self.acts.lock().unwrap().len()
    }

    pub fn calls(&self) -> Vec<Value> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Tasks for Script {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        self.calls.lock().unwrap().push(task.parameters);
        let act = self
            .acts
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| panic!("an unscripted attempt of {}", task.state));
        if act.hangs {
            std::future::pending::<()>().await;
        }
        if act.after_ms > 0 {
            tokio::time::sleep(Duration::from_millis(act.after_ms)).await;
        }
        act.error
            .map_or(Ok(act.result), |error| Err(TaskError::new(error, act.cause)))
    }
}

/// Each event as text, and the states entered.
#[derive(Default)]
pub struct Recorder {
    events: Mutex<Vec<String>>,
    entered: Mutex<Vec<String>>,
}

impl Recorder {
    pub fn events(&self) -> Vec<String> {
        self.events.lock().unwrap().clone()
    }

    pub fn entered(&self) -> Vec<String> {
        self.entered.lock().unwrap().clone()
    }
}

impl Observer for Recorder {
    fn event(&self, at: OffsetDateTime, event: &Event<'_>) {
        if let Event::StateEntered { state, .. } = event {
            self.entered.lock().unwrap().push((*state).to_owned());
        }
        let at_ms = at.unix_timestamp_nanos() / 1_000_000 - EPOCH_MS;
        self.events.lock().unwrap().push(format!("{at_ms} {event:?}"));
    }
}

/// Runs a definition by the paused clock; also says how long it took by it.
pub async fn execute(
    definition: &str,
    start: Start,
    tasks: &dyn Tasks,
    observer: &dyn Observer,
) -> (Outcome, Duration) {
    let machine = Machine::parse(definition, &|_| true).unwrap_or_else(|invalid| panic!("{invalid}"));
    let clock = PausedClock::new();
    let outcome = run(&machine, start, tasks, &clock, observer).await;
    (outcome, clock.elapsed())
}

/// An attempt that gives this result at once.
pub fn result(result: Value) -> Act {
    Act {
        result,
        ..Act::default()
    }
}

/// The error and cause of an execution that failed.
pub fn failed(outcome: Outcome) -> (String, String) {
    match outcome {
        Outcome::Failed { error, cause } => (error, cause),
        other => panic!("expected a failure, not {other:?}"),
    }
}
