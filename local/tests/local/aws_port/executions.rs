//! Executions, started both ways.

use serde_json::{Value, json};

use super::{PASS, create, ended, refused, sfn};
use crate::common::system::TestSystem;

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_execution_says_how_it_went() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "EXPRESS").await;
    let body =
        json!({ "stateMachineArn": machine, "name": "first", "input": "{\"a\": 1.50}", "traceHeader": "Root=1" });
    let ended = sfn(&tested, "StartSyncExecution", body).await.json();
    assert_eq!(
        (&ended["status"], &ended["name"]),
        (&json!("SUCCEEDED"), &json!("first"))
    );
    assert_eq!(ended["input"], "{\"a\": 1.50}");
    assert_eq!(
        serde_json::from_str::<Value>(ended["output"].as_str().unwrap()).unwrap(),
        json!({ "a": 1.5 })
    );
    let arn = ended["executionArn"].as_str().unwrap();
    assert!(
        arn.starts_with("arn:aws:states:us-east-1:000000000000:express:own:first:"),
        "{arn}"
    );
    assert!(ended["stopDate"].as_f64().unwrap() >= ended["startDate"].as_f64().unwrap());
    let billing = json!({ "billedMemoryUsedInMB": 64, "billedDurationInMilliseconds": 100 });
    assert_eq!(
        (&ended["billingDetails"], &ended["traceHeader"]),
        (&billing, &json!("Root=1"))
    );
    assert_eq!(ended.get("error"), None);

    let body = json!({ "stateMachineArn": machine, "includedData": "METADATA_ONLY" });
    let bare = sfn(&tested, "StartSyncExecution", body).await.json();
    assert_eq!((bare.get("input"), bare.get("output")), (None, None));
    assert_eq!(bare["outputDetails"], json!({ "included": false }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_execution_that_times_out_is_a_200_that_says_so() {
    let tested = TestSystem::start().await;
    let input = json!({ "params": { "do": "hang" } }).to_string();
    let body = json!({ "stateMachineArn": tested.machine(), "input": input });
    let answer = sfn(&tested, "StartSyncExecution", body).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("TIMED_OUT")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_execution_is_described_until_and_after_its_end() {
    let tested = TestSystem::start().await;
    let input = json!({ "params": { "do": "hang" } }).to_string();
    let body = json!({ "stateMachineArn": tested.machine(), "name": "slow", "input": input });
    let started = sfn(&tested, "StartExecution", body).await.json();
    let arn = started["executionArn"].as_str().unwrap();
    let running = sfn(&tested, "DescribeExecution", json!({ "executionArn": arn }))
        .await
        .json();
    assert_eq!((&running["status"], running.get("stopDate")), (&json!("RUNNING"), None));
    assert_eq!(
        (&running["input"], &running["startDate"]),
        (&json!(input), &started["startDate"])
    );
    let described = ended(&tested, arn).await;
    assert_eq!(described["status"], "TIMED_OUT");
    assert!(described["stopDate"].is_number());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_standard_execution_starts_it_once() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "STANDARD").await;
    let body = |input: &str| json!({ "stateMachineArn": machine, "name": "once", "input": input });
    let started = sfn(&tested, "StartExecution", body("{}")).await.json();
    let arn = started["executionArn"].as_str().unwrap();
    assert_eq!(arn, "arn:aws:states:us-east-1:000000000000:execution:own:once");
    let described = ended(&tested, arn).await;
    assert_eq!(
        (&described["status"], &described["output"]),
        (&json!("SUCCEEDED"), &json!("{}"))
    );
    assert_eq!(
        refused(&tested, "StartExecution", body("{}")).await,
        "ExecutionAlreadyExists"
    );
    assert_eq!(
        refused(&tested, "StartExecution", body("[]")).await,
        "ExecutionAlreadyExists"
    );
}
