//! Lists of executions, and what is told of EXPRESS ones.

use serde_json::{Value, json};
use stepbreaker_local::Config;

use super::{FAIL, PASS, create, ended, refused, sfn};
use crate::common::http::get;
use crate::common::system::TestSystem;

async fn run(tested: &TestSystem, machine: &str, name: &str) -> String {
    let body = json!({ "stateMachineArn": machine, "name": name });
    let started = sfn(tested, "StartExecution", body).await.json();
    let arn = started["executionArn"].as_str().unwrap().to_owned();
    ended(tested, &arn).await;
    arn
}

async fn names(tested: &TestSystem, body: Value) -> (Vec<String>, Value) {
    let listed = sfn(tested, "ListExecutions", body).await.json();
    let executions = listed["executions"].as_array().unwrap_or_else(|| panic!("{listed}"));
    let names = executions
        .iter()
        .map(|execution| execution["name"].as_str().unwrap().to_owned());
    (names.collect(), listed["nextToken"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machines_executions_are_listed_the_latest_first() {
    let tested = TestSystem::start().await;
    let (own, other) = (
        create(&tested, "own", PASS, "STANDARD").await,
        create(&tested, "other", PASS, "STANDARD").await,
    );
    for name in ["a", "b", "c"] {
        run(&tested, &own, name).await;
    }
    run(&tested, &other, "d").await;
    sfn(
        &tested,
        "UpdateStateMachine",
        json!({ "stateMachineArn": own, "definition": FAIL }),
    )
    .await;
    run(&tested, &own, "e").await;
    let (all, more) = names(&tested, json!({ "stateMachineArn": own })).await;
    assert_eq!(
        (all, more),
        (vec!["e".into(), "c".into(), "b".into(), "a".into()], Value::Null)
    );
    let (page, token) = names(&tested, json!({ "stateMachineArn": own, "maxResults": 3 })).await;
    assert_eq!(page, ["e", "c", "b"]);
    let (page, token) = names(
        &tested,
        json!({ "stateMachineArn": own, "maxResults": 3, "nextToken": token }),
    )
    .await;
    assert_eq!((page, token), (vec!["a".to_owned()], Value::Null));
    for (status, expected) in [
        ("FAILED", &["e"][..]),
        ("SUCCEEDED", &["c", "b", "a"]),
        ("RUNNING", &[]),
    ] {
        let (listed, _) = names(&tested, json!({ "stateMachineArn": own, "statusFilter": status })).await;
        assert_eq!(listed, expected, "{status}");
    }
    let listed = sfn(&tested, "ListExecutions", json!({ "stateMachineArn": other }))
        .await
        .json();
    let only = &listed["executions"][0];
    assert_eq!(
        (&only["status"], &only["stateMachineArn"]),
        (&json!("SUCCEEDED"), &json!(other))
    );
    assert!(only["stopDate"].as_f64().unwrap() >= only["startDate"].as_f64().unwrap());
    assert_eq!(
        (only.get("input"), only.get("output")),
        (None, None),
        "a list tells no data"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_listed_is_refused() {
    let tested = TestSystem::start().await;
    let own = create(&tested, "own", PASS, "STANDARD").await;
    let none = "arn:aws:states:us-east-1:000000000000:stateMachine:none";
    for (body, name) in [
        (json!({ "stateMachineArn": none }), "StateMachineDoesNotExist"),
        (json!({ "stateMachineArn": "x" }), "InvalidArn"),
        (json!({}), "ValidationException"),
        (
            json!({ "stateMachineArn": own, "statusFilter": "DONE" }),
            "ValidationException",
        ),
        (
            json!({ "stateMachineArn": own, "statusFilter": "PENDING_REDRIVE" }),
            "ValidationException",
        ),
        (
            json!({ "stateMachineArn": own, "redriveFilter": "REDRIVEN" }),
            "ValidationException",
        ),
        (json!({ "stateMachineArn": own, "nextToken": "none" }), "InvalidToken"),
        (json!({ "mapRunArn": own }), "ValidationException"),
    ] {
        assert_eq!(refused(&tested, "ListExecutions", body.clone()).await, name, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executions_machine_is_the_one_that_it_began_with() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "STANDARD").await;
    let execution = run(&tested, &machine, "first").await;
    sfn(
        &tested,
        "UpdateStateMachine",
        json!({ "stateMachineArn": machine, "definition": FAIL }),
    )
    .await;
    let body = json!({ "executionArn": execution });
    let described = sfn(&tested, "DescribeStateMachineForExecution", body.clone())
        .await
        .json();
    assert_eq!(
        (
            &described["definition"],
            &described["name"],
            &described["stateMachineArn"]
        ),
        (&json!(PASS), &json!("own"), &json!(machine))
    );
    assert!(described["updateDate"].is_number());
    let mut metadata = body;
    metadata["includedData"] = "METADATA_ONLY".into();
    let bare = sfn(&tested, "DescribeStateMachineForExecution", metadata.clone())
        .await
        .json();
    assert_eq!(bare["definition"], "{}");
    let bare = sfn(&tested, "DescribeExecution", metadata).await.json();
    assert_eq!((bare.get("input"), bare.get("output")), (None, None));
    assert_eq!(bare["inputDetails"], json!({ "included": false }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_the_front_door_started_is_told_about_too() {
    let tested = TestSystem::start().await;
    get(&tested.door(), "/do/echo").await;
    let listed = sfn(
        &tested,
        "ListExecutions",
        json!({ "stateMachineArn": tested.machine() }),
    )
    .await
    .json();
    let execution = &listed["executions"][0]["executionArn"];
    let body = json!({ "executionArn": execution });
    let described = sfn(&tested, "DescribeExecution", body.clone()).await.json();
    assert_eq!(
        (&described["status"], &described["input"]),
        (&json!("SUCCEEDED"), &json!(r#"{"params":{"do":"echo"}}"#))
    );
    assert!(
        described["output"].as_str().unwrap().contains("\"status\":200"),
        "{described}"
    );
    let history = sfn(&tested, "GetExecutionHistory", body).await.json();
    assert!(history["events"].as_array().unwrap().len() > 10, "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn strictly_nothing_is_told_of_express_executions() {
    let tested = TestSystem::start_with(|config| Config { strict: true, ..config }).await;
    let express = create(&tested, "express", PASS, "EXPRESS").await;
    let sync = sfn(&tested, "StartSyncExecution", json!({ "stateMachineArn": express }))
        .await
        .json();
    assert_eq!(sync["status"], "SUCCEEDED");
    let started = sfn(&tested, "StartExecution", json!({ "stateMachineArn": express }))
        .await
        .json();
    for execution in [&sync["executionArn"], &started["executionArn"]] {
        for operation in [
            "DescribeExecution",
            "GetExecutionHistory",
            "DescribeStateMachineForExecution",
            "StopExecution",
        ] {
            let answer = sfn(&tested, operation, json!({ "executionArn": execution })).await;
            let message = "Invalid Arn: 'Resource type not valid in this context: express'";
            assert_eq!(
                answer.json(),
                json!({ "__type": "InvalidArn", "message": message }),
                "{operation}"
            );
        }
    }
    let name = refused(&tested, "ListExecutions", json!({ "stateMachineArn": express })).await;
    assert_eq!(name, "StateMachineTypeNotSupported");
    let standard = create(&tested, "standard", PASS, "STANDARD").await;
    let execution = run(&tested, &standard, "first").await;
    let history = sfn(&tested, "GetExecutionHistory", json!({ "executionArn": execution }))
        .await
        .json();
    assert_eq!(history["events"].as_array().unwrap().len(), 4);
}
