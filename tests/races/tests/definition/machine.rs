//! A definition that runs on its own: its Tasks answer what they are told.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use model::workflow::Route;
use policy::definition::{Names, bind};
use serde_json::{Value, json};
use states_language::{Clock, Machine, NoObserver, Outcome, Start, TaskError, TaskRequest, Tasks};
use time::OffsetDateTime;
use tokio::runtime::Runtime;

use crate::item::NOW;

/// A clock that stands at [`NOW`].
struct Still;

#[async_trait]
impl Clock for Still {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(NOW) * 1_000_000).unwrap()
    }

    async fn sleep(&self, _: Duration) {
        std::future::pending().await
    }
}

/// Answers each Task as it is told, and keeps which were run.
#[derive(Default)]
pub struct Told {
    /// The item, for *Read Circuit*.
    pub item: Option<Value>,
    /// The payload, for *Acquire Probe Lease*.
    pub lease: Option<Value>,
    /// The payload, for *Call Partner*.
    pub call: Option<Value>,
    /// The Tasks that were run.
    pub ran: Mutex<Vec<String>>,
}

#[async_trait]
impl Tasks for Told {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        self.ran.lock().unwrap().push(task.state.to_owned());
        let payload = |told: &Option<Value>| match told {
            Some(payload) => Ok(json!({ "Payload": payload })),
            None => Err(TaskError::new("Lambda.Unknown", "not told")),
        };
        match task.state {
            "Read Circuit" => Ok(match &self.item {
                Some(item) => json!({ "Item": item }),
                None => json!({}),
            }),
            "Acquire Probe Lease" => payload(&self.lease),
            "Call Partner" => payload(&self.call),
            "Record Outcome" => Ok(json!({ "Payload": { "recorded": "nothing" } })),
            other => panic!("no answer for {other}"),
        }
    }
}

pub struct Definition {
    machine: Machine,
    runtime: Runtime,
}

impl Definition {
    pub fn shipped() -> Self {
        let file = json!({ "circuit": "shop", "call": { "url": "http://127.0.0.1:9/" }, "fallback": { "body": null } });
        let deployed = policy::parse("shop.json".as_ref(), &file.to_string()).unwrap().deployed;
        let names = Names {
            circuits_table: "circuits".into(),
            call_partner_function: "call-partner-shop".into(),
            acquire_probe_function: "acquire-probe".into(),
            record_outcome_function: "record-outcome".into(),
        };
        let template = include_str!("../../../../statemachine/circuit-breaker.asl.json");
        Self::of(&bind(template, &deployed, &names).unwrap())
    }

    pub fn of(text: &str) -> Self {
        Self {
            machine: Machine::parse(text, &|_| true).unwrap(),
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap(),
        }
    }

    /// The execution's output, and the Tasks that it ran.
    pub fn run(&self, input: Value, told: Told) -> (Value, Vec<String>) {
        let run = states_language::run(&self.machine, Start::new(input), &told, &Still, &NoObserver);
        match self.runtime.block_on(run) {
            Outcome::Succeeded { output } => (output, told.ran.into_inner().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// Where an execution goes after its read, or after its lease where it was told one; and its answer's reason.
    pub fn route(&self, told: Told) -> (Route, Value) {
        let was_told = told.lease.is_some();
        let (output, ran) = self.run(json!({}), told);
        let has = |state: &str| ran.iter().any(|other| other == state);
        let route = if has("Call Partner") {
            Route::Call
        } else if has("Acquire Probe Lease") && !was_told {
            Route::Acquire
        } else {
            Route::FallBack
        };
        (route, output["reason"].clone())
    }
}
