//! The command as the CDK app runs it.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepbreaker-policy"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn policy(circuit: &str) -> Value {
    json!({
        "circuit": circuit,
        "route": { "path": format!("/{circuit}/{{id}}") },
        "params": { "id": "[0-9]" },
        "call": { "url": "https://partner.example.com/{id}" },
        "fallback": { "body": null },
    })
}

fn given(policies: &[Value]) -> String {
    let given: Vec<Value> = policies
        .iter()
        .map(|policy| {
            let file = format!("{}.json", policy["circuit"].as_str().unwrap());
            json!({ "file": file, "text": policy.to_string() })
        })
        .collect();
    json!(given).to_string()
}

#[test]
fn shipped_policies_are_told_with_their_bound_definition() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../statemachine");
    let definition = format!("--definition={root}/circuit-breaker.asl.json");
    let output = run(&[&definition, &format!("{root}/circuits")], "");
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let circuit = &told[0];
    assert_eq!(circuit["circuit"], "wholesaler-stock");
    assert_eq!(circuit["route"]["segments"][1], json!({ "parameter": "isbn" }));
    assert_eq!(circuit["deployed"]["call"]["maxResponseBytes"], 131_072);
    let bound: Value = serde_json::from_str(circuit["definition"].as_str().unwrap()).unwrap();
    assert_eq!(bound["States"]["Load Policy"]["Result"], circuit["deployed"]);
    assert_eq!(
        bound["States"]["Read Circuit"]["Parameters"]["TableName"],
        "{{CircuitsTable}}"
    );
}

#[test]
fn patterns_are_told_as_every_engine_reads_them() {
    let output = run(&["-"], &given(&[policy("a")]));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told[0]["patterns"]["id"], "[\\u0030-\\u0039]");
}

#[test]
fn problems_of_all_policies_are_told_at_once() {
    let mut slow = policy("slow");
    slow["call"]["timeoutMs"] = json!(20_001);
    let mut odd = policy("odd");
    odd["trip"] = json!({ "failures": 0 });
    let output = run(&["-"], &given(&[slow, odd]));
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("slow.json: call.timeoutMs: is 20001; allowed: "),
        "{told}"
    );
    assert!(told.contains("odd.json: trip.failures: is 0; allowed: "), "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn policies_that_cannot_stand_together_are_refused() {
    let mut other = policy("b");
    other["route"]["path"] = json!("/a/{id}");
    let output = run(&["-"], &given(&[policy("a"), other]));
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("b.json: route.path: "), "{told}");
}
