use serde_json::{Value, json};

use super::report::Report;
use super::{fields::Fields, parse};
use crate::choice::Rule;

/// A rule without where it leads.
pub(crate) fn rule(json: Value) -> Result<Rule, Vec<crate::Diagnostic>> {
    let mut report = Report::default();
    let rule = Fields::of(json, "", &mut report).and_then(|mut fields| {
        let rule = super::branch::rule(&mut fields, &mut report);
        fields.finish("a rule", &mut report);
        rule
    });
    let diagnostics = report.into_diagnostics();
    rule.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
}

fn diagnostics(text: &str) -> Vec<(&'static str, String, String)> {
    let supports = |resource: &str| !resource.contains("unsupported");
    match parse(text, &supports) {
        Ok(_) => Vec::new(),
        Err(invalid) => invalid
            .diagnostics
            .into_iter()
            .map(|d| (d.code, d.location, d.message))
            .collect(),
    }
}

/// Refused with exactly one diagnostic: its place, and a part of its message.
fn refused(definition: &Value, location: &str, message: &str) {
    refused_text(&definition.to_string(), location, message);
}

fn refused_text(text: &str, location: &str, message: &str) {
    let found = diagnostics(text);
    let [(_, at, said)] = found.as_slice() else {
        panic!("expected {location}: {message}; found {found:?} for {text}")
    };
    assert_eq!(at, location, "{said}");
    assert!(said.contains(message), "{said:?} does not hold {message:?}");
}

fn machine(state: Value) -> Value {
    json!({ "StartAt": "S", "States": { "S": state } })
}

fn task(extra: Value) -> Value {
    with(json!({ "Type": "Task", "Resource": "r", "End": true }), extra)
}

fn with(mut base: Value, extra: Value) -> Value {
    let (Value::Object(fields), Value::Object(extra)) = (&mut base, extra) else {
        panic!("objects")
    };
    fields.extend(extra);
    base
}

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
fn types_fields_and_resources_that_are_not_supported_are_refused_by_name() {
    for kind in ["Wait", "Parallel", "Map"] {
        refused(
            &machine(json!({ "Type": kind, "End": true })),
            "/States/S/Type",
            &format!("'{kind}' is not supported"),
        );
    }
    refused(
        &machine(json!({ "Type": "Poss", "End": true })),
        "/States/S/Type",
        "'Poss' is not known",
    );
    refused(
        &machine(json!({ "End": true })),
        "/States/S",
        "These fields are required: [Type]",
    );
    refused(&machine(json!(1)), "/States/S", "must be an object");
    for field in [
        "HeartbeatSeconds",
        "TimeoutSecondsPath",
        "Assign",
        "Output",
        "Arguments",
        "Credentials",
    ] {
        refused(
            &machine(task(json!({ field: 1 }))),
            &format!("/States/S/{field}"),
            &format!("'{field}' is not supported"),
        );
    }
    for (state, field, owner) in [
        (
            json!({ "Type": "Pass", "End": true, "Retry": [] }),
            "Retry",
            "a Pass state",
        ),
        (
            json!({ "Type": "Pass", "End": true, "ResultSelector": {} }),
            "ResultSelector",
            "a Pass state",
        ),
        (json!({ "Type": "Succeed", "End": true }), "End", "a Succeed state"),
        (json!({ "Type": "Fail", "InputPath": "$" }), "InputPath", "a Fail state"),
        (task(json!({ "Result": {} })), "Result", "a Task state"),
        (task(json!({ "timeoutSeconds": 1 })), "timeoutSeconds", "a Task state"),
    ] {
        refused(
            &machine(state),
            &format!("/States/S/{field}"),
            &format!("'{field}' is not known for {owner}"),
        );
    }
    refused(
        &machine(json!({ "Type": "Succeed", "QueryLanguage": "JSONata" })),
        "/States/S/QueryLanguage",
        "'JSONata'",
    );
    let at = "/States/S/Resource";
    refused(
        &machine(json!({ "Type": "Task", "End": true })),
        "/States/S",
        "These fields are required: [Resource]",
    );
    refused(&machine(task(json!({ "Resource": 1 }))), at, "must be a string");
    refused(
        &machine(task(json!({ "Resource": "an-unsupported-one" }))),
        at,
        "'an-unsupported-one' is not supported",
    );
    for pattern in [".waitForTaskToken", ".sync", ".sync:2"] {
        let resource = format!("arn:aws:states:::lambda:invoke{pattern}");
        refused(
            &machine(task(json!({ "Resource": resource }))),
            at,
            &format!("'{pattern}'"),
        );
    }
}

#[test]
fn paths_and_templates_are_checked_where_they_stand() {
    for (extra, location, message) in [
        (json!({ "InputPath": "a" }), "InputPath", "must start with '$'"),
        (json!({ "InputPath": 1 }), "InputPath", "must be a path or null"),
        (
            json!({ "OutputPath": "$.a[?(@.b)]" }),
            "OutputPath",
            "filter expressions",
        ),
        (
            json!({ "ResultPath": "$.a[*]" }),
            "ResultPath",
            "Value is not a Reference Path",
        ),
        (
            json!({ "ResultPath": "$$.a" }),
            "ResultPath",
            "must not start from the context object",
        ),
        (
            json!({ "ResultPath": 1 }),
            "ResultPath",
            "must be a reference path or null",
        ),
        (json!({ "Parameters": "$.a" }), "Parameters", "must be an object"),
        (
            json!({ "Parameters": { "a": [{ "b.$": "c" }] } }),
            "Parameters/a[0]/b.$",
            "intrinsic function such as",
        ),
        (
            json!({ "Parameters": { "b.$": 1 } }),
            "Parameters/b.$",
            "must be a string",
        ),
        (
            json!({ "Parameters": { "b.$": "$." } }),
            "Parameters/b.$",
            "a name is missing",
        ),
        (
            json!({ "Parameters": { "b": 1, "b.$": "$" } }),
            "Parameters/b.$",
            "given twice",
        ),
        (
            json!({ "ResultSelector": { "b.$": "States.Nope()" } }),
            "ResultSelector/b.$",
            "'States.Nope' is not known",
        ),
    ] {
        refused(&machine(task(extra)), &format!("/States/S/{location}"), message);
    }
}

#[test]
fn retriers_and_catchers_are_checked_where_they_stand() {
    let retry = |extra: Value| machine(task(json!({ "Retry": [with(json!({ "ErrorEquals": ["A"] }), extra)] })));
    assert_eq!(
        diagnostics(&retry(json!({ "IntervalSeconds": 2, "MaxAttempts": 0, "BackoffRate": 1, "MaxDelaySeconds": 3, "JitterStrategy": "FULL", "Comment": "c" })).to_string()),
        []
    );
    for (extra, field, message) in [
        (json!({ "ErrorEquals": [] }), "ErrorEquals", "at least one name"),
        (json!({ "ErrorEquals": ["A", 1] }), "ErrorEquals", "at least one name"),
        (
            json!({ "ErrorEquals": ["States.ALL", "A"] }),
            "ErrorEquals",
            "must stand alone",
        ),
        (json!({ "IntervalSeconds": 0 }), "IntervalSeconds", "not a whole number"),
        (json!({ "MaxAttempts": -1 }), "MaxAttempts", "not a whole number"),
        (json!({ "BackoffRate": 0.9 }), "BackoffRate", "at least 1.0"),
        (
            json!({ "MaxDelaySeconds": 1 }),
            "MaxDelaySeconds",
            "1 must be greater than IntervalSeconds, which is 1",
        ),
        (
            json!({ "MaxDelaySeconds": 5, "IntervalSeconds": 5 }),
            "MaxDelaySeconds",
            "5 must be greater than IntervalSeconds, which is 5",
        ),
        (
            json!({ "MaxDelaySeconds": 31_622_400 }),
            "MaxDelaySeconds",
            "not a whole number",
        ),
        (
            json!({ "JitterStrategy": "HALF" }),
            "JitterStrategy",
            "'HALF' must be FULL or NONE",
        ),
        (json!({ "Next": "S" }), "Next", "not known for a retrier"),
    ] {
        refused(&retry(extra), &format!("/States/S/Retry[0]/{field}"), message);
    }
    let all = json!({ "ErrorEquals": ["States.ALL"] });
    refused(
        &machine(task(json!({ "Retry": [all, { "ErrorEquals": ["A"] }] }))),
        "/States/S/Retry[0]/ErrorEquals",
        "in the last item only",
    );
    refused(
        &machine(task(json!({ "Retry": [{}] }))),
        "/States/S/Retry[0]",
        "These fields are required: [ErrorEquals]",
    );
    refused(
        &machine(task(json!({ "Retry": {} }))),
        "/States/S/Retry",
        "must be an array",
    );
    let catch = |extra: Value| {
        machine(task(
            json!({ "Catch": [with(json!({ "ErrorEquals": ["A"], "Next": "S" }), extra), with(all.clone(), json!({ "Next": "S" }))] }),
        ))
    };
    assert_eq!(
        diagnostics(&catch(json!({ "ResultPath": null, "Comment": "c" })).to_string()),
        []
    );
    for (extra, field, message) in [
        (
            json!({ "ErrorEquals": ["States.ALL"] }),
            "ErrorEquals",
            "in the last item only",
        ),
        (json!({ "ResultPath": "$.a[*]" }), "ResultPath", "not a Reference Path"),
        (json!({ "Next": "X" }), "Next", "Missing 'Next' target: X"),
        (json!({ "Assign": {} }), "Assign", "not supported"),
    ] {
        refused(&catch(extra), &format!("/States/S/Catch[0]/{field}"), message);
    }
}

#[test]
fn choices_are_checked_where_they_stand() {
    let choice = |rule: Value| json!({ "StartAt": "S", "States": { "S": { "Type": "Choice", "Choices": [rule], "Default": "T" }, "T": { "Type": "Succeed" } } });
    assert_eq!(
        diagnostics(&choice(json!({ "Variable": "$.a", "IsNull": true, "Next": "T", "Comment": "c" })).to_string()),
        []
    );
    for (rule, location, message) in [
        (
            json!({ "Variable": "$.a", "IsNull": true }),
            "",
            "These fields are required: [Next]",
        ),
        (
            json!({ "Variable": "$.a", "Next": "T" }),
            "",
            "exactly one comparison operator",
        ),
        (
            json!({ "Variable": "$.a", "IsNull": true, "IsString": true, "Next": "T" }),
            "",
            "exactly one comparison operator",
        ),
        (
            json!({ "Variable": "$.a", "IsNul": true, "Next": "T" }),
            "/IsNul",
            "'IsNul' is not known",
        ),
        (
            json!({ "IsNull": true, "Next": "T", "And": [], "Or": [] }),
            "",
            "exactly one of Variable, And, Or and Not",
        ),
        (
            json!({ "Variable": "a", "IsNull": true, "Next": "T" }),
            "/Variable",
            "must start with '$'",
        ),
        (
            json!({ "Variable": "$.a", "StringEquals": 1, "Next": "T" }),
            "/StringEquals",
            "must be a string",
        ),
        (
            json!({ "Variable": "$.a", "NumericEquals": "1", "Next": "T" }),
            "/NumericEquals",
            "must be a number",
        ),
        (
            json!({ "Variable": "$.a", "BooleanEquals": "x", "Next": "T" }),
            "/BooleanEquals",
            "must be true or false",
        ),
        (
            json!({ "Variable": "$.a", "IsPresent": 1, "Next": "T" }),
            "/IsPresent",
            "must be true or false",
        ),
        (
            json!({ "Variable": "$.a", "StringEqualsPath": "b", "Next": "T" }),
            "/StringEqualsPath",
            "must start with '$'",
        ),
        (
            json!({ "Variable": "$.a", "StringMatches": "\\", "Next": "T" }),
            "/StringMatches",
            "a backslash",
        ),
        (
            json!({ "Variable": "$.a", "TimestampEquals": "today", "Next": "T" }),
            "/TimestampEquals",
            "is not a timestamp",
        ),
        (json!({ "And": [], "Next": "T" }), "/And", "at least one rule"),
        (json!({ "And": [1], "Next": "T" }), "/And[0]", "must be an object"),
        (json!({ "Not": 1, "Next": "T" }), "/Not", "must be an object"),
        (
            json!({ "Or": [{ "Variable": "$.a", "IsNull": true, "Next": "T" }], "Next": "T" }),
            "/Or[0]/Next",
            "only a rule at the top",
        ),
        (
            json!({ "Condition": "{% x %}", "Next": "T", "Variable": "$", "IsNull": true }),
            "/Condition",
            "not supported",
        ),
        (
            json!({ "Variable": "$.a", "IsNull": true, "Next": "X" }),
            "/Next",
            "Missing 'Next' target: X",
        ),
    ] {
        let found = diagnostics(&choice(rule.clone()).to_string());
        let at = format!("/States/S/Choices[0]{location}");
        assert!(
            found.iter().any(|(_, l, m)| *l == at && m.contains(message)),
            "{rule}: {found:?}"
        );
    }
    refused(
        &json!({ "StartAt": "S", "States": { "S": { "Type": "Choice", "Choices": [], "Default": "T" }, "T": { "Type": "Succeed" } } }),
        "/States/S/Choices",
        "at least one rule",
    );
}

#[test]
fn a_fail_state_takes_texts_or_paths_but_not_both() {
    assert_eq!(diagnostics(&machine(json!({ "Type": "Fail" })).to_string()), []);
    let both = json!({ "Type": "Fail", "ErrorPath": "$.e", "CausePath": "States.Format('{}', $.c)" });
    assert_eq!(diagnostics(&machine(both).to_string()), []);
    for (state, location, message) in [
        (
            json!({ "Error": "e", "ErrorPath": "$.e" }),
            "",
            "must not hold both Error and ErrorPath",
        ),
        (json!({ "Error": 1 }), "/Error", "must be a string"),
        (
            json!({ "CausePath": "cause" }),
            "/CausePath",
            "intrinsic function such as",
        ),
        (
            json!({ "CausePath": "States.Array()" }),
            "/CausePath",
            "does not give a string",
        ),
        (json!({ "CausePath": 1 }), "/CausePath", "must be a string"),
    ] {
        let state = with(json!({ "Type": "Fail" }), state);
        refused(&machine(state), &format!("/States/S{location}"), message);
    }
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
