//! Histories: the words and shapes of AWS's API reference; ids and order as the engine's own tests have them from AWS.

use serde_json::{Value, json};

use super::{FAIL, create, ended, refused, sfn};
use crate::common::system::TestSystem;

/// It has an end, and never comes to it.
const LOOP: &str = r#"{
    "StartAt": "Again",
    "States": {
        "Again": {
            "Type": "Choice", "Choices": [{ "Variable": "$.over", "IsPresent": true, "Next": "Over" }], "Default": "Again"
        },
        "Over": { "Type": "Succeed" }
    }
}"#;

/// A function, a Choice, and an end.
const WORK: &str = r#"{
    "StartAt": "Work",
    "States": {
        "Work": {
            "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": { "FunctionName": "record-outcome", "Payload": { "do": "give", "value.$": "$.value" } },
            "ResultSelector": { "given.$": "$.Payload" }, "ResultPath": "$.work", "TimeoutSeconds": 20, "Next": "Enough?"
        },
        "Enough?": {
            "Type": "Choice", "Choices": [{ "Variable": "$.work.given", "NumericEquals": 7, "Next": "Done" }], "Default": "Done"
        },
        "Done": { "Type": "Succeed" }
    }
}"#;

async fn run(tested: &TestSystem, machine: &str, input: &Value) -> String {
    let body = json!({ "stateMachineArn": machine, "input": input.to_string() });
    let started = sfn(tested, "StartExecution", body).await.json();
    let arn = started["executionArn"].as_str().unwrap().to_owned();
    ended(tested, &arn).await;
    arn
}

async fn history(tested: &TestSystem, execution: &str, more: Value) -> Value {
    let mut body = json!({ "executionArn": execution });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = sfn(tested, "GetExecutionHistory", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn types(history: &Value) -> Vec<&str> {
    let events = history["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_of_either_kind_has_its_history() {
    let tested = TestSystem::start().await;
    for kind in ["STANDARD", "EXPRESS"] {
        let machine = create(&tested, kind, WORK, kind).await;
        let execution = run(&tested, &machine, &json!({ "value": 7 })).await;
        let history = history(&tested, &execution, json!({})).await;
        assert_eq!(
            types(&history),
            [
                "ExecutionStarted",
                "TaskStateEntered",
                "TaskScheduled",
                "TaskStarted",
                "TaskSucceeded",
                "TaskStateExited",
                "ChoiceStateEntered",
                "ChoiceStateExited",
                "SucceedStateEntered",
                "SucceedStateExited",
                "ExecutionSucceeded",
            ]
        );
        assert_eq!(history.get("nextToken"), None);
        let events = history["events"].as_array().unwrap();
        let ids: Vec<_> = events
            .iter()
            .map(|event| {
                (
                    event["id"].as_u64().unwrap(),
                    event["previousEventId"].as_u64().unwrap(),
                )
            })
            .collect();
        let followed: Vec<_> = (1..=11).map(|id| (id, if id == 2 { 0 } else { id - 1 })).collect();
        assert_eq!(ids, followed);
        assert_eq!(events[0]["executionStartedEventDetails"]["input"], r#"{"value":7}"#);
        let scheduled = &events[2]["taskScheduledEventDetails"];
        assert_eq!(
            (&scheduled["resourceType"], &scheduled["resource"]),
            (&json!("lambda"), &json!("invoke"))
        );
        assert_eq!(
            (&scheduled["region"], &scheduled["timeoutInSeconds"]),
            (&json!("us-east-1"), &json!(20))
        );
        let text = |value: &Value| serde_json::from_str::<Value>(value.as_str().unwrap()).unwrap();
        assert_eq!(
            text(&scheduled["parameters"])["Payload"],
            json!({ "do": "give", "value": 7 })
        );
        assert_eq!(text(&events[4]["taskSucceededEventDetails"]["output"])["Payload"], 7);
        let output = json!({ "value": 7, "work": { "given": 7 } });
        assert_eq!(text(&events[7]["stateExitedEventDetails"]["output"]), output);
        assert_eq!(text(&events[10]["executionSucceededEventDetails"]["output"]), output);
        let stamps: Vec<_> = events
            .iter()
            .map(|event| event["timestamp"].as_f64().unwrap())
            .collect();
        assert!(stamps.is_sorted(), "{stamps:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_is_read_page_by_page_in_both_directions() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", WORK, "STANDARD").await;
    let execution = run(&tested, &machine, &json!({ "value": 7 })).await;
    for (reverse, expected) in [(false, (1..=11).collect::<Vec<_>>()), (true, (1..=11).rev().collect())] {
        let mut ids = Vec::new();
        let mut sizes = Vec::new();
        let mut token = Value::Null;
        loop {
            let more = json!({ "maxResults": 4, "reverseOrder": reverse, "nextToken": token });
            let page = history(&tested, &execution, more).await;
            let events = page["events"].as_array().unwrap();
            sizes.push(events.len());
            ids.extend(events.iter().map(|event| event["id"].as_u64().unwrap()));
            token = page["nextToken"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!((ids, sizes), (expected, vec![4, 4, 3]));
    }
    let bare = history(&tested, &execution, json!({ "includeExecutionData": false }))
        .await
        .to_string();
    assert!(!bare.contains("value") && bare.contains("Enough?"), "{bare}");
    let other = run(&tested, &machine, &json!({ "value": 8 })).await;
    let theirs = history(&tested, &other, json!({ "maxResults": 4 })).await["nextToken"].clone();
    for (body, name) in [
        (
            json!({ "executionArn": execution, "nextToken": theirs }),
            "InvalidToken",
        ),
        (
            json!({ "executionArn": execution, "nextToken": "bm9uZTox" }),
            "InvalidToken",
        ),
        (
            json!({ "executionArn": execution, "maxResults": 1001 }),
            "ValidationException",
        ),
        (
            json!({ "executionArn": execution, "reverseOrder": 1 }),
            "SerializationException",
        ),
        (json!({ "executionArn": machine }), "InvalidArn"),
        (
            json!({ "executionArn": format!("{execution}x") }),
            "ExecutionDoesNotExist",
        ),
        (json!({}), "ValidationException"),
    ] {
        assert_eq!(
            refused(&tested, "GetExecutionHistory", body.clone()).await,
            name,
            "{body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_in_the_history_and_a_running_execution_has_one_too() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "fails", FAIL, "STANDARD").await;
    let execution = run(&tested, &machine, &json!({})).await;
    let failed = history(&tested, &execution, json!({ "reverseOrder": true, "maxResults": 1 })).await;
    let details = json!({ "error": "E", "cause": "C" });
    assert_eq!(failed["events"][0]["executionFailedEventDetails"], details);

    let hangs = json!({ "params": { "do": "hang" } }).to_string();
    let body = json!({ "stateMachineArn": tested.machine(), "input": hangs });
    let started = sfn(&tested, "StartExecution", body).await.json();
    let arn = started["executionArn"].as_str().unwrap();
    let begun = || async {
        let history = history(&tested, arn, json!({})).await;
        types(&history).contains(&"TaskStarted").then_some(history)
    };
    let running = crate::common::eventually("the task to run", begun).await;
    assert_eq!(types(&running)[0], "ExecutionStarted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standard_execution_fails_at_the_limit_of_its_history() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", LOOP, "STANDARD").await;
    let execution = run(&tested, &machine, &json!({})).await;
    let described = sfn(&tested, "DescribeExecution", json!({ "executionArn": execution }))
        .await
        .json();
    assert_eq!(described["status"], "FAILED");
    assert!(described["cause"].as_str().unwrap().contains("25000"), "{described}");
    let last = history(&tested, &execution, json!({ "reverseOrder": true, "maxResults": 1 })).await;
    assert_eq!(
        (&last["events"][0]["id"], types(&last)),
        (&json!(25_000), vec!["ExecutionFailed"])
    );
}
