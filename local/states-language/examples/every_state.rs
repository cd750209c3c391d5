//! One definition that uses every state type and every intrinsic function, and the history of its execution:
//! `cargo run -p states-language --example every_state`.
//!
//! With `--json`, the history as `GetExecutionHistory` returns it.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use states_language::history::History;
use states_language::{Clock, Machine, Outcome, Start, SystemClock, TaskError, TaskRequest, Tasks, run};
use time::OffsetDateTime;

/// A book shop's order: prices are asked for, and one of the two suppliers is unwell.
const DEFINITION: &str = include_str!("every_state.asl.json");

/// The price of each book. A supplier answers at the second try.
struct Suppliers;

#[async_trait]
impl Tasks for Suppliers {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        let cents = task.parameters["isbn"].as_str().map_or(0, str::len) * 100;
        match task.state {
            "Ask Supplier" if task.retry_count == 0 => Err(TaskError::new("Supplier.Busy", "ask again")),
            "Reserve" => Err(TaskError::new("Stock.Empty", "none left")),
            _ => Ok(json!({ "cents": cents })),
        }
    }
}

/// The time of day is real; waits are a thousand times as quick.
struct Hurried;

#[async_trait]
impl Clock for Hurried {
    fn now(&self) -> OffsetDateTime {
        SystemClock.now()
    }

    async fn sleep(&self, for_: Duration) {
        SystemClock.sleep(for_ / 1000).await;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let machine = Machine::parse(DEFINITION, &|resource| resource.starts_with("arn:aws:states:::lambda:"))?;
    let history = History::new("local");
    let start = Start {
        execution_name: "an-order".into(),
        execution_id: "arn:aws:states:local:000000000000:execution:orders:an-order".into(),
        ..Start::new(json!({ "isbns": ["9783161484100", "0306406152"], "customer": "Ada, London" }))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let outcome = runtime.block_on(run(&machine, start, &Suppliers, &Hurried, &history));
    let events = history.events();
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", serde_json::to_string_pretty(&json!({ "events": events }))?);
        return Ok(());
    }
    for event in &events {
        let event = serde_json::to_value(event)?;
        let name = ["stateEnteredEventDetails", "stateExitedEventDetails"]
            .into_iter()
            .find_map(|details| event[details]["name"].as_str())
            .unwrap_or_default();
        println!(
            "{:>3} after {:>3}  {:<24} {name}",
            event["id"].as_u64().unwrap_or_default(),
            event["previousEventId"].as_u64().unwrap_or_default(),
            event["type"].as_str().unwrap_or_default()
        );
    }
    match outcome {
        Outcome::Failed { error, cause } => println!("\nfailed, as the definition ends: {error}, {cause}"),
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}
