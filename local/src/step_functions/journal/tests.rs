//! That what is replayed is what was told.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use states_language::history::History;
use states_language::{Start, SystemClock, TaskError, TaskRequest, Tasks, run};

use super::*;
use crate::step_functions::machines::Machines;
use crate::step_functions::{Arns, Kind, MachineSpec, Tags};

/// Gives each result once, in their order; then it hangs.
struct Scripted(Mutex<VecDeque<Result<Value, TaskError>>>);

#[async_trait]
impl Tasks for Scripted {
    async fn run(&self, _: TaskRequest<'_>) -> Result<Value, TaskError> {
        let next = self.0.lock().unwrap().pop_front();
        match next {
            Some(result) => result,
            None => std::future::pending().await,
        }
    }
}

fn machine(definition: &Value) -> Arc<Created> {
    let arns = Arns {
        region: "eu-west-1".to_owned(),
        account: "000000000000".to_owned(),
    };
    let spec = MachineSpec {
        name: "m".to_owned(),
        kind: Kind::Standard,
        definition: definition.to_string(),
        role_arn: "arn:aws:iam::000000000000:role/a".to_owned(),
        tags: Tags::default(),
    };
    Machines::new(arns, |_| true)
        .create(spec)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Runs an execution and compares what its journal tells with what was heard at once. Gives how many events there were.
async fn compare(definition: Value, input: Value, results: Vec<Result<Value, TaskError>>) -> usize {
    let machine = machine(&definition);
    let (heard, journal) = (History::new("eu-west-1"), Journal::new(&machine));
    let start = Start {
        time_limit: Some(Duration::from_secs(10)),
        event_limit: Some(EVENTS),
        ..Start::new(input)
    };
    let tasks = Scripted(Mutex::new(results.into()));
    run(&machine.machine, start, &tasks, &SystemClock, &(&heard, &journal)).await;
    journal.close();
    let told = History::new("eu-west-1");
    journal.replay(&told);
    let (heard, told) = (heard.events(), told.events());
    assert_eq!(heard.len(), told.len(), "{definition}");
    for (heard, told) in heard.iter().zip(&told) {
        assert_eq!(heard, told, "{definition}");
    }
    heard.len()
}

fn task(fields: &Value) -> Value {
    let mut task = json!({ "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next": "Done" });
    for (name, field) in fields.as_object().unwrap() {
        task[name] = field.clone();
    }
    let choice =
        json!({ "Type": "Choice", "Choices": [{ "Variable": "$", "IsNull": true, "Next": "End" }], "Default": "End" });
    json!({ "StartAt": "Work", "States": { "Work": task, "Done": choice, "End": { "Type": "Succeed" } } })
}

#[tokio::test]
async fn what_a_result_path_changes_is_told_again_in_full() {
    let input = json!({ "b": 1, "a": { "deep": [1, { "x": null }] }, "z": "last" });
    let result = json!({ "Payload": { "ok": true, "long": "x".repeat(500) } });
    for fields in [
        json!({}),
        json!({ "ResultPath": "$" }),
        json!({ "ResultPath": null }),
        json!({ "ResultPath": "$.new" }),
        json!({ "ResultPath": "$.a" }),
        json!({ "ResultPath": "$.a.deep" }),
        json!({ "ResultPath": "$.new.deeper" }),
        json!({ "ResultPath": "$.a", "OutputPath": "$.a" }),
        json!({ "ResultPath": null, "OutputPath": "$.b" }),
        json!({ "ResultPath": "$.new", "ResultSelector": { "only.$": "$.Payload.ok" } }),
        json!({ "ResultPath": "$.new", "InputPath": "$.a", "Parameters": { "p.$": "$.deep" } }),
        json!({ "ResultPath": "$.new", "TimeoutSeconds": 3 }),
    ] {
        let events = compare(task(&fields), input.clone(), vec![Ok(result.clone())]).await;
        assert_eq!(events, 11, "{fields}");
    }
    for input in [json!(null), json!([1]), json!("text"), json!({})] {
        compare(
            task(&json!({ "ResultPath": "$.new" })),
            input.clone(),
            vec![Ok(json!(1))],
        )
        .await;
        compare(task(&json!({ "ResultPath": null })), input, vec![Ok(json!(1))]).await;
    }
}

#[tokio::test]
async fn errors_retries_and_catchers_are_told_again() {
    let error = || Err(TaskError::new("Custom", "its cause"));
    let retry = json!([{ "ErrorEquals": ["Custom"], "MaxAttempts": 1, "IntervalSeconds": 1 }]);
    for catch in [
        json!([{ "ErrorEquals": ["States.ALL"], "Next": "Done" }]),
        json!([{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Done" }]),
        json!([{ "ErrorEquals": ["Other"], "Next": "End" }, { "ErrorEquals": ["Custom"], "ResultPath": null, "Next": "Done" }]),
    ] {
        let fields = json!({ "ResultPath": "$.new", "Catch": catch });
        compare(task(&fields), json!({ "a": 1 }), vec![error()]).await;
    }
    compare(task(&json!({})), json!({}), vec![error()]).await;
    compare(task(&json!({ "Retry": retry })), json!({}), vec![error(), Ok(json!(1))]).await;
    let timeout = json!({ "TimeoutSeconds": 1, "Catch": [{ "ErrorEquals": ["States.Timeout"], "Next": "Done" }] });
    compare(task(&timeout), json!({}), vec![]).await;
}

#[tokio::test]
async fn every_other_kind_of_state_is_told_again() {
    let pass = |next: &str| json!({ "Type": "Pass", "Next": next });
    compare(
        json!({ "StartAt": "Fail", "States": { "Fail": { "Type": "Fail", "Error": "E", "Cause": "C" } } }),
        json!({}),
        vec![],
    )
    .await;
    compare(
        json!({ "StartAt": "Wait", "TimeoutSeconds": 1, "States": { "Wait": { "Type": "Wait", "Seconds": 9, "End": true } } }),
        json!({}),
        vec![],
    )
    .await;
    let branch = |name: &str, fails: bool| {
        let end = if fails {
            json!({ "Type": "Fail", "Error": "E" })
        } else {
            json!({ "Type": "Succeed" })
        };
        json!({ "StartAt": name, "States": { name: pass(&format!("{name} End")), format!("{name} End"): end } })
    };
    for fails in [false, true] {
        compare(
            json!({ "StartAt": "Both", "States": { "Both": {
                "Type": "Parallel", "Branches": [branch("A", false), branch("B", fails)], "ResultPath": "$.both", "End": true,
            } } }),
            json!({ "a": 1 }),
            vec![],
        )
        .await;
        compare(
            json!({ "StartAt": "Each", "States": { "Each": {
                "Type": "Map", "ItemsPath": "$.items", "ItemProcessor": branch("A", fails), "ResultPath": "$.each", "End": true,
            } } }),
            json!({ "items": [1, 2, 3] }),
            vec![],
        )
        .await;
    }
}

#[tokio::test]
async fn a_history_ends_at_the_limit_of_events() {
    let endless = json!({ "StartAt": "Again", "States": {
        "Again": {
            "Type": "Choice", "Choices": [{ "Variable": "$.over", "IsPresent": true, "Next": "Over" }], "Default": "Again",
        },
        "Over": { "Type": "Succeed" },
    } });
    let machine = machine(&endless);
    for (is_standard, limit) in [(true, Some(EVENTS)), (false, None)] {
        let journal = Journal::new(&machine);
        let start = Start {
            // More than an EXPRESS execution's record holds takes a moment.
            time_limit: Some(Duration::from_secs(if is_standard { 60 } else { 1 })),
            event_limit: limit,
            ..Start::default()
        };
        let tasks = Scripted(Mutex::default());
        run(&machine.machine, start, &tasks, &SystemClock, &journal).await;
        let told = History::new("eu-west-1");
        journal.replay(&told);
        let events = told.events();
        let last = events.last().unwrap();
        let end = if is_standard {
            "ExecutionFailed"
        } else {
            "ExecutionTimedOut"
        };
        assert_eq!((events.len() as u64, last.id, last.kind), (EVENTS, EVENTS, end));
        assert_eq!(last.previous_event_id, EVENTS - 1);
    }
}

#[tokio::test]
async fn past_the_bytes_only_the_end_is_recorded() {
    let machine = machine(&json!({ "StartAt": "A", "States": { "A": { "Type": "Succeed" } } }));
    let journal = Journal::new(&machine);
    let large = json!("x".repeat(BYTES / 2));
    let tell = |id: u64, event: &Event<'_>| {
        let ids = EventIds {
            id,
            previous_id: id - 1,
        };
        journal.event_with_ids(OffsetDateTime::now_utc(), ids, event);
    };
    for id in 1..5 {
        tell(
            id,
            &Event::ExecutionStarted {
                input: &large,
                role_arn: "",
            },
        );
    }
    tell(
        5,
        &Event::ExecutionSucceeded {
            output: &json!("the end"),
        },
    );
    let told = History::new("eu-west-1");
    journal.replay(&told);
    let kinds: Vec<_> = told.events().iter().map(|event| (event.id, event.kind)).collect();
    assert_eq!(
        kinds,
        [
            (1, "ExecutionStarted"),
            (2, "ExecutionStarted"),
            (5, "ExecutionSucceeded")
        ]
    );
    let last = serde_json::to_value(told.events().last().unwrap()).unwrap();
    assert_eq!(last["executionSucceededEventDetails"]["output"], "\"the end\"");
}
