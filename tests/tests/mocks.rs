//! Every test case of `statemachine/mocks.json`, the file that Step Functions Local takes: run here in its manner, with what
//! `statemachine/mocks.expected.json` expects; and what the cases cover of the definition.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use stepbreaker_local::{Config, StepFunctionsLocal, System};
use stepbreaker_tests::Coverage;

const DEFINITION: &str = include_str!("../../statemachine/circuit-breaker.asl.json");
const MOCKS: &str = include_str!("../../statemachine/mocks.json");
const EXPECTED: &str = include_str!("../../statemachine/mocks.expected.json");
const MACHINE: &str = "circuit-wholesaler-stock";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    input: Value,
    /// What the output has at least.
    output: Map<String, Value>,
}

/// The port where Step Functions Local would be.
struct Port {
    client: reqwest::Client,
    url: String,
    machine: String,
}

impl Port {
    async fn call(&self, operation: &str, body: &Value) -> Value {
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", format!("AWSStepFunctions.{operation}"))
            .body(body.to_string());
        let answer = request.send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Starts a case as tests for Step Functions Local do, and waits for the execution's end.
    async fn run(&self, case: &str, input: &Value) -> Value {
        let start = json!({ "stateMachineArn": format!("{}#{case}", self.machine), "input": input.to_string() });
        let started = self.call("StartExecution", &start).await;
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let body = json!({ "executionArn": started["executionArn"] });
            let described = self.call("DescribeExecution", &body).await;
            if described["status"] != "RUNNING" {
                return described;
            }
            assert!(Instant::now() < deadline, "{case} still runs: {started}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

fn client() -> reqwest::Client {
    // A client wants to know how to speak TLS, although nothing here does.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../statemachine")
        .join(file)
}

fn differences(case: &str, ended: &Value, expected: &Expected) -> Option<String> {
    let output: Value = ended["output"]
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())?;
    let differs = expected
        .output
        .iter()
        .find(|(name, value)| output[name.as_str()] != **value);
    differs.map(|(name, value)| format!("{case}: {name} is {}, expected {value}", output[name.as_str()]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_mocked_case_ends_as_expected_and_every_part_of_the_definition_is_taken() {
    let coverage = Arc::new(Coverage::default());
    let system = System::start(Config {
        observer: Some(coverage.clone()),
        step_functions_local: Some(StepFunctionsLocal {
            mock_config: Some(path("mocks.json")),
            ..StepFunctionsLocal::default()
        }),
        account: StepFunctionsLocal::ACCOUNT.to_owned(),
        ..Config::new(path("circuits"))
    })
    .await
    .unwrap_or_else(|error| panic!("{error}"));
    let port = Port {
        client: client(),
        url: system.step_functions_local_url().unwrap(),
        machine: format!("arn:aws:states:us-east-1:123456789012:stateMachine:{MACHINE}"),
    };

    let mocks: Value = serde_json::from_str(MOCKS).unwrap();
    let cases = mocks["StateMachines"][MACHINE]["TestCases"].as_object().unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_str(EXPECTED).unwrap();
    let mut failed: Vec<String> = expected
        .keys()
        .filter(|case| !cases.contains_key(*case))
        .map(|case| format!("{case}: there is an expectation, and no such case in mocks.json"))
        .collect();
    for case in cases.keys() {
        let Some(expected) = expected.get(case) else {
            failed.push(format!("{case}: there is no expectation in mocks.expected.json"));
            continue;
        };
        let ended = port.run(case, &expected.input).await;
        if ended["status"] == "SUCCEEDED" {
            failed.extend(differences(case, &ended, expected));
        } else {
            failed.push(format!("{case}: {ended}"));
        }
    }
    let report = coverage.report(DEFINITION).unwrap();
    // Not with `print!`, which is only shown when a test fails.
    let text = format!("{} mocked cases; coverage of the definition: {report}\n", cases.len());
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/mock-cases.txt");
    std::fs::write(target, &text).unwrap();
    system.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(
        report.missed().is_empty(),
        "no case of statemachine/mocks.json takes {}",
        report.missed().join(", ")
    );
}
