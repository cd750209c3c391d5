//! Transitions per second of chains of Pass, Choice and Task states, the best of several rounds, with nobody listening,
//! with an observer that does nothing with what it hears, and with a history:
//! `cargo run -p states-language --example speed`.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use states_language::history::History;
use states_language::{
    Event, Machine, NoObserver, Observer, Outcome, Start, SystemClock, TaskError, TaskRequest, Tasks, run,
};
use time::OffsetDateTime;

/// How many states a chain has.
const STATES: u32 = 100;
/// How many executions make a round.
const EXECUTIONS: u32 = 500;
/// The best round counts: what else this machine does only ever makes one slower.
const ROUNDS: u32 = 15;

/// Gives back what it is given.
struct Echo;

#[async_trait]
impl Tasks for Echo {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        Ok(task.parameters)
    }
}

/// Hears everything and does nothing.
struct Idle;

impl Observer for Idle {
    fn event(&self, _at: OffsetDateTime, _event: &Event<'_>) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("per second  unobserved    observed     history");
    for (name, state) in [
        ("Pass", pass as fn(&str) -> Value),
        ("Choice", choice as fn(&str) -> Value),
        ("Task", task as fn(&str) -> Value),
    ] {
        let machine = Machine::parse(&chain(state), &|_| true)?;
        let nobody = best(&machine, || NoObserver)?;
        let idle = best(&machine, || Idle)?;
        let history = best(&machine, || History::new("local"))?;
        println!("{name:<8}{nobody:>12.0}{idle:>12.0}{history:>12.0}");
    }
    Ok(())
}

fn pass(next: &str) -> Value {
    json!({ "Type": "Pass", "Parameters": { "n.$": "$.n", "x": 1 }, "ResultPath": "$.r", "Next": next })
}

fn choice(next: &str) -> Value {
    let rules = json!([
        { "Variable": "$.n", "NumericLessThan": 0, "Next": "End" },
        { "And": [
            { "Variable": "$.text", "IsPresent": true },
            { "Variable": "$.text", "StringMatches": "a*z" },
        ], "Next": next },
    ]);
    json!({ "Type": "Choice", "Choices": rules, "Default": "End" })
}

fn task(next: &str) -> Value {
    json!({
        "Type": "Task", "Resource": "echo", "Parameters": { "n.$": "$.n" }, "ResultSelector": { "n.$": "$.n" },
        "ResultPath": "$.r", "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "End" }], "Next": next,
    })
}

fn chain(state: fn(&str) -> Value) -> String {
    let mut states: Map<String, Value> = (0..STATES)
        .map(|number| (format!("S{number}"), state(&format!("S{}", number + 1))))
        .collect();
    states.insert(format!("S{STATES}"), json!({ "Type": "Pass", "Next": "End" }));
    states.insert("End".to_owned(), json!({ "Type": "Succeed" }));
    json!({ "StartAt": "S0", "States": states }).to_string()
}

/// Transitions per second in the best round.
fn best<O: Observer>(machine: &Machine, observer: impl Fn() -> O) -> Result<f64, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        best = best.min(round(machine, &observer)?);
    }
    Ok(f64::from(STATES * EXECUTIONS) / best.as_secs_f64())
}

fn round<O: Observer>(machine: &Machine, observer: impl Fn() -> O) -> Result<Duration, Box<dyn Error>> {
    let begun = Instant::now();
    for _ in 0..EXECUTIONS {
        let observer = observer();
        let start = Start::new(json!({ "n": 7, "text": "a text from a to z", "list": [1, 2, 3] }));
        let outcome = block_on(run(machine, start, &Echo, &SystemClock, &observer));
        if !matches!(outcome, Outcome::Succeeded { .. }) {
            return Err(format!("{outcome:?}").into());
        }
    }
    Ok(begun.elapsed())
}

/// Nothing here waits for anything but its turn.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
