//! The README's tables are made from the tests: the features from the cases under `tests/cases/`, the refusals from
//! `tests/refusals.json`. A stale table fails; `STATES_LANGUAGE_WRITE=1 cargo test -p states-language --test readme`
//! writes them anew, for somebody to read over.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;
use states_language::{Diagnostic, Machine, MachineType, Severity};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const PAGES: &str = "https://docs.aws.amazon.com/step-functions/latest/dg/";

const CASES: [&str; 9] = [
    include_str!("cases/choice.json"),
    include_str!("cases/context.json"),
    include_str!("cases/each.json"),
    include_str!("cases/errors.json"),
    include_str!("cases/flow.json"),
    include_str!("cases/intrinsic.json"),
    include_str!("cases/map.json"),
    include_str!("cases/parallel.json"),
    include_str!("cases/wait.json"),
];

/// What is claimed: a feature as the cases' definitions show it, and AWS's page. A claim without a case fails.
const FEATURES: [(&str, &[&str], &str); 18] = [
    ("Pass", &["Pass.Result", "Pass.Parameters"], "state-pass"),
    (
        "Task",
        &[
            "Task.Resource",
            "Task.TimeoutSeconds",
            "Task.TimeoutSecondsPath",
            "Task.HeartbeatSeconds",
            "Task.HeartbeatSecondsPath",
        ],
        "state-task",
    ),
    ("Choice", &["Choice.Choices", "Choice.Default"], "state-choice"),
    (
        "Wait",
        &[
            "Wait.Seconds",
            "Wait.SecondsPath",
            "Wait.Timestamp",
            "Wait.TimestampPath",
        ],
        "state-wait",
    ),
    (
        "Parallel",
        &["Parallel.Branches", "Parallel.Parameters"],
        "state-parallel",
    ),
    (
        "Map (inline)",
        &[
            "Map.ItemsPath",
            "Map.ItemSelector",
            "Map.ItemProcessor",
            "Map.MaxConcurrency",
            "Map.MaxConcurrencyPath",
            "Map.Iterator",
            "Map.Parameters",
        ],
        "state-map-inline",
    ),
    ("Succeed", &["Succeed"], "state-succeed"),
    (
        "Fail",
        &["Fail.Error", "Fail.Cause", "Fail.ErrorPath", "Fail.CausePath"],
        "state-fail",
    ),
    (
        "Input and output",
        &["InputPath", "OutputPath", "ResultPath", "ResultSelector"],
        "concepts-input-output-filtering",
    ),
    (
        "Paths",
        &[
            "['x']",
            "[n]",
            "[-n]",
            "[a,b]",
            "['a','b']",
            "[from:to]",
            "[*]",
            ".*",
            "..",
            "[?(…)]",
        ],
        "amazon-states-language-paths",
    ),
    (
        "Retry",
        &[
            "Retry.IntervalSeconds",
            "Retry.MaxAttempts",
            "Retry.BackoffRate",
            "Retry.MaxDelaySeconds",
            "Retry.JitterStrategy",
        ],
        "concepts-error-handling",
    ),
    ("Catch", &["Catch.ResultPath"], "concepts-error-handling"),
    (
        "Error names",
        &[
            "States.ALL",
            "States.BranchFailed",
            "States.DataLimitExceeded",
            "States.IntrinsicFailure",
            "States.NoChoiceMatched",
            "States.ResultPathMatchFailure",
            "States.Runtime",
            "States.TaskFailed",
            "States.Timeout",
        ],
        "concepts-error-handling",
    ),
    (
        "Comparisons",
        &[
            "And",
            "Or",
            "Not",
            "IsPresent",
            "IsNull",
            "IsNumeric",
            "IsString",
            "IsBoolean",
            "IsTimestamp",
            "StringMatches",
        ],
        "state-choice",
    ),
    (
        "Comparisons with a value or, by `…Path`, another variable",
        &[
            "StringEquals",
            "StringLessThan",
            "StringGreaterThan",
            "StringLessThanEquals",
            "StringGreaterThanEquals",
            "NumericEquals",
            "NumericLessThan",
            "NumericGreaterThan",
            "NumericLessThanEquals",
            "NumericGreaterThanEquals",
            "BooleanEquals",
            "TimestampEquals",
            "TimestampLessThan",
            "TimestampGreaterThan",
            "TimestampLessThanEquals",
            "TimestampGreaterThanEquals",
        ],
        "state-choice",
    ),
    (
        "Intrinsic functions",
        &[
            "States.Array(",
            "States.ArrayContains(",
            "States.ArrayGetItem(",
            "States.ArrayLength(",
            "States.ArrayPartition(",
            "States.ArrayRange(",
            "States.ArrayUnique(",
            "States.Base64Decode(",
            "States.Base64Encode(",
            "States.Format(",
            "States.Hash(",
            "States.JsonMerge(",
            "States.JsonToString(",
            "States.MathAdd(",
            "States.MathRandom(",
            "States.StringSplit(",
            "States.StringToJson(",
            "States.UUID(",
        ],
        "intrinsic-functions",
    ),
    (
        "Context object",
        &[
            "$$.Execution.Id",
            "$$.Execution.Input",
            "$$.Execution.Name",
            "$$.Execution.RedriveCount",
            "$$.Execution.RoleArn",
            "$$.Execution.StartTime",
            "$$.State.EnteredTime",
            "$$.State.Name",
            "$$.State.RetryCount",
            "$$.StateMachine.Id",
            "$$.StateMachine.Name",
            "$$.Map.Item.Index",
            "$$.Map.Item.Value",
        ],
        "input-output-contextobject",
    ),
    ("Time-out of the machine", &["TimeoutSeconds"], "statemachine-structure"),
];

#[derive(Deserialize)]
struct Refusal {
    id: String,
    by: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    definition: Option<Value>,
    text: Option<String>,
}

/// Every feature that a case shows, by name.
fn features(case: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let definition = case.get("definition").or(case.get("states")).unwrap();
    if let Some(definition) = case.get("definition").and_then(Value::as_object) {
        found.extend(definition.keys().cloned());
    }
    collect(definition, &mut found);
    let failed = case["failed"]["error"].as_str().into_iter();
    found.extend(failed.map(str::to_owned));
    found
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let kind = fields.get("Type").and_then(Value::as_str);
            found.extend(kind.map(str::to_owned));
            for (name, field) in fields {
                found.insert(name.clone());
                if let Some(kind) = kind {
                    found.insert(format!("{kind}.{name}"));
                }
                for list in ["Retry", "Catch"].into_iter().filter(|list| name == list) {
                    for item in field.as_array().into_iter().flatten().filter_map(Value::as_object) {
                        found.extend(item.keys().map(|key| format!("{list}.{key}")));
                    }
                }
                collect(field, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::String(text) => {
            found.insert(text.clone());
            if text.starts_with('$') {
                found.extend(steps(text).into_iter().map(str::to_owned));
            }
            for part in text.split(|split: char| " ,')".contains(split)) {
                let (call, rest) = part.split_once('(').unwrap_or((part, ""));
                if part.contains('(') {
                    found.insert(format!("{call}("));
                }
                for path in [call, rest] {
                    let mut at = 0;
                    while let Some(dot) = path.get(at..).and_then(|rest| rest.find('.')) {
                        found.insert(path[..at + dot].to_owned());
                        at += dot + 1;
                    }
                    found.insert(path.to_owned());
                }
                if let Some((_, nested)) = rest.split_once("States.") {
                    found.insert(format!("States.{}", nested.split_inclusive('(').next().unwrap()));
                }
            }
        }
        _ => {}
    }
}

/// What a path uses beside names.
fn steps(path: &str) -> Vec<&'static str> {
    let brackets = path
        .split('[')
        .skip(1)
        .map(|bracket| bracket.split(']').next().unwrap());
    let mut found: Vec<_> = brackets
        .map(|inner| match inner.as_bytes()[0] {
            b'?' => "[?(…)]",
            b'*' => "[*]",
            b'\'' if inner.contains(',') => "['a','b']",
            b'\'' => "['x']",
            _ if inner.contains(',') => "[a,b]",
            _ if inner.contains(':') => "[from:to]",
            b'-' => "[-n]",
            _ => "[n]",
        })
        .collect();
    found.extend(["..", ".*"].into_iter().filter(|step| path.contains(step)));
    found
}

fn feature_table() -> String {
    let cases: Vec<Value> = CASES
        .iter()
        .flat_map(|text| serde_json::from_str::<Vec<Value>>(text).unwrap())
        .collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        for feature in features(case) {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let count = |feature: &str| {
        let own = counts.get(feature).copied().unwrap_or_default();
        own + counts.get(&format!("{feature}Path")).copied().unwrap_or_default() * usize::from(is_comparison(feature))
    };
    let mut table = String::from("| part | what, and in how many cases | AWS's page |\n| --- | --- | --- |\n");
    let mut without = Vec::new();
    for (part, features, page) in FEATURES {
        let mut told = Vec::new();
        for feature in features {
            if count(feature) == 0 {
                without.push(*feature);
            }
            let name = feature
                .rsplit_once(". ")
                .map_or(*feature, |(_, name)| name)
                .trim_end_matches('(');
            let name = match name.split_once('.') {
                Some((kind, field)) if part.starts_with(kind) => field,
                _ => name,
            };
            told.push(format!("`{name}` {}", count(feature)));
        }
        writeln!(table, "| {part} | {} | [{page}]({PAGES}{page}.html) |", told.join(", ")).unwrap();
    }
    assert!(without.is_empty(), "claimed, but no case shows it: {without:?}");
    let from_aws = cases
        .iter()
        .filter(|case| case["provenance"].as_str().unwrap().starts_with("AWS documentation"))
        .count();
    write!(
        table,
        "\n{} cases, {from_aws} of them with an expectation that AWS documents.\n",
        cases.len()
    )
    .unwrap();
    table
}

fn is_comparison(feature: &str) -> bool {
    ["String", "Numeric", "Boolean", "Timestamp"]
        .iter()
        .any(|form| feature.starts_with(form) && feature != "StringMatches")
}

fn diagnostics(refusal: &Refusal) -> Vec<Diagnostic> {
    let kind = match refusal.kind.as_deref() {
        None => MachineType::Standard,
        Some("EXPRESS") => MachineType::Express,
        Some(other) => panic!("{other}"),
    };
    let text = match (&refusal.definition, &refusal.text) {
        (Some(definition), None) => definition.to_string(),
        (None, Some(text)) => text.clone(),
        _ => panic!("{}: a definition or a text", refusal.id),
    };
    Machine::validate(kind, &text, &|resource| !resource.contains(":::nothing"))
}

fn refusals() -> Vec<Refusal> {
    serde_json::from_str(include_str!("refusals.json")).unwrap()
}

fn refusal_table() -> String {
    let mut table = String::from("| refused by | code | where | message |\n| --- | --- | --- | --- |\n");
    let mut seen = BTreeSet::new();
    for refusal in refusals() {
        assert!(seen.insert(refusal.id.clone()), "{} stands twice", refusal.id);
        let found = diagnostics(&refusal);
        assert!(!found.is_empty(), "{}: nothing is wrong with it", refusal.id);
        for Diagnostic {
            code,
            message,
            location,
            severity,
        } in found
        {
            assert_eq!(
                severity == Severity::Warning,
                refusal.by == "a warning",
                "{}",
                refusal.id
            );
            let cell = |text: &str| text.replace('|', "\\|").replace(&"x".repeat(81), "x…x");
            let by = match refusal.kind {
                Some(_) => format!("{}, for EXPRESS", refusal.by),
                None => refusal.by.clone(),
            };
            writeln!(
                table,
                "| {by} | `{code}` | `{}` | {} |",
                cell(&location),
                cell(&message)
            )
            .unwrap();
        }
    }
    table
}

fn check(marker: &str, table: &str) {
    let readme = std::fs::read_to_string(README).unwrap();
    let (begin, end) = (format!("<!-- {marker} -->\n"), format!("<!-- end of {marker} -->"));
    let (before, rest) = readme
        .split_once(&begin)
        .unwrap_or_else(|| panic!("no {begin} in the README"));
    let (found, after) = rest
        .split_once(&end)
        .unwrap_or_else(|| panic!("no {end} in the README"));
    if found == table {
        return;
    }
    assert!(
        std::env::var_os("STATES_LANGUAGE_WRITE").is_some(),
        "the README's {marker} are stale; STATES_LANGUAGE_WRITE=1 writes them. They should be:\n{table}"
    );
    std::fs::write(README, format!("{before}{begin}{table}{end}{after}")).unwrap();
}

/// One test, because both tables stand in one file.
#[test]
fn the_readme_tells_what_the_tests_show() {
    check("features", &feature_table());
    check("refusals", &refusal_table());
}

#[test]
fn what_is_validated_is_what_is_refused() {
    for refusal in refusals() {
        let text = refusal
            .text
            .clone()
            .unwrap_or_else(|| refusal.definition.clone().unwrap().to_string());
        let kind = if refusal.kind.is_some() {
            MachineType::Express
        } else {
            MachineType::Standard
        };
        let refused = Machine::parse_as(kind, &text, &|resource| !resource.contains(":::nothing"));
        let errors: Vec<Diagnostic> = diagnostics(&refusal)
            .into_iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .collect();
        match refused {
            Ok(_) => assert_eq!(errors, [], "{}", refusal.id),
            Err(invalid) => assert_eq!(errors, invalid.diagnostics, "{}", refusal.id),
        }
    }
}
