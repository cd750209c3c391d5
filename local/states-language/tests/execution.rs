//! What a table can't say: events in order, limits, time-outs of executions that never wait, and what is shared.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use states_language::{Event, Machine, NoObserver, Observer, Outcome, Start, StateKind, SystemClock, run};
use support::{Act, PausedClock, Recorder, Script, execute, failed, result};

#[tokio::test(start_paused = true)]
async fn events_tell_each_step_in_order_with_its_time_and_payload() {
    let definition = json!({
        "StartAt": "Ask",
        "States": {
            "Ask": {
                "Type": "Task", "Resource": "r", "Parameters": { "p.$": "$.a" }, "TimeoutSeconds": 2,
                "Retry": [{ "ErrorEquals": ["Other"] }, { "ErrorEquals": ["Boom"] }],
                "Catch": [{ "ErrorEquals": ["Other"], "Next": "End" }, { "ErrorEquals": ["States.Timeout"], "ResultPath": null, "Next": "Which?" }],
                "Next": "End",
            },
            "Which?": { "Type": "Choice", "Choices": [
                { "Variable": "$.a", "IsNull": true, "Next": "End" },
                { "Variable": "$.a", "NumericEquals": 1, "Next": "Again" },
            ], "Default": "End" },
            "Again": { "Type": "Choice", "Choices": [{ "Variable": "$.a", "IsNull": true, "Next": "Which?" }], "Default": "Work" },
            "Work": { "Type": "Task", "Resource": "s", "Next": "End" },
            "End": { "Type": "Fail", "Error": "E", "Cause": "C" },
        },
    });
    let boom = Act {
        error: Some("Boom".into()),
        cause: "b".into(),
        ..Act::default()
    };
    let script = Script::new(vec![
        boom,
        Act {
            hangs: true,
            ..Act::default()
        },
        result(json!(2)),
    ]);
    let recorder = Recorder::default();
    let start = Start {
        role_arn: "role".into(),
        ..Start::new(json!({ "a": 1 }))
    };
    let (outcome, _) = execute(&definition.to_string(), start, &script, &recorder).await;
    assert_eq!(failed(outcome), ("E".into(), "C".into()));
    let a = r#"Object {"a": Number(1)}"#;
    let p = r#"Object {"p": Number(1)}"#;
    let expected = [
        format!(r#"0 ExecutionStarted {{ input: {a}, role_arn: "role" }}"#),
        format!(r#"0 StateEntered {{ state: "Ask", kind: Task, input: {a} }}"#),
        format!(
            r#"0 TaskScheduled {{ state: "Ask", resource: "r", parameters: {p}, timeout: Some(2s), heartbeat: None }}"#
        ),
        r#"0 TaskStarted { state: "Ask", resource: "r" }"#.into(),
        r#"0 TaskFailed { state: "Ask", resource: "r", error: "Boom", cause: "b" }"#.into(),
        r#"0 Retried { state: "Ask", retrier: 1, error: "Boom", cause: "b", retry_count: 1, wait: 1s }"#.into(),
        format!(
            r#"1000 TaskScheduled {{ state: "Ask", resource: "r", parameters: {p}, timeout: Some(2s), heartbeat: None }}"#
        ),
        r#"1000 TaskStarted { state: "Ask", resource: "r" }"#.into(),
        r#"3000 TaskTimedOut { state: "Ask", resource: "r", error: "States.Timeout", cause: "" }"#.into(),
        r#"3000 Caught { state: "Ask", catcher: 1, error: "States.Timeout", cause: "", next: "Which?" }"#.into(),
        format!(r#"3000 StateExited {{ state: "Ask", kind: Task, output: {a} }}"#),
        format!(r#"3000 StateEntered {{ state: "Which?", kind: Choice, input: {a} }}"#),
        r#"3000 ChoiceTaken { state: "Which?", rule: Some(1), next: "Again" }"#.into(),
        format!(r#"3000 StateExited {{ state: "Which?", kind: Choice, output: {a} }}"#),
        format!(r#"3000 StateEntered {{ state: "Again", kind: Choice, input: {a} }}"#),
        r#"3000 ChoiceTaken { state: "Again", rule: None, next: "Work" }"#.into(),
        format!(r#"3000 StateExited {{ state: "Again", kind: Choice, output: {a} }}"#),
        format!(r#"3000 StateEntered {{ state: "Work", kind: Task, input: {a} }}"#),
        format!(
            r#"3000 TaskScheduled {{ state: "Work", resource: "s", parameters: {a}, timeout: None, heartbeat: None }}"#
        ),
        r#"3000 TaskStarted { state: "Work", resource: "s" }"#.into(),
        r#"3000 TaskSucceeded { state: "Work", resource: "s", output: Number(2) }"#.into(),
        r#"3000 StateExited { state: "Work", kind: Task, output: Number(2) }"#.into(),
        r#"3000 StateEntered { state: "End", kind: Fail, input: Number(2) }"#.into(),
        r#"3000 ExecutionFailed { error: "E", cause: "C" }"#.into(),
    ];
    let events = recorder.events();
    for (found, expected) in events.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(events.len(), expected.len());
}

#[test]
fn an_outline_names_every_state_rule_and_catcher() {
    let definition = json!({
        "StartAt": "A",
        "States": {
            "A": { "Type": "Task", "Resource": "r", "Catch": [{ "ErrorEquals": ["X"], "Next": "B" }, { "ErrorEquals": ["Y"], "Next": "C" }], "Next": "B" },
            "B": { "Type": "Choice", "Choices": [{ "Variable": "$", "IsNull": true, "Next": "C" }] },
            "C": { "Type": "Succeed" },
        },
    });
    let machine = Machine::parse(&definition.to_string(), &|_| true).unwrap();
    let outline: Vec<_> = machine
        .outline()
        .map(|state| {
            (
                state.name,
                state.kind,
                state.rules,
                state.has_default,
                state.catchers,
                state.resource,
            )
        })
        .collect();
    assert_eq!(
        outline,
        [
            ("A", StateKind::Task, 0, false, 2, Some("r")),
            ("B", StateKind::Choice, 1, false, 0, None),
            ("C", StateKind::Succeed, 0, false, 0, None),
        ]
    );
}

const ENDLESS: &str = r#"{"StartAt":"A","TimeoutSeconds":1,"States":{
    "A":{"Type":"Choice","Choices":[{"Variable":"$.stop","IsPresent":true,"Next":"B"}],"Default":"A"},"B":{"Type":"Succeed"}}}"#;

#[tokio::test]
async fn an_execution_that_never_waits_times_out_and_lets_others_run_meanwhile() {
    let machine = Arc::new(Machine::parse(ENDLESS, &|_| true).unwrap());
    let endless = tokio::spawn(async move {
        let script = Script::new(vec![]);
        run(&machine, Start::default(), &script, &SystemClock, &NoObserver).await
    });
    // One thread: this only gets on if the endless execution steps aside.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!endless.is_finished());
    let outcome = tokio::time::timeout(Duration::from_secs(30), endless)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        outcome,
        Outcome::TimedOut {
            error: "States.Timeout".into(),
            cause: String::new()
        }
    );
}

#[tokio::test(start_paused = true)]
async fn the_lesser_of_the_machine_s_and_the_start_s_limit_holds() {
    let hang = || {
        Script::new(vec![Act {
            hangs: true,
            ..Act::default()
        }])
    };
    for (own, given, expected) in [
        (Some(9), Some(4), 4),
        (Some(4), Some(9), 4),
        (None, Some(5), 5),
        (Some(6), None, 6),
    ] {
        let mut definition =
            json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": "r", "End": true } } });
        if let Some(own) = own {
            definition["TimeoutSeconds"] = json!(own);
        }
        let start = Start {
            time_limit: given.map(Duration::from_secs),
            ..Start::default()
        };
        let recorder = Recorder::default();
        let (outcome, elapsed) = execute(&definition.to_string(), start, &hang(), &recorder).await;
        assert!(matches!(outcome, Outcome::TimedOut { .. }), "{outcome:?}");
        assert_eq!(elapsed.as_secs(), expected);
        assert!(recorder.events().last().unwrap().contains("ExecutionTimedOut"));
    }
}

#[tokio::test(start_paused = true)]
async fn full_jitter_waits_at_most_the_whole_interval() {
    let definition = json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": "r", "End": true,
        "Retry": [{ "ErrorEquals": ["Boom"], "IntervalSeconds": 10, "BackoffRate": 1, "JitterStrategy": "FULL" }] } } });
    let boom = Act {
        error: Some("Boom".into()),
        ..Act::default()
    };
    let script = Script::new(vec![boom.clone(), boom.clone(), boom, result(json!(1))]);
    let (outcome, elapsed) = execute(&definition.to_string(), Start::default(), &script, &NoObserver).await;
    assert_eq!(outcome, Outcome::Succeeded { output: json!(1) });
    assert!(elapsed < Duration::from_secs(30), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn one_machine_runs_many_executions_at_once() {
    let definition = json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": "r", "ResultPath": "$.r", "End": true } } });
    let machine = Arc::new(Machine::parse(&definition.to_string(), &|_| true).unwrap());
    let clock = Arc::new(PausedClock::new());
    let executions: Vec<_> = (0..50)
        .map(|number| {
            let (machine, clock) = (Arc::clone(&machine), Arc::clone(&clock));
            tokio::spawn(async move {
                let script = Script::new(vec![Act {
                    after_ms: 100,
                    ..result(json!(number))
                }]);
                run(
                    &machine,
                    Start::new(json!({ "n": number })),
                    &script,
                    &*clock,
                    &NoObserver,
                )
                .await
            })
        })
        .collect();
    for (number, execution) in executions.into_iter().enumerate() {
        assert_eq!(
            execution.await.unwrap(),
            Outcome::Succeeded {
                output: json!({ "n": number, "r": number })
            }
        );
    }
    assert_eq!(
        clock.elapsed(),
        Duration::from_millis(100),
        "side by side, not one after the other"
    );
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_lent_payloads_rather_than_given_copies() {
    /// Notes where the payload of the last StateExited and the next StateEntered lies.
    struct Addresses(std::sync::Mutex<Vec<usize>>);
    impl Observer for Addresses {
        fn event(&self, _: time::OffsetDateTime, event: &Event<'_>) {
            let payload = match event {
                Event::ExecutionStarted { input, .. } | Event::StateEntered { input, .. } => input,
                Event::StateExited { output, .. } | Event::ExecutionSucceeded { output } => output,
                _ => return,
            };
            self.0
                .lock()
                .unwrap()
                .push(payload["big"].as_str().unwrap().as_ptr() as usize);
        }
    }
    let definition = json!({ "StartAt": "A", "States": {
        "A": { "Type": "Pass", "Result": 1, "ResultPath": "$.r", "Next": "B" },
        "B": { "Type": "Choice", "Choices": [{ "Variable": "$.r", "IsNumeric": true, "Next": "C" }] },
        "C": { "Type": "Task", "Resource": "r", "Parameters": {}, "ResultPath": "$.t", "Next": "D" },
        "D": { "Type": "Succeed" },
    } });
    let addresses = Addresses(std::sync::Mutex::default());
    let input = json!({ "big": "x".repeat(100_000) });
    let script = Script::new(vec![result(json!(2))]);
    let (outcome, _) = execute(&definition.to_string(), Start::new(input), &script, &addresses).await;
    assert!(matches!(outcome, Outcome::Succeeded { .. }));
    let mut seen = addresses.0.into_inner().unwrap();
    assert_eq!(seen.len(), 10);
    seen.dedup();
    assert_eq!(seen.len(), 1, "a large text is moved from state to state, never copied");
}
