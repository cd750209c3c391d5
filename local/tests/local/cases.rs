//! The front door against the table that the templates of the deployed API run too (`infra/api/cases.json`): what it makes
//! of a request, and of an execution's end.
//!
//! The machine here does one of two things: it answers with the input that it was started with, or, asked for one of the
//! table's ends, ends so.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use stepbreaker_local::Config;

use crate::common::http::{Answer, post, send};
use crate::common::system::{TestSystem, circuits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    circuits: Vec<Value>,
    requests: Vec<Request>,
    answers: Vec<End>,
}

/// A request, and the input that it becomes or the status that refuses it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    id: String,
    circuit: String,
    /// The body of a `POST /circuits/NAME/calls`; otherwise it is a request to the policy's route.
    call: Option<String>,
    method: Option<String>,
    path: Option<String>,
    query: Option<String>,
    body: Option<Body>,
    input: Option<Value>,
    refused: Option<u16>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Body {
    Text(String),
    Repeated(String, usize),
}

/// An end of an execution, and the answer that it becomes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    id: String,
    circuit: String,
    ends: String,
    output: Option<Value>,
    error: Option<String>,
    cause: Option<String>,
    status: u16,
    headers: BTreeMap<String, String>,
    body: Option<String>,
    message: Option<String>,
}

fn table() -> Table {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/api/cases.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// A system with the table's circuits, and one more, whose executions end as their parameter says.
async fn system(table: &Table) -> TestSystem {
    let ends = json!({
        "circuit": "ends",
        "params": { "end": "[a-z-]{1,40}" },
        "call": { "url": "http://127.0.0.1:1/{end}" },
        "fallback": { "body": null },
    });
    TestSystem::start_with(|config| {
        let directory = circuits(&config);
        fs::remove_file(directory.join("tested.json")).unwrap();
        for policy in table.circuits.iter().chain([&ends]) {
            let file = directory.join(format!("{}.json", policy["circuit"].as_str().unwrap()));
            fs::write(file, policy.to_string()).unwrap();
        }
        let definition = directory.with_file_name("ends.asl.json");
        fs::write(&definition, machine(&table.answers).to_string()).unwrap();
        Config {
            definition: Some(definition),
            ..config
        }
    })
    .await
}

fn machine(ends: &[End]) -> Value {
    let mut states = Map::new();
    states.insert(
        "Know Policy".to_owned(),
        json!({ "Type": "Pass", "Result": "${Policy}", "ResultPath": "$.policy", "Next": "Is An End Asked For?" }),
    );
    let asked = json!({ "Variable": "$.params.end", "IsPresent": true, "Next": "Which End?" });
    states.insert(
        "Is An End Asked For?".to_owned(),
        json!({ "Type": "Choice", "Choices": [asked], "Default": "Tell Input" }),
    );
    let which: Vec<Value> = ends
        .iter()
        .map(|end| json!({ "Variable": "$.params.end", "StringEquals": end.id, "Next": end.id }))
        .collect();
    states.insert(
        "Which End?".to_owned(),
        json!({ "Type": "Choice", "Choices": which, "Default": "Tell Input" }),
    );
    for end in ends {
        let state = match end.ends.as_str() {
            "SUCCEEDED" => json!({ "Type": "Pass", "Result": end.output, "End": true }),
            "FAILED" => json!({ "Type": "Fail", "Error": end.error, "Cause": end.cause }),
            "TIMED_OUT" => json!({ "Type": "Wait", "Seconds": 60, "End": true }),
            other => panic!("{}: no end {other}", end.id),
        };
        states.insert(end.id.clone(), state);
    }
    let told = json!({
        "status": 200, "reason": "live", "contentType": "application/json", "headers": {},
        "body.$": "States.JsonToString($$.Execution.Input)",
    });
    states.insert(
        "Tell Input".to_owned(),
        json!({ "Type": "Pass", "Parameters": told, "End": true }),
    );
    json!({ "StartAt": "Know Policy", "TimeoutSeconds": 1, "States": states })
}

async fn asked(door: &str, request: &Request) -> Answer {
    if let Some(call) = &request.call {
        return post(door, &format!("/circuits/{}/calls", request.circuit), call).await;
    }
    let mut path = request.path.clone().unwrap();
    if let Some(query) = &request.query {
        path = format!("{path}?{query}");
    }
    let body = match &request.body {
        None => String::new(),
        Some(Body::Text(text)) => text.clone(),
        Some(Body::Repeated(text, count)) => text.repeat(*count),
    };
    let content_type: &[(&str, &str)] = match body.as_str() {
        "" => &[],
        _ => &[("content-type", "application/json")],
    };
    send(door, request.method.as_deref().unwrap(), &path, content_type, &body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_of_the_shared_table_becomes_its_input() {
    let table = table();
    let tested = system(&table).await;
    for request in &table.requests {
        let answer = asked(&tested.door(), request).await;
        let id = &request.id;
        if let Some(status) = request.refused {
            assert_eq!(
                (answer.status, answer.header("x-circuit")),
                (status, "invalid"),
                "{id}: {answer:?}"
            );
            assert!(answer.json()["requestId"].is_string(), "{id}: {answer:?}");
        } else {
            assert_eq!(
                (answer.status, answer.header("x-circuit")),
                (200, "live"),
                "{id}: {answer:?}"
            );
            assert_eq!(Some(answer.json()), request.input, "{id}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_of_the_shared_table_becomes_its_answer() {
    let table = table();
    let tested = system(&table).await;
    for end in &table.answers {
        assert_eq!(
            end.circuit, "books",
            "{}: the headers that it passes on are known here",
            end.id
        );
        let call = json!({ "params": { "end": end.id } }).to_string();
        let answer = post(&tested.door(), "/circuits/ends/calls", &call).await;
        assert_eq!(answer.status, end.status, "{}: {answer:?}", end.id);
        for (name, value) in &end.headers {
            assert_eq!(answer.header(name), value, "{}: {name}", end.id);
        }
        match (&end.body, &end.message) {
            (Some(body), None) => assert_eq!(&answer.body, body, "{}", end.id),
            (None, Some(message)) => {
                let told = json!({ "message": message, "requestId": answer.header("x-amzn-requestid") });
                assert_eq!(answer.json(), told, "{}", end.id);
            }
            _ => panic!("{}: either a body or a message", end.id),
        }
    }
}
