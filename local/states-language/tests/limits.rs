//! Payloads at and past the limits.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use serde_json::{Value, json};
use states_language::{MAX_PAYLOAD_BYTES, NoObserver, Outcome, Start};
use support::{Recorder, Script, execute, failed, result};

/// A text whose JSON has this many bytes.
fn text(bytes: usize) -> Value {
    Value::String("x".repeat(bytes - 2))
}

#[tokio::test(start_paused = true)]
async fn each_payload_may_be_as_long_as_the_limit_and_no_longer() {
    let caught = |mut task: Value| {
        task["Catch"] = json!([{ "ErrorEquals": ["States.DataLimitExceeded"], "Next": "C" }, { "ErrorEquals": ["States.ALL"], "Next": "C" }]);
        json!({ "StartAt": "S", "States": { "S": task, "C": { "Type": "Succeed" } } }).to_string()
    };
    let pass = |state: Value| json!({ "StartAt": "S", "States": { "S": state } }).to_string();
    // The bytes that a definition adds to a text that it is given.
    let wrapped = r#"{"v":}"#.len();
    let beside = r#"{"a":,"b":1}"#.len();
    for (what, definition, overhead, by_task) in [
        ("an input", pass(json!({ "Type": "Succeed" })), 0, false),
        (
            "a result",
            caught(json!({ "Type": "Task", "Resource": "r", "ResultPath": null, "End": true })),
            0,
            true,
        ),
        (
            "a selected result",
            pass(json!({ "Type": "Task", "Resource": "r", "ResultSelector": { "v.$": "$" }, "End": true })),
            wrapped,
            true,
        ),
        (
            "a placed result",
            pass(json!({ "Type": "Task", "Resource": "r", "ResultPath": "$.v", "End": true })),
            wrapped,
            true,
        ),
        (
            "parameters",
            caught(
                json!({ "Type": "Task", "Resource": "r", "Parameters": { "v.$": "$" }, "ResultPath": null, "End": true }),
            ),
            wrapped,
            false,
        ),
        (
            "an output",
            pass(json!({ "Type": "Pass", "Parameters": { "a.$": "$", "b": 1 }, "End": true })),
            beside,
            false,
        ),
        (
            "a filtered output",
            pass(json!({ "Type": "Succeed", "OutputPath": "$[*]" })),
            0,
            false,
        ),
    ] {
        for (bytes, fits) in [
            (MAX_PAYLOAD_BYTES - 1, true),
            (MAX_PAYLOAD_BYTES, true),
            (MAX_PAYLOAD_BYTES + 1, false),
        ] {
            let payload = text(bytes - overhead);
            let (input, acts) = match by_task {
                true => (json!({}), vec![result(payload)]),
                false if what == "a filtered output" => (json!([text(bytes - 2)]), vec![]),
                false => (payload, vec![result(json!(1))]),
            };
            let script = Script::new(acts);
            let (outcome, _) = execute(&definition, Start::new(input), &script, &NoObserver).await;
            match outcome {
                Outcome::Succeeded { .. } => assert!(fits, "{what} of {bytes} bytes"),
                other => {
                    let (error, cause) = failed(other);
                    assert_eq!(
                        (error.as_str(), fits),
                        ("States.DataLimitExceeded", false),
                        "{what}: {bytes}"
                    );
                    assert!(cause.len() < 200, "the payload stays out of the cause");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_oversized_result_is_told_as_a_failed_task() {
    let definition = json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": "res", "End": true } } });
    let recorder = Recorder::default();
    let script = Script::new(vec![result(text(MAX_PAYLOAD_BYTES + 1))]);
    let (outcome, _) = execute(&definition.to_string(), Start::default(), &script, &recorder).await;
    let cause =
        "The state/task 'res' returned a result with a size exceeding the maximum number of bytes service limit.";
    assert_eq!(failed(outcome), ("States.DataLimitExceeded".into(), cause.into()));
    assert!(
        recorder
            .events()
            .iter()
            .any(|event| event.contains("TaskFailed") && event.contains(cause))
    );
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_wraps_its_own_output_ends_at_the_depth_limit() {
    let definition = json!({ "StartAt": "S", "States": {
        "S": { "Type": "Pass", "Parameters": { "a.$": "$" }, "Next": "Again?" },
        "Again?": { "Type": "Choice", "Choices": [{ "Variable": "$.stop", "IsPresent": true, "Next": "T" }], "Default": "S" },
        "T": { "Type": "Succeed" },
    } });
    let (outcome, _) = execute(
        &definition.to_string(),
        Start::default(),
        &Script::new(vec![]),
        &NoObserver,
    )
    .await;
    let (error, cause) = failed(outcome);
    assert_eq!(error, "States.DataLimitExceeded");
    assert!(cause.contains("nested deeper than 256 levels"), "{cause}");
}
