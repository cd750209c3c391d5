use serde_json::{Value, json};

use super::{diagnostics, machine, refused, task, with};

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
