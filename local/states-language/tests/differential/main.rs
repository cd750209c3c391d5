//! The same definitions by this engine and by another one, npm's `aws-local-stepfunctions`: the same outcome, or a
//! difference that `differential/known-differences.json` explains.
//!
//! Needs Node.js, and `npm ci` in `differential/` beforehand. Without it nothing is compared, which the test says on the
//! terminal; with `STATES_LANGUAGE_DIFFERENTIAL=required`, as in `make test`, it fails then. `STATES_LANGUAGE_SEED` and
//! `STATES_LANGUAGE_DEFINITIONS` run others.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod generator;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use generator::Generator;
use serde::Deserialize;
use serde_json::{Value, json};
use states_language::{Clock, Machine, NoObserver, Outcome, Start, TaskError, TaskRequest, Tasks, run};
use time::OffsetDateTime;

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/differential");
const DEFINITIONS: usize = 2000;

/// A difference whose reason is known: how each engine ends (an error's name or `SUCCEEDED`; `*` is any), and what the definition must hold, as a part of its text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    id: String,
    here: String,
    there: String,
    #[serde(default)]
    holds: Vec<String>,
    /// As `holds`, but one of these is enough.
    #[serde(default)]
    holds_one: Vec<String>,
    /// A part of the other engine's message, and of this one's.
    #[serde(default)]
    cause: String,
    #[serde(default)]
    cause_here: String,
    /// Why this engine is the one that does as AWS documents.
    reason: String,
    source: String,
}

/// As `differential/run.mjs`.
#[derive(Default)]
struct Functions(Mutex<BTreeMap<String, u32>>);

#[async_trait]
impl Tasks for Functions {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        let calls = {
            let mut calls = self.0.lock().unwrap();
            let calls = calls.entry(task.state.to_owned()).or_default();
            *calls += 1;
            *calls
        };
        match task.resource.rsplit(':').next() {
            Some("boom") => Err(TaskError::new("Boom", "because")),
            Some("flaky") if calls == 1 => Err(TaskError::new("Boom", "because")),
            Some("wrap") => Ok(json!({ "got": task.parameters })),
            _ => Ok(task.parameters),
        }
    }
}

/// Lets any time pass at once.
struct Hurried;

#[async_trait]
impl Clock for Hurried {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH
    }

    async fn sleep(&self, _: Duration) {}
}

fn here(definition: &Value, input: &Value) -> Value {
    let machine = match Machine::parse(&definition.to_string(), &|_| true) {
        Ok(machine) => machine,
        Err(invalid) => panic!("the generator makes definitions that are accepted: {invalid}"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let functions = Functions::default();
    let execution = run(&machine, Start::new(input.clone()), &functions, &Hurried, &NoObserver);
    match runtime.block_on(execution) {
        Outcome::Succeeded { output } => json!({ "output": output }),
        Outcome::Failed { error, cause } => json!({ "error": error, "cause": cause }),
        other => panic!("{other:?}"),
    }
}

fn there(cases: &[Value]) -> Vec<Value> {
    let mut node = Command::new("node")
        .arg("run.mjs")
        .current_dir(DIRECTORY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("node can't be run, of Node.js 20 or later: {error}"));
    let text = serde_json::to_vec(cases).unwrap();
    let mut input = node.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(&text).unwrap());
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Equal as JavaScript sees it: 1 is 1.0, and the order of keys does not matter; nor do the words in which an engine puts
/// the cause of an error of its own, as a catcher hands it on.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right))
            if left
                .get("Error")
                .and_then(Value::as_str)
                .is_some_and(|error| error.starts_with("States.")) =>
        {
            left.get("Error") == right.get("Error")
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// Not by `print!`, which is only shown when a test fails.
fn tell(text: &str) {
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}

/// How an outcome is called in the list of known differences.
fn ending(outcome: &Value) -> &str {
    outcome["error"].as_str().unwrap_or("SUCCEEDED")
}

impl Known {
    fn explains(&self, definition: &str, here: &Value, there: &Value) -> bool {
        let ends = |wanted: &str, outcome| wanted == "*" || wanted == ending(outcome);
        ends(&self.here, here)
            && ends(&self.there, there)
            && self.holds.iter().all(|part| definition.contains(part.as_str()))
            && (self.holds_one.is_empty() || self.holds_one.iter().any(|part| definition.contains(part.as_str())))
            && there["cause"].as_str().unwrap_or_default().contains(&self.cause)
            && here["cause"].as_str().unwrap_or_default().contains(&self.cause_here)
    }
}

#[test]
fn both_engines_come_to_the_same() {
    if !Path::new(DIRECTORY).join("node_modules").is_dir() {
        let required = std::env::var("STATES_LANGUAGE_DIFFERENTIAL").is_ok_and(|value| value == "required");
        assert!(!required, "run `npm ci --ignore-scripts` in {DIRECTORY} first");
        tell(&format!(
            "\nNOT RUN: nothing was compared with another engine; run `npm ci --ignore-scripts` in {DIRECTORY} first\n"
        ));
        return;
    }
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let count = number("STATES_LANGUAGE_DEFINITIONS").map_or(DEFINITIONS, |count| usize::try_from(count).unwrap());
    let mut generator = Generator::new(number("STATES_LANGUAGE_SEED").unwrap_or(5));
    let cases: Vec<Value> = (0..count)
        .map(|_| json!({ "definition": generator.definition(), "input": generator.input() }))
        .collect();
    let text = std::fs::read_to_string(Path::new(DIRECTORY).join("known-differences.json")).unwrap();
    let known: Vec<Known> = serde_json::from_str(&text).unwrap();
    assert!(
        known
            .iter()
            .all(|known| !known.reason.is_empty() && known.source.starts_with("https://"))
    );

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for (case, there) in cases.iter().zip(there(&cases)) {
        let here = here(&case["definition"], &case["input"]);
        let agree = match (here.get("output"), there.get("output")) {
            (Some(here), Some(there)) => same(here, there),
            _ => ending(&here) == ending(&there),
        };
        let definition = case["definition"].to_string();
        if agree {
            let what = if here.get("output").is_some() {
                "same output"
            } else {
                "same error"
            };
            *counts.entry(what).or_default() += 1;
        } else if let Some(known) = known.iter().find(|known| known.explains(&definition, &here, &there)) {
            *counts.entry(&known.id).or_default() += 1;
        } else {
            unexplained.push(format!("{case}\n  here  {here}\n  there {there}"));
        }
    }
    let mut told = format!("{count} definitions by this engine and by aws-local-stepfunctions\n");
    for (what, count) in &counts {
        told.push_str(&format!("{count:>6} {what}\n"));
    }
    tell(&told);
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential.txt"), &told).unwrap();
    assert!(
        unexplained.is_empty(),
        "{} differences without an explanation, the first of them:\n{}",
        unexplained.len(),
        unexplained[..unexplained.len().min(12)].join("\n")
    );
    let least = count / 3;
    assert!(counts["same output"] >= least, "too few succeed to compare much");
}
