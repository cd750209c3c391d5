//! Step Functions Local's manners: ports, variables, mocked states.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stepbreaker_local::{Config, StepFunctionsLocal, System};
use tempfile::TempDir;

use crate::common::eventually;
use crate::common::http::{Answer, aws};
use crate::common::system::TestSystem;

const MACHINE: &str = "arn:aws:states:us-east-1:123456789012:stateMachine:own";

/// Three tasks: one with a Retry, one of a service that only a mock can answer for, one of a function by its ARN.
const DEFINITION: &str = r#"{
    "StartAt": "Ask",
    "States": {
        "Ask": {
            "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": { "FunctionName": "record-outcome", "Payload": { "do": "give", "value": "real" } },
            "Retry": [{ "ErrorEquals": ["Busy"], "IntervalSeconds": 1, "MaxAttempts": 3, "BackoffRate": 1 }],
            "ResultSelector": { "said.$": "$.Payload" }, "ResultPath": "$.ask", "Next": "Send"
        },
        "Send": {
            "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "Parameters": { "QueueUrl": "q", "MessageBody": "m" },
            "Catch": [{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Tell" }],
            "ResultPath": "$.send", "Next": "Tell"
        },
        "Tell": {
            "Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:acquire-probe",
            "Parameters": { "do": "give", "value": { "told": true } }, "ResultPath": "$.tell", "End": true
        }
    }
}"#;

struct Local {
    system: System,
    _files: TempDir,
}

impl Local {
    async fn call(&self, operation: &str, body: Value) -> Answer {
        let url = self.system.step_functions_local_url().unwrap();
        aws(&url, &format!("AWSStepFunctions.{operation}"), &body.to_string()).await
    }

    async fn create(&self, definition: &str) {
        let body =
            json!({ "name": "own", "definition": definition, "roleArn": "arn:aws:iam::012345678901:role/DummyRole" });
        let created = self.call("CreateStateMachine", body).await;
        assert_eq!(created.json()["stateMachineArn"], MACHINE, "{created:?}");
    }

    /// Starts a test case and waits for its end.
    async fn run(&self, case: &str) -> Value {
        let started = self
            .call(
                "StartExecution",
                json!({ "stateMachineArn": format!("{MACHINE}{case}") }),
            )
            .await;
        let arn = started.json()["executionArn"].clone();
        let ended = || async {
            let described = self
                .call("DescribeExecution", json!({ "executionArn": arn }))
                .await
                .json();
            (described["status"] != "RUNNING").then_some(described)
        };
        eventually("the execution's end", ended).await
    }
}

fn config(files: &Path, mocks: &Value) -> Config {
    let file = files.join("mocks.json");
    fs::write(&file, mocks.to_string()).unwrap();
    Config {
        account: StepFunctionsLocal::ACCOUNT.to_owned(),
        step_functions_local: Some(StepFunctionsLocal {
            mock_config: Some(file),
            ..StepFunctionsLocal::default()
        }),
        ..Config::without_circuits()
    }
}

async fn start(mocks: Value, lambda_endpoint: Option<String>) -> Local {
    let files = tempfile::tempdir().unwrap();
    let mut config = config(files.path(), &mocks);
    if let Some(local) = &mut config.step_functions_local {
        local.lambda_endpoint = lambda_endpoint;
    }
    let system = System::start(config).await.unwrap_or_else(|error| panic!("{error}"));
    Local { system, _files: files }
}

fn output(described: &Value) -> Value {
    let output = described["output"].as_str().unwrap_or_else(|| panic!("{described}"));
    serde_json::from_str(output).unwrap()
}

fn mocks() -> Value {
    let give = |value: Value| json!({ "Return": value });
    let busy = json!({ "Throw": { "Error": "Busy", "Cause": "later" } });
    json!({
        "StateMachines": { "own": { "TestCases": {
            "All": { "Ask": "Yes", "Send": "Sent", "Tell": "Told" },
            "Retried": { "Ask": "AtLast", "Send": "Sent", "Tell": "Told" },
            "Unsaid": { "Ask": "BusyOnce", "Send": "Sent", "Tell": "Told" },
            "Caught": { "Ask": "Yes", "Send": "Refused", "Tell": "Told" },
            "Hybrid": { "Send": "Sent" },
            "SendForReal": { "Ask": "Yes", "Tell": "Told" },
        } } },
        "MockedResponses": {
            "Yes": { "0": give(json!({ "Payload": "yes" })) },
            "AtLast": { "0-1": busy, "2": give(json!({ "Payload": "at last" })) },
            "BusyOnce": { "0": busy },
            "Sent": { "0": give(json!({ "MessageId": "1" })) },
            "Refused": { "0": { "Throw": { "Error": "Sqs.SdkClientException", "Cause": "gone" } } },
            "Told": { "0": give(json!({ "told": "mocked" })) },
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_case_answers_for_its_states() {
    let local = start(mocks(), None).await;
    local.create(DEFINITION).await;
    let expected =
        |said: &str| json!({ "ask": { "said": said }, "send": { "MessageId": "1" }, "tell": { "told": "mocked" } });
    assert_eq!(output(&local.run("#All").await), expected("yes"));
    assert_eq!(
        output(&local.run("#All").await),
        expected("yes"),
        "each execution counts anew"
    );
    let caught = output(&local.run("#Caught").await);
    assert_eq!(
        caught["error"],
        json!({ "Error": "Sqs.SdkClientException", "Cause": "gone" })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_retry_has_its_own_response_and_one_that_nobody_mocked_fails() {
    let local = start(mocks(), None).await;
    local.create(DEFINITION).await;
    let retried = local.run("#Retried").await;
    assert_eq!(output(&retried)["ask"], json!({ "said": "at last" }));
    let body = json!({ "executionArn": retried["executionArn"] });
    let history = local.call("GetExecutionHistory", body).await.json();
    let failed = history["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["type"] == "TaskFailed");
    assert_eq!(failed.count(), 2);
    let unsaid = local.run("#Unsaid").await;
    assert_eq!(
        (&unsaid["status"], &unsaid["error"]),
        (&json!("FAILED"), &json!("States.Runtime"))
    );
    assert!(
        unsaid["cause"]
            .as_str()
            .unwrap()
            .contains("invocation 1 of the state 'Ask'"),
        "{unsaid}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn states_that_are_not_mocked_run_for_real_at_the_lambda_endpoint() {
    let functions = TestSystem::start().await;
    let local = start(mocks(), Some(functions.aws())).await;
    local.create(DEFINITION).await;
    let hybrid = output(&local.run("#Hybrid").await);
    assert_eq!(hybrid["ask"], json!({ "said": "real" }));
    assert_eq!(
        hybrid["tell"],
        json!({ "told": true }),
        "a function by its ARN gives its bare answer"
    );
    let real = local.run("#SendForReal").await;
    assert_eq!(
        (&real["status"], &real["error"]),
        (&json!("FAILED"), &json!("States.Runtime")),
        "States.ALL does not catch it"
    );
    assert!(
        real["cause"]
            .as_str()
            .unwrap()
            .contains("sqs:sendMessage is not supported"),
        "{real}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_lambda_endpoint_have_awss_names() {
    let functions = TestSystem::start().await;
    let definition = |function: &str, asked: &str| {
        let parameters = json!({ "FunctionName": function, "Payload": { "do": asked } });
        let task = json!({ "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": parameters, "End": true });
        json!({ "StartAt": "Ask", "States": { "Ask": task } }).to_string()
    };
    let none = json!({ "StateMachines": {}, "MockedResponses": {} });
    let local = start(none.clone(), Some(functions.aws())).await;
    local.create(&definition("record-outcome", "fail")).await;
    assert_eq!(local.run("").await["error"], "Test.Refused");
    let update = |definition: String| json!({ "stateMachineArn": MACHINE, "definition": definition });
    local.call("UpdateStateMachine", update(definition("nobody", ""))).await;
    assert_eq!(local.run("").await["error"], "Lambda.ResourceNotFoundException");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let local = start(none.clone(), Some(url)).await;
    local.create(&definition("record-outcome", "")).await;
    assert_eq!(local.run("").await["error"], "Lambda.SdkClientException");
    let local = start(none, None).await;
    local.create(&definition("record-outcome", "")).await;
    assert_eq!(local.run("").await["error"], "Lambda.ResourceNotFoundException");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_case_that_does_not_exist_is_refused() {
    let local = start(mocks(), None).await;
    local.create(DEFINITION).await;
    for (arn, name) in [
        (format!("{MACHINE}#Nothing"), "InvalidArn"),
        (format!("{MACHINE}#"), "InvalidArn"),
        (format!("{MACHINE}x#All"), "StateMachineDoesNotExist"),
    ] {
        let refused = local.call("StartExecution", json!({ "stateMachineArn": arn })).await;
        assert_eq!(refused.json()["__type"], name, "{arn}");
    }
    let tested = TestSystem::start().await;
    let arn = format!("{}#All", tested.machine());
    let body = json!({ "stateMachineArn": arn }).to_string();
    let refused = aws(&tested.aws(), "AWSStepFunctions.StartExecution", &body).await;
    assert_eq!(
        refused.json()["__type"],
        "StateMachineDoesNotExist",
        "only where there are test cases"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_start_takes_a_test_case_too() {
    let local = start(mocks(), None).await;
    let role = "arn:aws:iam::012345678901:role/DummyRole";
    let body = json!({ "name": "own", "definition": DEFINITION, "roleArn": role, "type": "EXPRESS" });
    local.call("CreateStateMachine", body).await;
    let body = json!({ "stateMachineArn": format!("{MACHINE}#All") });
    let ended = local.call("StartSyncExecution", body).await.json();
    assert_eq!(
        (&ended["status"], &ended["stateMachineArn"]),
        (&json!("SUCCEEDED"), &json!(MACHINE))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_usual_port_answers_the_same() {
    let local = start(mocks(), None).await;
    local.create(DEFINITION).await;
    let body = json!({ "stateMachineArn": MACHINE }).to_string();
    let described = aws(&local.system.aws_url(), "AWSStepFunctions.DescribeStateMachine", &body).await;
    assert_eq!(described.json()["name"], "own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_can_not_be_used_stops_the_start_with_a_place() {
    let files = tempfile::tempdir().unwrap();
    let broken =
        json!({ "StateMachines": { "own": { "TestCases": { "All": { "Ask": "No" } } } }, "MockedResponses": {} });
    let config = config(files.path(), &broken);
    let refused = System::start(config.clone()).await.unwrap_err().to_string();
    assert!(
        refused.starts_with("SFN_MOCK_CONFIG ") && refused.contains("mocks.json: "),
        "{refused}"
    );
    assert!(
        refused.contains("/StateMachines/own/TestCases/All/Ask: there is no mocked response \"No\""),
        "{refused}"
    );
    fs::write(files.path().join("mocks.json"), "{\n  \"StateMachines\": }").unwrap();
    let refused = System::start(config.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("line 2 column"), "{refused}");
    fs::remove_file(files.path().join("mocks.json")).unwrap();
    let refused = System::start(config.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("No such file"), "{refused}");
    let elsewhere = Config {
        step_functions_local: Some(StepFunctionsLocal {
            lambda_endpoint: Some("localhost:3001".to_owned()),
            ..StepFunctionsLocal::default()
        }),
        ..Config::without_circuits()
    };
    let refused = System::start(elsewhere).await.unwrap_err().to_string();
    assert!(refused.starts_with("LAMBDA_ENDPOINT localhost:3001: "), "{refused}");
    let account = Config {
        account: "1".to_owned(),
        ..Config::without_circuits()
    };
    let refused = System::start(account).await.unwrap_err().to_string();
    assert_eq!(refused, "the account \"1\", allowed: twelve digits");
}
