//! Each state of the definition by itself, put to the TestState API: what it leads to and what it makes of its input.
//!
//! What has to be asked is read off the definition, so that no state, no rule and no Catch edge can be forgotten; what is
//! asked, and what a Pass or a Task makes of it, stands in `tests/states/probes.json`. What a Catch edge catches, and where
//! it leads, is the definition's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context, ensure};
use policy::definition::{Names, bind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::engine::{DEFINITION, Engine};
use crate::http::Service;
use crate::policy_file::{deployed, merge, policy_file};

const PROBES: &str = include_str!("../states/probes.json");
const CIRCUIT: &str = "wholesaler-stock";
/// An execution as the context object tells of it.
const EXECUTION: &str = "arn:aws:states:us-east-1:123456789012:express:wholesaler-stock:probe:probe";
/// An error that nobody raises, so that only States.ALL catches it.
const UNHEARD_OF: &str = "Probe.UnheardOf";
const ALL: &str = "States.ALL";
const CAUSE: &str = "a mocked cause";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Probes {
    #[serde(rename = "about")]
    _about: String,
    states: BTreeMap<String, Vec<Probe>>,
}

/// What a state is asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Probe {
    /// Which rule of a Choice it takes.
    takes: Option<Rule>,
    /// A merge patch on the input that all begin with: a policy, and no parameters.
    given: Map<String, Value>,
    /// What a Task's service answers.
    result: Option<Value>,
    /// Fields of the output that are not as the input has them.
    sets: Option<Map<String, Value>>,
    /// The whole output.
    gives: Option<Value>,
}

/// A rule of a Choice by its index, or its Default.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
enum Rule {
    Number(usize),
    Default(IsDefault),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum IsDefault {
    Default,
}

/// One question to the API.
struct Question {
    part: String,
    input: Value,
    mock: Option<Value>,
    status: &'static str,
    next: Option<String>,
    output: Value,
    /// Whether what the Task asks its service has to name the execution.
    names_execution: bool,
}

/// What came of one question.
#[derive(Debug)]
pub struct ProbedState {
    /// The state.
    pub state: String,
    /// The part of it: `rule 2`, `default`, `States.Timeout caught`.
    pub part: String,
    /// Where it led; an end leads nowhere.
    pub next: Option<String>,
    /// Each difference from what the definition says.
    pub differences: Vec<String>,
}

impl fmt::Display for ProbedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = self.next.as_deref().unwrap_or("(end)");
        let told = if self.differences.is_empty() {
            "as expected"
        } else {
            "DIFFERS"
        };
        write!(f, "{:26} {:46} {next:26} {told}", self.state, self.part)?;
        self.differences
            .iter()
            .try_for_each(|difference| write!(f, "\n    {difference}"))
    }
}

/// Puts every state to the TestState API of the engine that `AWS_ENDPOINT_URL*` names, or else of a system in this process.
///
/// # Errors
/// The engine can't be reached, or the probes leave a part of the definition out.
pub async fn probe_states() -> anyhow::Result<Vec<ProbedState>> {
    let file = policy_file(CIRCUIT, &Map::new(), "wholesaler.example.com");
    let policy = deployed(CIRCUIT, &file)?;
    let names = Names {
        circuits_table: "circuits".to_owned(),
        call_partner_function: "call-partner".to_owned(),
        acquire_probe_function: "acquire-probe".to_owned(),
        record_outcome_function: "record-outcome".to_owned(),
    };
    let definition: Value = serde_json::from_str(&bind(DEFINITION, &policy, &names)?)?;
    let questions = questions(&definition, serde_json::from_str(PROBES)?)?;
    let engine = match Engine::from_environment()? {
        Some(engine) => engine,
        None => Engine::start(&[file], false, None).await?,
    };
    let mut probed = Vec::new();
    for (state, question) in questions {
        let asked = ask(&engine.step_functions, &definition, &state, &question).await;
        let (next, differences) = match asked {
            Ok(told) => (text(&told, "nextState"), question.differences(&told)),
            Err(error) => (None, vec![format!("{error:#}")]),
        };
        probed.push(ProbedState {
            state,
            part: question.part,
            next,
            differences,
        });
    }
    engine.stop().await;
    Ok(probed)
}

async fn ask(service: &Service, definition: &Value, state: &str, question: &Question) -> anyhow::Result<Value> {
    let mut body = json!({
        "definition": definition.to_string(),
        "stateName": state,
        "input": question.input.to_string(),
        "inspectionLevel": "DEBUG",
    });
    match &question.mock {
        Some(mock) => {
            body["mock"] = mock.clone();
            body["context"] = context(state).to_string().into();
        }
        // What is not mocked needs a role on AWS, though nothing but a Task uses it.
        None => body["roleArn"] = crate::engine::role().into(),
    }
    service.call("TestState", &body).await
}

/// The context object of an execution that is at a state.
fn context(state: &str) -> Value {
    let machine = "arn:aws:states:us-east-1:123456789012:stateMachine:wholesaler-stock";
    let at = "2026-01-01T00:00:00.000Z";
    json!({
        "Execution": { "Id": EXECUTION, "Input": {}, "Name": "probe", "RoleArn": crate::engine::role(), "StartTime": at },
        "State": { "EnteredTime": at, "Name": state, "RetryCount": 0 },
        "StateMachine": { "Id": machine, "Name": "wholesaler-stock" },
    })
}

/// Every part of the definition with what it is asked, in the definition's order.
fn questions(definition: &Value, probes: Probes) -> anyhow::Result<Vec<(String, Question)>> {
    let states = definition["States"].as_object().context("a definition has states")?;
    let names: BTreeSet<_> = states.keys().collect();
    let unknown: Vec<_> = probes.states.keys().filter(|name| !names.contains(name)).collect();
    ensure!(unknown.is_empty(), "the definition has no states {unknown:?}");
    let policy = &states["Load Policy"]["Result"];
    let mut questions = Vec::new();
    for (name, state) in states {
        let probes = probes.states.get(name).map(Vec::as_slice).unwrap_or_default();
        let asked = match state["Type"].as_str() {
            Some("Choice") => of_choice(state, probes, policy),
            Some("Task") => of_task(state, probes, policy),
            Some("Pass") => of_pass(state, probes, policy),
            other => anyhow::bail!("a state of type {other:?} is not known here"),
        };
        let asked = asked.with_context(|| format!("tests/states/probes.json: {name}"))?;
        questions.extend(asked.into_iter().map(|question| (name.clone(), question)));
    }
    Ok(questions)
}

fn of_choice(state: &Value, probes: &[Probe], policy: &Value) -> anyhow::Result<Vec<Question>> {
    let rules = state["Choices"].as_array().context("a Choice has rules")?;
    let mut wanted: BTreeMap<Rule, Option<String>> = (rules.iter().enumerate())
        .map(|(index, rule)| (Rule::Number(index), text(rule, "Next")))
        .collect();
    wanted.insert(Rule::Default(IsDefault::Default), text(state, "Default"));
    let mut questions = Vec::new();
    for probe in probes {
        let rule = probe.takes.as_ref().context("a probe of a Choice takes a rule")?;
        let next = wanted
            .remove(rule)
            .with_context(|| format!("{rule:?} is no rule, or there twice"))?;
        let input = probe.input(policy);
        questions.push(Question {
            part: match rule {
                Rule::Number(index) => format!("rule {index}"),
                Rule::Default(_) => "default".to_owned(),
            },
            output: input.clone(),
            input,
            mock: None,
            status: "SUCCEEDED",
            next,
            names_execution: false,
        });
    }
    ensure!(wanted.is_empty(), "no probe takes {:?}", wanted.keys());
    Ok(questions)
}

fn of_pass(state: &Value, probes: &[Probe], policy: &Value) -> anyhow::Result<Vec<Question>> {
    ensure!(!probes.is_empty(), "there is no probe");
    let question = |probe: &Probe| {
        let input = probe.input(policy);
        Ok(Question {
            part: "passes".to_owned(),
            output: probe.output(&input, policy)?,
            input,
            mock: None,
            status: "SUCCEEDED",
            next: text(state, "Next"),
            names_execution: false,
        })
    };
    probes.iter().map(question).collect()
}

/// A Task that succeeds, and each error that its Catch names; for States.ALL one that no other catcher names.
fn of_task(state: &Value, probes: &[Probe], policy: &Value) -> anyhow::Result<Vec<Question>> {
    let first = probes.first().context("there is no probe")?;
    let names_execution = state["Parameters"].to_string().contains("$$.Execution.Id");
    let mut questions = Vec::new();
    for probe in probes {
        let input = probe.input(policy);
        let result = probe.result.as_ref().context("a probe of a Task has a result")?;
        questions.push(Question {
            part: "succeeds".to_owned(),
            output: probe.output(&input, policy)?,
            input,
            // Not held to the service's own form: to that a Lambda's payload is bytes.
            mock: Some(json!({ "result": result.to_string(), "fieldValidationMode": "NONE" })),
            status: "SUCCEEDED",
            next: text(state, "Next"),
            names_execution,
        });
    }
    let catchers = state["Catch"].as_array().context("each Task has a Catch")?;
    for catcher in catchers {
        let errors = catcher["ErrorEquals"].as_array().context("a catcher names errors")?;
        for named in errors.iter().filter_map(Value::as_str) {
            let error = if named == ALL { UNHEARD_OF } else { named };
            let input = first.input(policy);
            let mut output = input.clone();
            let path = text(catcher, "ResultPath").context("a catcher has a ResultPath")?;
            let field = path.strip_prefix("$.").context("a ResultPath names a field")?;
            output[field] = json!({ "Error": error, "Cause": CAUSE });
            questions.push(Question {
                part: format!("{error} caught"),
                input,
                mock: Some(json!({ "errorOutput": { "error": error, "cause": CAUSE } })),
                status: "CAUGHT_ERROR",
                next: text(catcher, "Next"),
                output,
                names_execution: false,
            });
        }
    }
    Ok(questions)
}

impl Probe {
    fn input(&self, policy: &Value) -> Value {
        let mut input = json!({ "policy": policy, "params": {} });
        merge(&mut input, &self.given);
        input
    }

    fn output(&self, input: &Value, policy: &Value) -> anyhow::Result<Value> {
        let mut output = match (&self.sets, &self.gives) {
            (Some(fields), None) => {
                let mut output = input.clone();
                for (name, value) in fields {
                    output[name.as_str()] = value.clone();
                }
                output
            }
            (None, Some(whole)) => whole.clone(),
            _ => anyhow::bail!("a probe of a Pass or a Task `sets` or `gives`"),
        };
        if output["policy"] == "$policy" {
            output["policy"] = policy.clone();
        }
        Ok(output)
    }
}

impl Question {
    fn differences(&self, told: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, expected: &Value, got: &Value| {
            if expected != got {
                found.push(format!("{what}: expected {expected}, got {got}"));
            }
        };
        compare("status", &self.status.into(), &told["status"]);
        compare("nextState", &json!(self.next), &told["nextState"]);
        let output = told["output"].as_str().and_then(|text| serde_json::from_str(text).ok());
        compare("output", &self.output, &output.unwrap_or_default());
        if self.names_execution {
            let asked = told["inspectionData"]["afterParameters"].as_str().unwrap_or_default();
            let named = asked.contains(EXECUTION);
            compare("what is asked names the execution", &true.into(), &named.into());
        }
        if !found.is_empty() && told["status"] == "FAILED" {
            found.push(format!("error: {}, {}", told["error"], told["cause"]));
        }
        found
    }
}

fn text(value: &Value, field: &str) -> Option<String> {
    value[field].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_definition_that_is_not_asked_is_told() {
        let definition =
            |state: Value| json!({ "States": { "Load Policy": { "Type": "Pass", "Result": {} }, "A": state } });
        let problem = |state: Value, probes: Value| {
            let states = json!({ "about": "", "states": { "Load Policy": [{ "sets": {} }], "A": probes } });
            let asked = questions(&definition(state), serde_json::from_value(states).unwrap());
            format!("{:#}", asked.err().unwrap())
        };
        let choice = json!({ "Type": "Choice", "Choices": [{ "Next": "B" }], "Default": "C" });
        assert!(problem(choice, json!([{ "takes": 0 }])).contains("no probe takes [Default(Default)]"));
        assert!(problem(json!({ "Type": "Pass" }), json!([])).contains("there is no probe"));
        assert!(problem(json!({ "Type": "Task", "Catch": [] }), json!([])).contains("there is no probe"));
        assert!(problem(json!({ "Type": "Wait" }), json!([])).contains("is not known here"));
    }
}
