//! Stopping executions.

use serde_json::{Value, json};

use super::{PASS, create, refused, sfn};
use crate::common::system::TestSystem;

const WAIT: &str = r#"{"StartAt":"Linger","States":{"Linger":{"Type":"Wait","Seconds":3600,"End":true}}}"#;

async fn start(tested: &TestSystem, machine: &str, name: &str) -> String {
    let body = json!({ "stateMachineArn": machine, "name": name, "input": "{\"a\":1}" });
    let started = sfn(tested, "StartExecution", body).await.json();
    started["executionArn"].as_str().unwrap().to_owned()
}

async fn describe(tested: &TestSystem, execution: &str) -> Value {
    sfn(tested, "DescribeExecution", json!({ "executionArn": execution }))
        .await
        .json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_execution_is_aborted_with_what_was_said() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", WAIT, "STANDARD").await;
    let execution = start(&tested, &machine, "first").await;
    assert_eq!(describe(&tested, &execution).await["status"], "RUNNING");
    let body = json!({ "executionArn": execution, "error": "Test.Enough", "cause": "seen enough" });
    let stopped = sfn(&tested, "StopExecution", body).await.json();
    let described = describe(&tested, &execution).await;
    assert_eq!(
        (&described["status"], &described["error"], &described["cause"]),
        (&json!("ABORTED"), &json!("Test.Enough"), &json!("seen enough"))
    );
    assert_eq!(
        (&described["stopDate"], described.get("output")),
        (&stopped["stopDate"], None)
    );
    let body = json!({ "executionArn": execution, "reverseOrder": true });
    let history = sfn(&tested, "GetExecutionHistory", body).await.json();
    let last = &history["events"][0];
    assert_eq!(last["type"], "ExecutionAborted");
    let said = json!({ "error": "Test.Enough", "cause": "seen enough" });
    assert_eq!(last["executionAbortedEventDetails"], said);
    assert_eq!(history["events"][1]["type"], "WaitStateEntered");

    let again = json!({ "executionArn": execution, "error": "Test.Other" });
    assert_eq!(
        sfn(&tested, "StopExecution", again).await.json(),
        stopped,
        "it has ended"
    );
    assert_eq!(describe(&tested, &execution).await, described);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_can_be_stopped_without_a_word() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", WAIT, "STANDARD").await;
    let execution = start(&tested, &machine, "first").await;
    sfn(&tested, "StopExecution", json!({ "executionArn": execution })).await;
    let described = describe(&tested, &execution).await;
    assert_eq!(described["status"], "ABORTED");
    assert_eq!((described.get("error"), described.get("cause")), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_who_stop_an_execution_at_once_hear_of_the_same_end() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", WAIT, "STANDARD").await;
    for round in 0..20 {
        let execution = start(&tested, &machine, &round.to_string()).await;
        let stop = |error: &str| {
            let body = json!({ "executionArn": execution, "error": error });
            sfn(&tested, "StopExecution", body)
        };
        let (first, second, third) = tokio::join!(stop("first"), stop("second"), stop("third"));
        let described = describe(&tested, &execution).await;
        assert_eq!(described["status"], "ABORTED");
        for answer in [first, second, third] {
            assert_eq!(
                answer.json()["stopDate"],
                described["stopDate"],
                "{answer:?} {described}"
            );
        }
        let history = sfn(&tested, "GetExecutionHistory", json!({ "executionArn": execution }))
            .await
            .json();
        let events = history["events"].as_array().unwrap();
        assert_eq!(
            (&events[0]["type"], &events[events.len() - 1]["type"]),
            (&json!("ExecutionStarted"), &json!("ExecutionAborted")),
            "it had begun: {history}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_stopped_is_refused() {
    let tested = TestSystem::start().await;
    let express = create(&tested, "express", PASS, "EXPRESS").await;
    let express = start(&tested, &express, "first").await;
    let none = "arn:aws:states:us-east-1:000000000000:execution:own:none";
    for (body, name) in [
        (json!({ "executionArn": none }), "ExecutionDoesNotExist"),
        (json!({ "executionArn": express }), "InvalidArn"),
        (json!({ "executionArn": "x" }), "InvalidArn"),
        (
            json!({ "executionArn": none, "error": "e".repeat(257) }),
            "ValidationException",
        ),
        (
            json!({ "executionArn": none, "cause": "c".repeat(32_769) }),
            "ValidationException",
        ),
        (json!({}), "ValidationException"),
    ] {
        assert_eq!(refused(&tested, "StopExecution", body).await, name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn starting_a_running_execution_again_with_the_same_input_starts_nothing() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", WAIT, "STANDARD").await;
    let body = |input: &str| json!({ "stateMachineArn": machine, "name": "once", "input": input });
    let first = sfn(&tested, "StartExecution", body("{}")).await.json();
    assert_eq!(sfn(&tested, "StartExecution", body("{}")).await.json(), first);
    let other = refused(&tested, "StartExecution", body("[]")).await;
    assert_eq!(other, "ExecutionAlreadyExists");
    sfn(
        &tested,
        "StopExecution",
        json!({ "executionArn": first["executionArn"] }),
    )
    .await;
    assert_eq!(
        refused(&tested, "StartExecution", body("{}")).await,
        "ExecutionAlreadyExists"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_express_executions_name_may_be_used_again() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "EXPRESS").await;
    let first = start(&tested, &machine, "again").await;
    assert_ne!(start(&tested, &machine, "again").await, first);
}
