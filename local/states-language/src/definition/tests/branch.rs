use serde_json::{Value, json};

use super::{diagnostics, refused};

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
