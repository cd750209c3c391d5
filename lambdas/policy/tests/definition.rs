//! Binding the definition to a circuit.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use policy::Deployed;
use policy::definition::{BindError, Names, bind};
use serde_json::{Value, json};

fn deployed() -> Deployed {
    let file = json!({
        "circuit": "stock",
        "call": {"url": "http://127.0.0.1:9/", "headers": {"x": "${CircuitsTable}"}},
        "fallback": {"body": {"b": "${NotAToken} \" \\ \n", "a": 1}}
    });
    policy::parse(Path::new("stock.json"), &file.to_string())
        .unwrap()
        .deployed
}

fn names() -> Names {
    Names {
        circuits_table: "circuits".to_owned(),
        call_partner_function: "arn:aws:lambda:eu-central-1:1:function:call-partner-stock".to_owned(),
        acquire_probe_function: "${RecordOutcomeFunction}".to_owned(),
        record_outcome_function: "record-outcome".to_owned(),
    }
}

#[test]
fn policy_and_names_are_put_in_their_places() {
    let template = json!({
        "StartAt": "Policy",
        "States": {
            "Policy": {"Type": "Pass", "Result": "${Policy}", "Next": "B"},
            "B": {"Name": "${CircuitsTable}", "List": ["a ${CallPartnerFunction}:${CallPartnerFunction} z", 1, null, true]},
            "C": {"Result": "text", "Arn": "${AcquireProbeFunction} ${RecordOutcomeFunction}", "Path": "$.a", "Dollar": "$"}
        }
    });
    let bound: Value = serde_json::from_str(&bind(&template.to_string(), &deployed(), &names()).unwrap()).unwrap();
    assert_eq!(
        bound["States"]["Policy"]["Result"],
        serde_json::to_value(deployed()).unwrap()
    );
    assert_eq!(bound["States"]["B"]["Name"], "circuits");
    let function = names().call_partner_function;
    assert_eq!(
        bound["States"]["B"]["List"],
        json!([format!("a {function}:{function} z"), 1, null, true])
    );
    // What was put in is not looked into again.
    assert_eq!(bound["States"]["C"]["Arn"], "${RecordOutcomeFunction} record-outcome");
    assert_eq!(bound["States"]["C"]["Path"], "$.a");
    assert_eq!(
        bound.to_string().find("\"StartAt\""),
        Some(1),
        "the order of keys is kept"
    );
}

#[test]
fn tokens_that_nothing_replaces_are_named_each_once() {
    let template = json!({"Result": "${Policy}", "a": "${Nope} ${CircuitsTable}", "b": ["${Nope}", "x${Policy}", "${open"], "${Key}": 1});
    match bind(&template.to_string(), &deployed(), &names()) {
        Err(BindError::Unreplaced { tokens }) => assert_eq!(tokens, ["${Nope}", "${Policy}", "${open", "${Key}"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn policy_must_have_one_place() {
    for (template, places) in [
        (json!({"Result": "x"}), 0),
        (json!({"a": {"Result": "${Policy}"}, "b": {"Result": "${Policy}"}}), 2),
    ] {
        match bind(&template.to_string(), &deployed(), &names()) {
            Err(BindError::PolicyPlaces { found }) => assert_eq!(found, places),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn template_must_be_json() {
    assert!(matches!(bind("{", &deployed(), &names()), Err(BindError::NotJson(_))));
}
