//! Whatever the definition and the input: an outcome or diagnostics, never a panic.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

use std::time::Duration;

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use states_language::{Machine, NoObserver, Outcome, Start, SystemClock, TaskError, TaskRequest, Tasks, run};

/// Gives back what it is given.
struct Echo;

#[async_trait]
impl Tasks for Echo {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        Ok(task.parameters)
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Texts that mean something here, whole or cut and joined, and any other.
fn text() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "a",
        "b",
        "a.$",
        "$",
        "$.a",
        "$.a.b",
        "$$",
        "$$.State.EnteredTime",
        "$$.Execution.Input.a",
        "$.a[0]",
        "$.a[-1]",
        "$..a",
        "$.a[*]",
        "$['a']",
        "$.a[?(@.b > 1)]",
        "[?(",
        "@.a",
        "==",
        "&&",
        "$$.Map.Item.Value",
        "[0:1]",
        "['",
        "'",
        "\\",
        ",",
        "(",
        ")",
        "{}",
        "States.Format('{}', $.a)",
        "States.Array($.a, 1)",
        "States.MathAdd($.a, 1)",
        "States.ArrayRange(0, 9, 1)",
        "States.JsonToString(",
        "States.UUID()",
        "2024-05-01T12:00:00Z",
        "States.ALL",
        "S",
        "T",
        "*",
        "ä",
    ]);
    prop_oneof![
        3 => known.clone().prop_map(str::to_owned),
        2 => prop::collection::vec(known, 1..4).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

fn field_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Type",
        "Next",
        "End",
        "Default",
        "Choices",
        "Variable",
        "And",
        "Or",
        "Not",
        "InputPath",
        "OutputPath",
        "ResultPath",
        "Parameters",
        "ResultSelector",
        "Result",
        "Resource",
        "Retry",
        "Catch",
        "ErrorEquals",
        "TimeoutSeconds",
        "MaxAttempts",
        "Error",
        "Cause",
        "ErrorPath",
        "CausePath",
        "Comment",
        "IsPresent",
        "StringEquals",
        "NumericLessThanPath",
        "TimestampEqualsPath",
        "StringMatches",
        "Branches",
        "ItemsPath",
        "ItemSelector",
        "ItemProcessor",
        "Iterator",
        "MaxConcurrency",
        "MaxConcurrencyPath",
        "TimeoutSecondsPath",
        "HeartbeatSeconds",
        "Timestamp",
        "Extra",
    ])
}

/// A state that is often, but not always, one that a definition may hold.
fn state() -> impl Strategy<Value = Value> {
    let rule = (
        text(),
        prop::sample::select(vec![
            "StringEquals",
            "StringEqualsPath",
            "NumericLessThanPath",
            "StringMatches",
            "IsNull",
        ]),
        json_value(),
    )
        .prop_map(|(variable, operator, operand)| json!({ "Variable": variable, operator: operand, "Next": "T" }));
    let base = prop_oneof![
        Just(json!({ "Type": "Pass", "Next": "T" })),
        Just(json!({ "Type": "Task", "Resource": "r", "Next": "T" })),
        Just(
            json!({ "Type": "Task", "Resource": "r", "Next": "T", "Catch": [{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.a", "Next": "T" }] })
        ),
        prop::collection::vec(rule, 1..3)
            .prop_map(|rules| json!({ "Type": "Choice", "Choices": rules, "Default": "T" })),
        Just(json!({ "Type": "Fail" })),
        Just(json!({ "Type": "Wait", "Seconds": 0, "Next": "T" })),
        Just(json!({ "Type": "Parallel", "Next": "T", "Branches": [
            { "StartAt": "B", "States": { "B": { "Type": "Pass", "Parameters": { "v.$": "$" }, "End": true } } },
            { "StartAt": "C", "States": { "C": { "Type": "Task", "Resource": "r", "End": true } } },
        ] })),
        Just(
            json!({ "Type": "Map", "Next": "T", "ItemsPath": "$.a", "ItemProcessor": {
            "StartAt": "B", "States": { "B": { "Type": "Pass", "Parameters": { "v.$": "$$.Map.Item" }, "End": true } },
        } })
        ),
    ];
    let extra = prop_oneof![
        (field_name(), json_value()),
        (
            prop::sample::select(vec!["InputPath", "OutputPath", "ResultPath"]),
            text().prop_map(Value::from)
        ),
        (
            Just("Parameters"),
            prop::collection::vec((Just("v.$".to_owned()), text()), 0..2).prop_map(|fields| {
                Value::Object(
                    fields
                        .into_iter()
                        .map(|(name, text)| (name, text.into()))
                        .collect::<Map<_, _>>(),
                )
            })
        ),
    ];
    (base, prop::collection::vec(extra, 0..2)).prop_map(|(mut state, extra)| {
        for (name, value) in extra {
            state[name] = value;
        }
        state
    })
}

/// A definition around one state, whichever states that one leads to.
fn around(state: Value) -> String {
    let entry =
        json!({ "Type": "Choice", "Choices": [{ "Variable": "$", "IsPresent": true, "Next": "S" }], "Default": "T" });
    json!({ "StartAt": "E", "States": { "E": entry, "S": state, "T": { "Type": "Succeed" } } }).to_string()
}

fn execute(definition: &str, input: Value) -> Option<Outcome> {
    let machine = Machine::parse(definition, &|_| true).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let start = Start {
        time_limit: Some(Duration::from_secs(5)),
        ..Start::new(input)
    };
    Some(runtime.block_on(run(&machine, start, &Echo, &SystemClock, &NoObserver)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_as_a_definition_gives_a_machine_or_diagnostics(text in any::<String>()) {
        if let Err(invalid) = Machine::parse(&text, &|_| true) {
            prop_assert!(!invalid.diagnostics.is_empty());
        }
    }

    #[test]
    fn any_json_as_a_definition_gives_a_machine_or_diagnostics(states in json_value(), state in json_value()) {
        for definition in [
            states.clone(),
            json!({ "StartAt": "S", "States": states }),
            json!({ "StartAt": "S", "States": { "S": state } }),
        ] {
            if let Err(invalid) = Machine::parse(&definition.to_string(), &|_| true) {
                prop_assert!(!invalid.diagnostics.is_empty());
                prop_assert!(invalid.diagnostics.iter().all(|diagnostic| diagnostic.location.starts_with('/')));
            }
        }
    }

    #[test]
    fn whatever_is_accepted_runs_to_an_outcome(state in state(), input in json_value()) {
        execute(&around(state), input);
    }
}

#[test]
fn the_generated_definitions_are_often_accepted_and_often_refused() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut succeeded, mut failed, mut refused) = (0, 0, 0);
    for _ in 0..500 {
        let (state, input) = (state(), json_value()).new_tree(&mut runner).unwrap().current();
        match execute(&around(state), input) {
            Some(Outcome::Succeeded { .. }) => succeeded += 1,
            Some(_) => failed += 1,
            None => refused += 1,
        }
    }
    assert!(
        succeeded > 50 && failed > 50 && refused > 50,
        "{succeeded} succeeded, {failed} failed, {refused} refused"
    );
}
