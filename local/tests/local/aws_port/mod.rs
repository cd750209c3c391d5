//! The port for AWS SDKs, on the wire. Names of errors and fields are taken from AWS's API reference; what is *local only*
//! says so.

mod executions;
mod history;
mod kinds;
mod listing;
mod machines;
mod services;
mod stopping;
mod tags;
mod test_state;

use serde_json::{Value, json};

use crate::common::eventually;
use crate::common::http::{Answer, aws};
use crate::common::system::TestSystem;

const PASS: &str = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}"#;

const FAIL: &str = r#"{"StartAt":"A","States":{"A":{"Type":"Fail","Error":"E","Cause":"C"}}}"#;

const ROLE: &str = "arn:aws:iam::000000000000:role/nobody";

async fn sfn(tested: &TestSystem, operation: &str, body: Value) -> Answer {
    aws(
        &tested.aws(),
        &format!("AWSStepFunctions.{operation}"),
        &body.to_string(),
    )
    .await
}

async fn refused(tested: &TestSystem, operation: &str, body: Value) -> String {
    let answer = sfn(tested, operation, body).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.json()["message"].is_string(), "{answer:?}");
    answer.json()["__type"].as_str().unwrap().to_owned()
}

async fn create(tested: &TestSystem, name: &str, definition: &str, kind: &str) -> String {
    let body = json!({ "name": name, "definition": definition, "roleArn": ROLE, "type": kind });
    let answer = sfn(tested, "CreateStateMachine", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["stateMachineArn"].as_str().unwrap().to_owned()
}

async fn ended(tested: &TestSystem, execution: &str) -> Value {
    let described = || async {
        let answer = sfn(tested, "DescribeExecution", json!({ "executionArn": execution }))
            .await
            .json();
        (answer["status"] != "RUNNING").then_some(answer)
    };
    eventually("the execution's end", described).await
}
