//! Histories as AWS records them: types, ids, details.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use std::time::Duration;

use serde_json::{Value, json};
use states_language::history::History;
use states_language::{Machine, Outcome, Start, run};
use support::{Act, PausedClock, Script, execute, result};

/// Type, id and previous id of each event.
async fn history(definition: &Value, input: Value, acts: Vec<Act>) -> Vec<Value> {
    let history = History::new("eu-west-1");
    let start = Start {
        role_arn: "role".into(),
        ..Start::new(input)
    };
    execute(&definition.to_string(), start, &Script::new(acts), &history).await;
    serialized(&history)
}

fn serialized(history: &History) -> Vec<Value> {
    history.with_events(|events| {
        events
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect()
    })
}

fn line(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let about = ["stateEnteredEventDetails", "stateExitedEventDetails"]
                .into_iter()
                .find_map(|details| event[details]["name"].as_str());
            format!(
                "{} {} after {}{}",
                event["id"],
                event["type"].as_str().unwrap(),
                event["previousEventId"],
                about.map(|name| format!(": {name}")).unwrap_or_default()
            )
        })
        .collect()
}

fn boom() -> Act {
    Act {
        error: Some("Boom".into()),
        cause: "because".into(),
        ..Act::default()
    }
}

#[tokio::test(start_paused = true)]
async fn each_event_has_the_fields_of_aws_s_api() {
    let definition = json!({ "StartAt": "Ask", "States": {
        "Ask": { "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "TimeoutSeconds": 3, "HeartbeatSeconds": 2,
            "Parameters": { "FunctionName": "f" }, "Retry": [{ "ErrorEquals": ["Boom"] }], "Next": "Say" },
        "Say": { "Type": "Succeed" },
    } });
    let events = history(&definition, json!({ "a": 1 }), vec![boom(), result(json!([1]))]).await;
    let at = |milliseconds: u32| json!(1_714_564_800.007 + f64::from(milliseconds) / 1000.0);
    let cut = json!({ "truncated": false });
    let scheduled = json!({ "resourceType": "lambda", "resource": "invoke", "region": "eu-west-1",
        "parameters": "{\"FunctionName\":\"f\"}", "timeoutInSeconds": 3, "heartbeatInSeconds": 2 });
    let resource = json!({ "resourceType": "lambda", "resource": "invoke" });
    let expected = [
        json!({ "timestamp": at(0), "type": "ExecutionStarted", "id": 1, "previousEventId": 0,
            "executionStartedEventDetails": { "input": "{\"a\":1}", "inputDetails": cut, "roleArn": "role" } }),
        json!({ "timestamp": at(0), "type": "TaskStateEntered", "id": 2, "previousEventId": 0,
            "stateEnteredEventDetails": { "name": "Ask", "input": "{\"a\":1}", "inputDetails": cut } }),
        json!({ "timestamp": at(0), "type": "TaskScheduled", "id": 3, "previousEventId": 2,
            "taskScheduledEventDetails": scheduled }),
        json!({ "timestamp": at(0), "type": "TaskStarted", "id": 4, "previousEventId": 3,
            "taskStartedEventDetails": resource }),
        json!({ "timestamp": at(0), "type": "TaskFailed", "id": 5, "previousEventId": 4,
            "taskFailedEventDetails": { "resourceType": "lambda", "resource": "invoke", "error": "Boom", "cause": "because" } }),
        json!({ "timestamp": at(1000), "type": "TaskScheduled", "id": 6, "previousEventId": 5,
            "taskScheduledEventDetails": scheduled }),
        json!({ "timestamp": at(1000), "type": "TaskStarted", "id": 7, "previousEventId": 6,
            "taskStartedEventDetails": resource }),
        json!({ "timestamp": at(1000), "type": "TaskSucceeded", "id": 8, "previousEventId": 7,
            "taskSucceededEventDetails": { "resourceType": "lambda", "resource": "invoke", "output": "[1]", "outputDetails": cut } }),
        json!({ "timestamp": at(1000), "type": "TaskStateExited", "id": 9, "previousEventId": 8,
            "stateExitedEventDetails": { "name": "Ask", "output": "[1]", "outputDetails": cut } }),
        json!({ "timestamp": at(1000), "type": "SucceedStateEntered", "id": 10, "previousEventId": 9,
            "stateEnteredEventDetails": { "name": "Say", "input": "[1]", "inputDetails": cut } }),
        json!({ "timestamp": at(1000), "type": "SucceedStateExited", "id": 11, "previousEventId": 10,
            "stateExitedEventDetails": { "name": "Say", "output": "[1]", "outputDetails": cut } }),
        json!({ "timestamp": at(1000), "type": "ExecutionSucceeded", "id": 12, "previousEventId": 11,
            "executionSucceededEventDetails": { "output": "[1]", "outputDetails": cut } }),
    ];
    for (found, expected) in events.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(events.len(), expected.len());
}

/// As recorded on AWS: what a time-out tells, and a function of one's own.
#[tokio::test(start_paused = true)]
async fn lambda_functions_and_activities_have_events_of_their_own() {
    let function = "arn:aws:lambda:eu-west-1:000000000000:function:f";
    let definition = json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": function, "TimeoutSeconds": 5,
        "Retry": [{ "ErrorEquals": ["Boom"], "MaxAttempts": 2 }], "End": true } } });
    let hang = Act {
        hangs: true,
        ..Act::default()
    };
    let events = history(&definition, json!(1), vec![boom(), hang]).await;
    assert_eq!(
        line(&events)[2..],
        [
            "3 LambdaFunctionScheduled after 2",
            "4 LambdaFunctionStarted after 3",
            "5 LambdaFunctionFailed after 4",
            "6 LambdaFunctionScheduled after 5",
            "7 LambdaFunctionStarted after 6",
            "8 LambdaFunctionTimedOut after 7",
            "9 ExecutionFailed after 8",
        ]
    );
    assert_eq!(
        events[2]["lambdaFunctionScheduledEventDetails"],
        json!({ "resource": function, "input": "1", "inputDetails": { "truncated": false }, "timeoutInSeconds": 5 })
    );
    assert_eq!(
        events[7]["lambdaFunctionTimedOutEventDetails"],
        json!({ "error": "States.Timeout" })
    );
    assert_eq!(
        events[8]["executionFailedEventDetails"],
        json!({ "error": "States.Timeout" })
    );

    let activity = "arn:aws:states:eu-west-1:000000000000:activity:a";
    let definition =
        json!({ "StartAt": "S", "States": { "S": { "Type": "Task", "Resource": activity, "End": true } } });
    let events = history(&definition, json!(1), vec![result(json!(2))]).await;
    assert_eq!(
        line(&events)[2..5],
        [
            "3 ActivityScheduled after 2",
            "4 ActivityStarted after 3",
            "5 ActivitySucceeded after 4"
        ]
    );
}

/// The previous ids are those of a Map with `MaxConcurrency` 1 as recorded on AWS: an iteration's end is passed by.
#[tokio::test(start_paused = true)]
async fn a_map_one_by_one_follows_the_last_state_of_each_iteration() {
    let definition = json!({ "StartAt": "M", "States": { "M": { "Type": "Map", "MaxConcurrency": 1, "End": true,
        "ItemProcessor": { "StartAt": "P", "States": { "P": { "Type": "Pass", "End": true } } } } } });
    let events = history(&definition, json!([7, 8]), vec![]).await;
    assert_eq!(
        line(&events),
        [
            "1 ExecutionStarted after 0",
            "2 MapStateEntered after 0: M",
            "3 MapStateStarted after 2",
            "4 MapIterationStarted after 3",
            "5 PassStateEntered after 4: P",
            "6 PassStateExited after 5: P",
            "7 MapIterationSucceeded after 6",
            "8 MapIterationStarted after 6",
            "9 PassStateEntered after 8: P",
            "10 PassStateExited after 9: P",
            "11 MapIterationSucceeded after 10",
            "12 MapStateSucceeded after 10",
            "13 MapStateExited after 10: M",
            "14 ExecutionSucceeded after 13",
        ]
    );
    assert_eq!(events[2]["mapStateStartedEventDetails"], json!({ "length": 2 }));
    assert_eq!(
        events[7]["mapIterationStartedEventDetails"],
        json!({ "name": "M", "index": 1 })
    );
}

/// As recorded on AWS for a Map whose iterations time out: the one that fails, then what is dropped.
#[tokio::test(start_paused = true)]
async fn a_failed_iteration_tells_of_the_others_that_are_dropped() {
    let definition = json!({ "StartAt": "M", "States": { "M": { "Type": "Map", "End": true,
        "ItemProcessor": { "StartAt": "T", "States": { "T": { "Type": "Task", "Resource": "r", "End": true } } } } } });
    let hang = Act {
        hangs: true,
        ..Act::default()
    };
    let late = Act { after_ms: 10, ..boom() };
    let events = history(&definition, json!([1, 2]), vec![late, hang]).await;
    assert_eq!(
        line(&events)[3..],
        [
            "4 MapIterationStarted after 3",
            "5 MapIterationStarted after 3",
            "6 TaskStateEntered after 4: T",
            "7 TaskScheduled after 6",
            "8 TaskStarted after 7",
            "9 TaskStateEntered after 5: T",
            "10 TaskScheduled after 9",
            "11 TaskStarted after 10",
            "12 TaskFailed after 8",
            "13 MapIterationFailed after 12",
            "14 TaskStateAborted after 12",
            "15 MapIterationAborted after 12",
            "16 MapStateFailed after 12",
            "17 ExecutionFailed after 16",
        ]
    );
    assert_eq!(
        events[14]["mapIterationAbortedEventDetails"],
        json!({ "name": "M", "index": 1 })
    );
}

#[tokio::test(start_paused = true)]
async fn a_parallel_s_branches_each_follow_their_own_events() {
    let definition = json!({ "StartAt": "P", "States": { "P": { "Type": "Parallel", "Next": "W", "Branches": [
        { "StartAt": "A", "States": { "A": { "Type": "Wait", "Seconds": 1, "End": true } } },
        { "StartAt": "B", "States": { "B": { "Type": "Choice", "Choices": [{ "Variable": "$", "IsPresent": true, "Next": "C" }] }, "C": { "Type": "Succeed" } } },
    ] }, "W": { "Type": "Fail", "Error": "E", "Cause": "C" } } });
    let events = history(&definition, json!({}), vec![]).await;
    assert_eq!(
        line(&events)[1..],
        [
            "2 ParallelStateEntered after 0: P",
            "3 ParallelStateStarted after 2",
            "4 WaitStateEntered after 3: A",
            "5 ChoiceStateEntered after 3: B",
            "6 ChoiceStateExited after 5: B",
            "7 SucceedStateEntered after 6: C",
            "8 SucceedStateExited after 7: C",
            "9 WaitStateExited after 4: A",
            "10 ParallelStateSucceeded after 9",
            "11 ParallelStateExited after 9: P",
            "12 FailStateEntered after 11: W",
            "13 ExecutionFailed after 12",
        ]
    );
    assert_eq!(
        events[12]["executionFailedEventDetails"],
        json!({ "error": "E", "cause": "C" })
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_parallel_is_caught_and_goes_on() {
    let definition = json!({ "StartAt": "P", "States": { "P": { "Type": "Parallel", "Next": "D",
        "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "D" }], "Branches": [
            { "StartAt": "A", "States": { "A": { "Type": "Wait", "Seconds": 9, "End": true } } },
            { "StartAt": "B", "States": { "B": { "Type": "Fail", "Error": "E" } } },
        ] }, "D": { "Type": "Succeed" } } });
    let events = history(&definition, json!({}), vec![]).await;
    assert_eq!(
        line(&events)[3..9],
        [
            "4 WaitStateEntered after 3: A",
            "5 FailStateEntered after 3: B",
            "6 WaitStateAborted after 5",
            "7 ParallelStateFailed after 5",
            "8 ParallelStateExited after 7: P",
            "9 SucceedStateEntered after 8: D",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stopped_execution_ends_aborted_and_its_branches_with_it() {
    /// Notes how many attempts were begun and how many dropped.
    struct Held(std::sync::Arc<()>);
    #[async_trait::async_trait]
    impl states_language::Tasks for Held {
        async fn run(&self, _: states_language::TaskRequest<'_>) -> Result<Value, states_language::TaskError> {
            let _held = std::sync::Arc::clone(&self.0);
            std::future::pending().await
        }
    }
    let definition = json!({ "StartAt": "P", "States": { "P": { "Type": "Map", "End": true,
        "ItemProcessor": { "StartAt": "A", "States": { "A": { "Type": "Task", "Resource": "r", "End": true } } } } } });
    let machine = Machine::parse(&definition.to_string(), &|_| true).unwrap();
    let history = History::new("local");
    let clock = PausedClock::new();
    let tasks = Held(std::sync::Arc::default());
    {
        let execution = run(&machine, Start::new(json!([1, 2, 3])), &tasks, &clock, &history);
        assert!(tokio::time::timeout(Duration::from_secs(1), execution).await.is_err());
    }
    assert_eq!(std::sync::Arc::strong_count(&tasks.0), 1, "every attempt was dropped");
    let before = history.events().len();
    assert!(history.abort(time::OffsetDateTime::UNIX_EPOCH, "E", ""));
    assert!(!history.abort(time::OffsetDateTime::UNIX_EPOCH, "E", ""), "once");
    let events = serialized(&history);
    assert_eq!(events.len(), before + 1);
    assert_eq!(events.last().unwrap()["type"], "ExecutionAborted");
    assert_eq!(events.last().unwrap()["id"], before + 1);
    assert_eq!(
        events.last().unwrap()["executionAbortedEventDetails"],
        json!({ "error": "E" })
    );
}

#[tokio::test(start_paused = true)]
async fn a_history_without_data_has_no_payload() {
    let definition = json!({ "StartAt": "A", "States": {
        "A": { "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next": "B" },
        "B": { "Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:000000000000:function:f", "Next": "C" },
        "C": { "Type": "Task", "Resource": "arn:aws:states:eu-west-1:000000000000:activity:a", "End": true },
    } });
    let history = History::new("local");
    let secret = || result(json!("secret"));
    let script = Script::new(vec![secret(), secret(), secret()]);
    execute(&definition.to_string(), Start::new(json!("secret")), &script, &history).await;
    let events = history.events();
    let text = |events: &[states_language::history::HistoryEvent]| serde_json::to_string(events).unwrap();
    assert!(text(&events).contains("secret"));
    let bare: Vec<_> = events
        .into_iter()
        .map(states_language::history::HistoryEvent::without_data)
        .collect();
    assert!(!text(&bare).contains("secret"), "{}", text(&bare));
    assert!(!text(&bare).contains("truncated"));
}

#[tokio::test(start_paused = true)]
async fn an_execution_fails_at_its_longest_history() {
    let definition = json!({ "StartAt": "A", "States": { "A": { "Type": "Choice",
        "Choices": [{ "Variable": "$.stop", "IsPresent": true, "Next": "B" }], "Default": "A" }, "B": { "Type": "Succeed" } } });
    for (limit, expected) in [(25_000, 25_001), (25_001, 25_003)] {
        let history = History::new("local");
        let start = Start {
            event_limit: Some(limit),
            ..Start::default()
        };
        let (outcome, _) = execute(&definition.to_string(), start, &Script::new(vec![]), &history).await;
        let cause = format!("The execution reached the maximum number of history events ({limit}).");
        assert_eq!(
            outcome,
            Outcome::Failed {
                error: "States.Runtime".into(),
                cause
            }
        );
        assert_eq!(history.events().len(), expected, "the last one says so");
    }
}
