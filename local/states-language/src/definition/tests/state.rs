use serde_json::json;

use super::{diagnostics, machine, refused, task, with};

#[test]
fn types_fields_and_resources_that_are_not_supported_are_refused_by_name() {
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
    for field in ["Assign", "Output", "Arguments", "Credentials"] {
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
            json!({ "OutputPath": "$.a[(@.b)]" }),
            "OutputPath",
            "script expressions",
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
