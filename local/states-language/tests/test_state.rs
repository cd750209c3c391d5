//! Single states tried out. What `inspectionData` holds is as recorded on AWS where a test says so.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use serde_json::{Value, json};
use states_language::{Machine, Mock, StateTest, TestRefused, Tested, test_state};
use support::{PausedClock, Script, result};

async fn tried(state: &Value, test: StateTest) -> Result<Tested, TestRefused> {
    let machine = Machine::around_state(&state.to_string(), &|_| true).unwrap_or_else(|invalid| panic!("{invalid}"));
    let script = Script::new(vec![result(json!({ "real": true }))]);
    test_state(&machine, None, test, &script, &PausedClock::new()).await
}

/// Everything told, as the API would.
async fn told(state: Value, test: StateTest) -> Value {
    let tested = tried(&state, test).await.unwrap();
    let mut told = json!({ "status": tested.status.as_str(), "inspectionData": tested.inspection });
    for (name, value) in [
        ("output", tested.output),
        ("error", tested.error.map(Value::from)),
        ("cause", tested.cause.map(Value::from)),
        ("nextState", tested.next_state.map(Value::from)),
    ] {
        if let Some(value) = value {
            told[name] = value;
        }
    }
    told
}

fn given(input: Value) -> StateTest {
    StateTest {
        input,
        ..StateTest::default()
    }
}

fn mocked(input: Value, mock: Mock) -> StateTest {
    StateTest {
        mock: Some(mock),
        ..given(input)
    }
}

fn boom() -> Mock {
    Mock::Error {
        error: "Boom".into(),
        cause: "because".into(),
    }
}

/// Seen on AWS: a Pass with a Result tells nothing of its input's way.
#[tokio::test(start_paused = true)]
async fn a_pass_tells_its_payload_at_each_step() {
    let state =
        json!({ "Type": "Pass", "InputPath": "$.a", "Parameters": { "v.$": "$.b" }, "ResultPath": "$.r", "End": true });
    assert_eq!(
        told(state, given(json!({ "a": { "b": 1 } }))).await,
        json!({ "status": "SUCCEEDED", "output": { "a": { "b": 1 }, "r": { "v": 1 } }, "inspectionData": {
            "input": r#"{"a":{"b":1}}"#, "afterInputPath": r#"{"b":1}"#, "afterParameters": r#"{"v":1}"#,
            "afterResultSelector": r#"{"v":1}"#, "afterResultPath": r#"{"a":{"b":1},"r":{"v":1}}"# } })
    );
    let state = json!({ "Type": "Pass", "Result": 7, "Next": "T" });
    assert_eq!(
        told(state, given(json!({}))).await,
        json!({ "status": "SUCCEEDED", "output": 7, "nextState": "T", "inspectionData": {
            "input": "{}", "result": "7", "afterResultSelector": "7", "afterResultPath": "7" } })
    );
    let state = json!({ "Type": "Pass", "End": true });
    assert_eq!(
        told(state, given(json!(1))).await,
        json!({ "status": "SUCCEEDED", "output": 1, "inspectionData": { "input": "1", "afterInputPath": "1",
            "afterParameters": "1", "afterResultSelector": "1", "afterResultPath": "1" } })
    );
}

/// Seen on AWS: these tell their input and nothing more.
#[tokio::test(start_paused = true)]
async fn choice_succeed_fail_and_wait_tell_their_input() {
    let seen = json!({ "input": "1", "afterInputPath": "1" });
    let choice = json!({ "Type": "Choice", "Choices": [{ "Variable": "$", "NumericEquals": 1, "Next": "One" }], "Default": "Other" });
    assert_eq!(
        told(choice, given(json!(1))).await,
        json!({ "status": "SUCCEEDED", "output": 1, "nextState": "One", "inspectionData": seen })
    );
    assert_eq!(
        told(json!({ "Type": "Succeed" }), given(json!(1))).await,
        json!({ "status": "SUCCEEDED", "output": 1, "inspectionData": seen })
    );
    assert_eq!(
        told(json!({ "Type": "Fail", "Error": "E", "Cause": "C" }), given(json!(1))).await,
        json!({ "status": "FAILED", "error": "E", "cause": "C", "inspectionData": seen })
    );
    assert_eq!(
        told(json!({ "Type": "Wait", "Seconds": 60, "Next": "T" }), given(json!(1))).await,
        json!({ "status": "SUCCEEDED", "output": 1, "nextState": "T", "inspectionData": seen })
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_runs_or_is_mocked() {
    let task = json!({ "Type": "Task", "Resource": "r", "Parameters": { "p": 1 }, "ResultSelector": { "s.$": "$" },
        "ResultPath": "$.r", "OutputPath": "$.r", "Next": "T" });
    let expected = |result: &Value| {
        let selected = json!({ "s": result });
        json!({ "status": "SUCCEEDED", "output": selected, "nextState": "T", "inspectionData": {
            "input": "{}", "afterInputPath": "{}", "afterParameters": r#"{"p":1}"#, "result": result.to_string(),
            "afterResultSelector": selected.to_string(), "afterResultPath": json!({ "r": selected }).to_string() } })
    };
    assert_eq!(
        told(task.clone(), given(json!({}))).await,
        expected(&json!({ "real": true }))
    );
    let mock = Mock::Result(json!([1]));
    assert_eq!(told(task, mocked(json!({}), mock)).await, expected(&json!([1])));
}

#[tokio::test(start_paused = true)]
async fn an_error_is_retriable_caught_or_the_end() {
    let task = json!({ "Type": "Task", "Resource": "r", "End": true,
        "Retry": [{ "ErrorEquals": ["Other"] }, { "ErrorEquals": ["Boom"], "IntervalSeconds": 3, "MaxAttempts": 2 }],
        "Catch": [{ "ErrorEquals": ["Other"], "Next": "N" }, { "ErrorEquals": ["States.ALL"], "ResultPath": "$.e", "Next": "C" }] });
    let seen = |details: Value| json!({ "input": r#"{"a":1}"#, "afterInputPath": r#"{"a":1}"#, "afterParameters": r#"{"a":1}"#, "errorDetails": details });
    for (retry_count, backoff) in [(0, 3), (1, 6)] {
        let test = StateTest {
            retry_count,
            ..mocked(json!({ "a": 1 }), boom())
        };
        let details = json!({ "retryIndex": 1, "retryBackoffIntervalSeconds": backoff });
        assert_eq!(
            told(task.clone(), test).await,
            json!({ "status": "RETRIABLE", "error": "Boom", "cause": "because", "inspectionData": seen(details) })
        );
    }
    let test = StateTest {
        retry_count: 2,
        ..mocked(json!({ "a": 1 }), boom())
    };
    assert_eq!(
        told(task.clone(), test).await,
        json!({ "status": "CAUGHT_ERROR", "error": "Boom", "cause": "because", "nextState": "C",
            "output": { "a": 1, "e": { "Error": "Boom", "Cause": "because" } }, "inspectionData": seen(json!({ "catchIndex": 1 })) })
    );
    let plain = json!({ "Type": "Task", "Resource": "r", "End": true });
    let told = told(plain, mocked(json!({}), boom())).await;
    assert_eq!(
        (&told["status"], &told["error"], &told["output"]),
        (&json!("FAILED"), &json!("Boom"), &Value::Null)
    );
}

#[tokio::test(start_paused = true)]
async fn a_map_and_a_parallel_come_to_their_mock() {
    let inner = json!({ "StartAt": "I", "States": { "I": { "Type": "Task", "Resource": "r", "End": true } } });
    let map = json!({ "Type": "Map", "ItemsPath": "$.l", "ItemSelector": { "i.$": "$$.Map.Item.Index" }, "MaxConcurrency": 5,
        "ItemProcessor": inner, "ResultPath": "$.r", "End": true });
    assert_eq!(
        told(map.clone(), mocked(json!({ "l": [7, 8] }), Mock::Result(json!([1, 2])))).await,
        json!({ "status": "SUCCEEDED", "output": { "l": [7, 8], "r": [1, 2] }, "inspectionData": {
            "input": r#"{"l":[7,8]}"#, "afterInputPath": r#"{"l":[7,8]}"#, "afterItemsPath": "[7,8]",
            "afterItemSelector": r#"[{"i":0},{"i":1}]"#, "result": "[1,2]", "afterResultSelector": "[1,2]",
            "afterResultPath": r#"{"l":[7,8],"r":[1,2]}"#, "maxConcurrency": 5 } })
    );
    let parallel = json!({ "Type": "Parallel", "Branches": [inner], "End": true,
        "Catch": [{ "ErrorEquals": ["States.BranchFailed"], "Next": "C" }] });
    let caught = told(parallel.clone(), mocked(json!({}), boom())).await;
    assert_eq!(
        (&caught["status"], &caught["nextState"]),
        (&json!("CAUGHT_ERROR"), &json!("C"))
    );

    let refused = async |state: &Value, test| tried(state, test).await.unwrap_err();
    assert_eq!(refused(&map, given(json!({}))).await, TestRefused::MockRequired);
    assert_eq!(
        refused(&map, mocked(json!({}), Mock::Result(json!({})))).await,
        TestRefused::MockNoArray
    );
    assert_eq!(
        refused(&parallel, mocked(json!({}), Mock::Result(json!([1, 2])))).await,
        TestRefused::MockLength
    );
    let pass = json!({ "Type": "Pass", "End": true });
    assert_eq!(
        refused(&pass, mocked(json!({}), boom())).await.to_string(),
        "State type 'Pass' is not supported when a mock is specified"
    );
}

#[tokio::test(start_paused = true)]
async fn any_state_of_a_machine_is_tested_by_its_name_with_a_context() {
    let definition = json!({ "StartAt": "M", "States": { "M": { "Type": "Map", "End": true, "ItemProcessor": {
        "StartAt": "I", "States": { "I": { "Type": "Pass", "Parameters": { "x.$": "$$.Map.Item.Value", "n.$": "$$.State.Name" }, "Next": "J" },
            "J": { "Type": "Succeed" } } } } } });
    let machine = Machine::parse(&definition.to_string(), &|_| true).unwrap();
    let test = |context| StateTest {
        context: Some(context),
        ..StateTest::default()
    };
    let (script, clock) = (Script::new(vec![]), PausedClock::new());
    let context = json!({ "Map": { "Item": { "Index": 0, "Value": "v" } } });
    let tested = test_state(&machine, Some("I"), test(context), &script, &clock)
        .await
        .unwrap();
    assert_eq!(tested.output, Some(json!({ "x": "v", "n": "I" })));
    assert_eq!(tested.next_state.as_deref(), Some("J"));

    let tested = test_state(&machine, Some("I"), test(json!({})), &script, &clock)
        .await
        .unwrap();
    assert_eq!(tested.error.as_deref(), Some("States.Runtime"));
    assert!(
        tested
            .cause
            .unwrap()
            .starts_with("An error occurred while executing the state 'I'. The JSONPath '$$.Map.Item.Value'")
    );

    let missing = test_state(&machine, Some("X"), test(json!({})), &script, &clock).await;
    assert_eq!(missing.unwrap_err(), TestRefused::NoSuchState { state: "X".into() });
}

#[test]
fn a_state_by_itself_is_checked_like_one_of_a_machine() {
    let refused = |state: &str| {
        let invalid = Machine::around_state(state, &|_| true).unwrap_err();
        let [diagnostic] = invalid.diagnostics.as_slice() else {
            panic!("{invalid}")
        };
        (diagnostic.code, diagnostic.location.clone())
    };
    assert_eq!(refused("{"), ("INVALID_JSON_DESCRIPTION", "/".into()));
    assert_eq!(refused("{}"), ("SCHEMA_VALIDATION_FAILED", "/".into()));
    assert_eq!(
        refused(r#"{"Type":"Pass","End":true,"InputPath":"x"}"#),
        ("SCHEMA_VALIDATION_FAILED", "/InputPath".into())
    );
    assert!(Machine::around_state(r#"{"Type":"Pass","Next":"StateName"}"#, &|_| true).is_ok());
}
