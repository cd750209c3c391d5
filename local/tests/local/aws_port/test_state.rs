//! TestState. What inspection data holds is the engine's own test; here is what the API makes of it.

use serde_json::{Value, json};

use super::{ROLE, refused, sfn};
use crate::common::system::TestSystem;

fn task() -> Value {
    json!({
        "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": { "FunctionName": "record-outcome", "Payload": { "do": "give", "value.$": "$.value" } },
        "ResultSelector": { "given.$": "$.Payload" }, "ResultPath": "$.work", "Next": "Elsewhere",
        "Retry": [{ "ErrorEquals": ["Busy"], "IntervalSeconds": 5, "MaxAttempts": 1 }],
        "Catch": [{ "ErrorEquals": ["Lost"], "ResultPath": "$.error", "Next": "Lost And Found" }],
    })
}

async fn test(tested: &TestSystem, more: Value) -> Value {
    let mut body = json!({ "definition": task().to_string(), "roleArn": ROLE, "input": "{\"value\":7}" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = sfn(tested, "TestState", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn text(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap_or_else(|| panic!("{value}"))).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_run_once_and_inspected() {
    let tested = TestSystem::start().await;
    let told = test(&tested, json!({})).await;
    assert_eq!(
        (&told["status"], &told["nextState"]),
        (&json!("SUCCEEDED"), &json!("Elsewhere"))
    );
    assert_eq!(text(&told["output"]), json!({ "value": 7, "work": { "given": 7 } }));
    assert_eq!(told.get("inspectionData"), None, "the usual level is INFO");
    for level in ["DEBUG", "TRACE"] {
        let told = test(&tested, json!({ "inspectionLevel": level })).await;
        let inspected = &told["inspectionData"];
        assert_eq!(text(&inspected["input"]), json!({ "value": 7 }));
        let payload = json!({ "do": "give", "value": 7 });
        assert_eq!(text(&inspected["afterParameters"])["Payload"], payload);
        assert_eq!(text(&inspected["result"])["Payload"], 7);
        assert_eq!(text(&inspected["afterResultSelector"]), json!({ "given": 7 }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mock_takes_the_place_of_the_work() {
    let tested = TestSystem::start().await;
    let told = test(&tested, json!({ "mock": { "result": "{\"Payload\":8}" } })).await;
    assert_eq!(text(&told["output"])["work"], json!({ "given": 8 }));
    let fails = |error: &str| json!({ "mock": { "errorOutput": { "error": error, "cause": "so" } }, "inspectionLevel": "DEBUG" });
    let caught = test(&tested, fails("Lost")).await;
    assert_eq!(
        (&caught["status"], &caught["nextState"], &caught["error"]),
        (&json!("CAUGHT_ERROR"), &json!("Lost And Found"), &json!("Lost"))
    );
    assert_eq!(caught["inspectionData"]["errorDetails"]["catchIndex"], 0);
    let retried = test(&tested, fails("Busy")).await;
    assert_eq!(retried["status"], "RETRIABLE");
    assert_eq!(
        retried["inspectionData"]["errorDetails"]["retryBackoffIntervalSeconds"],
        5
    );
    let mut exhausted = fails("Busy");
    exhausted["stateConfiguration"] = json!({ "retrierRetryCount": 1 });
    let exhausted = test(&tested, exhausted).await;
    assert_eq!(
        (&exhausted["status"], &exhausted["cause"]),
        (&json!("FAILED"), &json!("so"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_of_a_whole_machine_is_tested_by_its_name() {
    let tested = TestSystem::start().await;
    let pass = |value: u64, end: &str| json!({ "Type": "Pass", "Result": value, "Next": end });
    let definition = json!({ "StartAt": "A", "States": {
        "A": pass(1, "B"), "B": pass(2, "C"), "C": { "Type": "Succeed" },
    } });
    let told = test(
        &tested,
        json!({ "definition": definition.to_string(), "stateName": "B" }),
    )
    .await;
    assert_eq!((&told["output"], &told["nextState"]), (&json!("2"), &json!("C")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mocked_context_is_what_the_state_sees() {
    let tested = TestSystem::start().await;
    let mut state = task();
    state["Parameters"] = json!({ "FunctionName": "f", "Payload.$": "$$.Execution.Name" });
    let body = json!({
        "definition": state.to_string(),
        "mock": { "result": "{\"Payload\":1}" },
        "context": "{\"Execution\":{\"Name\":\"mine\"}}",
        "inspectionLevel": "DEBUG",
    });
    let told = test(&tested, body).await;
    assert_eq!(text(&told["inspectionData"]["afterParameters"])["Payload"], "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_tested_is_refused() {
    let tested = TestSystem::start().await;
    let with = |more: Value| {
        let mut body = json!({ "definition": task().to_string() });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let map = json!({ "Type": "Map", "End": true, "ItemProcessor": { "StartAt": "A", "States": { "A": { "Type": "Succeed" } } } });
    for (body, name) in [
        (json!({}), "ValidationException"),
        (json!({ "definition": "{" }), "InvalidDefinition"),
        (json!({ "definition": "{\"Type\":\"Task\"}" }), "InvalidDefinition"),
        (json!({ "definition": map.to_string() }), "InvalidDefinition"),
        (
            json!({ "definition": "{\"Type\":\"Succeed\"}", "mock": { "result": "1" } }),
            "ValidationException",
        ),
        (with(json!({ "stateName": "None" })), "InvalidDefinition"),
        (with(json!({ "roleArn": "nobody" })), "InvalidArn"),
        (with(json!({ "input": "{" })), "InvalidExecutionInput"),
        (with(json!({ "inspectionLevel": "ALL" })), "ValidationException"),
        (with(json!({ "variables": "{}" })), "ValidationException"),
        (with(json!({ "context": "{}" })), "ValidationException"),
        (with(json!({ "mock": {} })), "ValidationException"),
        (with(json!({ "mock": { "result": "{" } })), "ValidationException"),
        (with(json!({ "mock": { "errorOutput": {} } })), "ValidationException"),
        (
            with(json!({ "mock": { "result": "1" }, "stateConfiguration": { "mapIterationFailureCount": 1 } })),
            "ValidationException",
        ),
    ] {
        assert_eq!(refused(&tested, "TestState", body.clone()).await, name, "{body}");
    }
}
