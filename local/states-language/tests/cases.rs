//! The cases under `tests/cases/`: each a definition, an input, what its tasks do, and what must come of it.
//!
//! A case's fields: `id`; `provenance` (`AWS documentation` with the page's last part, or `local only`); `definition`,
//! or the `states` of one that starts at its first; `input` (default `{}`); `tasks`, one per attempt, in order: a
//! `result`, or an `error` with a `cause`, or `hangs`, each after `after_ms`; then the expectations: `succeeded`, or
//! `failed` with an `error` and a part of its `cause`, or `timed_out`; and where they matter the `calls` (the parameters
//! of each attempt), the states `entered`, and `elapsed_ms` by the fake clock.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use serde::Deserialize;
use serde_json::{Value, json};
use states_language::{Outcome, Start};
use support::{Recorder, Script, execute};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    provenance: String,
    definition: Option<Value>,
    states: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    input: Option<Value>,
    #[serde(default)]
    tasks: Vec<support::Act>,
    #[serde(default, deserialize_with = "present")]
    succeeded: Option<Value>,
    failed: Option<Failed>,
    #[serde(default)]
    timed_out: bool,
    calls: Option<Vec<Value>>,
    entered: Option<Vec<String>>,
    elapsed_ms: Option<u128>,
}

/// Keeps an expected `null` apart from no expectation.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failed {
    error: String,
    #[serde(default)]
    cause: String,
}

impl Case {
    fn definition(&self) -> String {
        match (&self.definition, &self.states) {
            (Some(definition), None) => definition.to_string(),
            (None, Some(Value::Object(states))) => {
                json!({ "StartAt": states.keys().next(), "States": states }).to_string()
            }
            _ => panic!("{}: either a definition or states", self.id),
        }
    }

    async fn check(self) {
        let id = &self.id;
        assert!(
            self.provenance == "local only" || self.provenance.starts_with("AWS documentation: "),
            "{id}: provenance"
        );
        let script = Script::new(self.tasks.clone());
        let recorder = Recorder::default();
        let start = Start {
            execution_id: "arn:aws:states:local:000000000000:express:m:e".into(),
            execution_name: "e".into(),
            machine_id: "arn:aws:states:local:000000000000:stateMachine:m".into(),
            machine_name: "m".into(),
            role_arn: "arn:aws:iam::000000000000:role/r".into(),
            ..self.input.clone().map_or_else(Start::default, Start::new)
        };
        let (outcome, elapsed) = execute(&self.definition(), start, &script, &recorder).await;
        match (outcome, self.succeeded, self.failed, self.timed_out) {
            (Outcome::Succeeded { output }, Some(expected), None, false) => {
                // Compared as text: 1 is not 1.0, and the order of keys is kept.
                assert_eq!(output.to_string(), expected.to_string(), "{id}: output");
            }
            (Outcome::Failed { error, cause }, None, Some(expected), false) => {
                assert_eq!(error, expected.error, "{id}: error ({cause})");
                assert!(
                    cause.contains(&expected.cause),
                    "{id}: cause {cause:?} lacks {:?}",
                    expected.cause
                );
            }
            (Outcome::TimedOut { error, .. }, None, None, true) => assert_eq!(error, "States.Timeout", "{id}"),
            (outcome, ..) => panic!("{id}: came to {outcome:?}"),
        }
        assert_eq!(script.left(), 0, "{id}: scripted attempts that were never made");
        if let Some(calls) = self.calls {
            assert_eq!(script.calls(), calls, "{id}: calls");
        }
        if let Some(entered) = self.entered {
            assert_eq!(recorder.entered(), entered, "{id}: states entered");
        }
        if let Some(expected) = self.elapsed_ms {
            assert_eq!(elapsed.as_millis(), expected, "{id}: elapsed");
        }
    }
}

async fn check_all(name: &str, text: &str, least: usize) {
    let cases: Vec<Case> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        cases.len() >= least,
        "{name}: {} cases, at least {least} expected",
        cases.len()
    );
    let mut ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), cases.len(), "{name}: an id stands twice");
    for case in cases {
        case.check().await;
    }
}

macro_rules! cases {
    ($($test:ident: $file:literal, $least:literal;)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $test() {
            check_all($file, include_str!(concat!("cases/", $file, ".json")), $least).await;
        }
    )*};
}

cases! {
    payloads_flow_as_the_cases_say: "flow", 30;
    choices_branch_as_the_cases_say: "choice", 10;
    errors_are_retried_and_caught_as_the_cases_say: "errors", 25;
    each_operator_and_function_does_as_the_cases_say: "each", 40;
    waits_take_the_time_that_the_cases_say: "wait", 15;
    branches_run_as_the_cases_say: "parallel", 12;
    maps_run_as_the_cases_say: "map", 15;
    the_context_object_is_as_the_cases_say: "context", 6;
    intrinsic_functions_run_as_the_cases_say: "intrinsic", 6;
}
