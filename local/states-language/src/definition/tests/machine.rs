use serde_json::{Value, json};

use super::{diagnostics, machine, refused, refused_text, task, with};

#[test]
fn what_is_no_definition_is_refused_as_a_whole() {
    refused_text("", "/", "Definition must be a valid JSON object");
    refused_text("[]", "/", "Definition must be a valid JSON object");
    refused_text("not a definition", "/", "not valid JSON");
    refused_text("{} {}", "/", "not valid JSON");
    refused_text("{}", "/", "These fields are required: [States, StartAt]");
    refused(
        &json!({ "States": { "S": { "Type": "Succeed" } } }),
        "/",
        "These fields are required: [StartAt]",
    );
    refused(&json!({ "StartAt": "S" }), "/", "These fields are required: [States]");
    refused(
        &json!({ "StartAt": "S", "States": {} }),
        "/States",
        "at least one state",
    );
    let long = |bytes: usize| {
        let text = machine(json!({ "Type": "Succeed", "Comment": "" })).to_string();
        text.replace(
            "\"Comment\":\"\"",
            &format!("\"Comment\":\"{}\"", "x".repeat(bytes - text.len())),
        )
    };
    assert_eq!(diagnostics(&long(1024 * 1024)), []);
    refused_text(&long(1024 * 1024 + 1), "/", "1048577 bytes");
}

#[test]
fn a_field_given_twice_is_refused_where_it_stands() {
    let text = r#"{"StartAt":"S","States":{"S":{"Type":"Succeed"},"S":{"Type":"Succeed"}}}"#;
    refused_text(text, "/States/S", "given twice");
    let text = r#"{"StartAt":"S","States":{"S":{"Type":"Pass","Result":[{"a":1,"a":2}],"End":true}}}"#;
    refused_text(text, "/States/S/Result[0]/a", "given twice");
}

#[test]
fn what_the_machine_itself_says_is_checked() {
    let whole = |extra| with(machine(json!({ "Type": "Succeed" })), extra);
    assert_eq!(
        diagnostics(
            &whole(json!({ "Version": "1.0", "Comment": "c", "TimeoutSeconds": 28, "QueryLanguage": "JSONPath" }))
                .to_string()
        ),
        []
    );
    refused(
        &whole(json!({ "QueryLanguage": "JSONata" })),
        "/QueryLanguage",
        "'JSONata' is not supported",
    );
    refused(
        &whole(json!({ "Version": "2.0" })),
        "/Version",
        "'2.0' is not supported",
    );
    refused(
        &whole(json!({ "Extra": 1 })),
        "/Extra",
        "the field 'Extra' is not known",
    );
    refused(&whole(json!({ "Comment": 1 })), "/Comment", "must be a string");
    for timeout in [json!(0), json!(-1), json!(1.5), json!("1"), json!(100_000_000)] {
        refused(
            &whole(json!({ "TimeoutSeconds": timeout })),
            "/TimeoutSeconds",
            "not a whole number between 1",
        );
    }
}

#[test]
fn transitions_must_lead_somewhere_and_everywhere() {
    let at = |start: &str, states: Value| json!({ "StartAt": start, "States": states });
    refused(
        &at("X", json!({ "S": { "Type": "Succeed" } })),
        "/StartAt",
        "Missing 'StartAt' target: X",
    );
    refused(
        &machine(json!({ "Type": "Pass", "Next": "X" })),
        "/States/S/Next",
        "Missing 'Next' target: X",
    );
    refused(&machine(json!({ "Type": "Pass" })), "/States/S", "it has neither");
    refused(
        &machine(json!({ "Type": "Pass", "End": false })),
        "/States/S",
        "it has neither",
    );
    refused(
        &machine(json!({ "Type": "Pass", "End": true, "Next": "S" })),
        "/States/S",
        "it has both",
    );
    refused(
        &machine(json!({ "Type": "Pass", "End": "true" })),
        "/States/S/End",
        "must be true or false",
    );
    refused(
        &at(
            "S",
            json!({ "S": { "Type": "Succeed" }, "Island": { "Type": "Succeed" } }),
        ),
        "/States/Island",
        "State \"Island\" is not reachable.",
    );
    refused(
        &at(
            "S",
            json!({ "S": { "Type": "Pass", "Next": "T" }, "T": { "Type": "Pass", "Next": "S" } }),
        ),
        "/States",
        "no state ends the execution",
    );
    let caught =
        json!({ "S": task(json!({ "Catch": [{ "ErrorEquals": ["A"], "Next": "T" }] })), "T": { "Type": "Fail" } });
    assert_eq!(
        diagnostics(&at("S", caught).to_string()),
        [],
        "a catcher reaches its state"
    );
}

#[test]
fn a_state_name_has_at_most_eighty_characters() {
    let named = |name: &str| json!({ "StartAt": name, "States": { name: { "Type": "Succeed" } } });
    assert_eq!(diagnostics(&named(&"ä".repeat(80)).to_string()), []);
    let long = "ä".repeat(81);
    refused(&named(&long), &format!("/States/{long}"), "between 1 and 80 characters");
    refused(&named(""), "/States/", "between 1 and 80 characters");
}

#[test]
fn every_problem_is_told_not_only_the_first() {
    let definition = json!({
        "StartAt": "A",
        "States": {
            "A": { "Type": "Pass", "ResultPath": "x", "Next": "B" },
            "B": { "Type": "Task", "Resource": "r.sync", "Retry": [{ "ErrorEquals": [] }], "Next": "C" },
        },
    });
    let locations: Vec<String> = diagnostics(&definition.to_string())
        .into_iter()
        .map(|(_, location, _)| location)
        .collect();
    assert_eq!(
        locations,
        [
            "/States/A/ResultPath",
            "/States/B/Resource",
            "/States/B/Retry[0]/ErrorEquals",
            "/States/B/Next"
        ]
    );
}
