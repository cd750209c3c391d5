//! State machines, and what is refused.

use serde_json::{Value, json};

use super::{FAIL, PASS, ROLE, create, refused, sfn};
use crate::common::http::aws;
use crate::common::system::TestSystem;

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_lives_from_create_to_delete() {
    let tested = TestSystem::start().await;
    let arn = create(&tested, "own", PASS, "EXPRESS").await;
    assert_eq!(arn, "arn:aws:states:us-east-1:000000000000:stateMachine:own");
    let described = sfn(&tested, "DescribeStateMachine", json!({ "stateMachineArn": arn }))
        .await
        .json();
    assert_eq!(described["definition"], PASS);
    assert_eq!(
        (&described["type"], &described["status"]),
        (&json!("EXPRESS"), &json!("ACTIVE"))
    );
    assert_eq!(described["roleArn"], ROLE);
    assert!(described["creationDate"].as_f64().unwrap() > 1.7e9);

    let update = json!({ "stateMachineArn": arn, "definition": FAIL });
    let updated = sfn(&tested, "UpdateStateMachine", update).await.json();
    assert!(
        updated["updateDate"].is_number() && updated["revisionId"].is_string(),
        "{updated}"
    );
    let started = sfn(&tested, "StartSyncExecution", json!({ "stateMachineArn": arn }))
        .await
        .json();
    assert_eq!(
        (&started["status"], &started["error"], &started["cause"]),
        (&json!("FAILED"), &json!("E"), &json!("C"))
    );

    for _ in 0..2 {
        assert_eq!(
            sfn(&tested, "DeleteStateMachine", json!({ "stateMachineArn": arn }))
                .await
                .body,
            "{}"
        );
    }
    for operation in ["DescribeStateMachine", "StartSyncExecution", "StartExecution"] {
        let body = json!({ "stateMachineArn": arn });
        assert_eq!(
            refused(&tested, operation, body).await,
            "StateMachineDoesNotExist",
            "{operation}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_the_same_again_is_no_conflict_and_another_definition_is() {
    let tested = TestSystem::start().await;
    let first = create(&tested, "own", PASS, "EXPRESS").await;
    let again = json!({ "name": "own", "definition": PASS, "roleArn": "arn:aws:iam::000000000000:role/other", "type": "EXPRESS" });
    assert_eq!(
        sfn(&tested, "CreateStateMachine", again).await.json()["stateMachineArn"],
        first
    );
    for (definition, kind) in [(FAIL, "EXPRESS"), (PASS, "STANDARD")] {
        let body = json!({ "name": "own", "definition": definition, "roleArn": ROLE, "type": kind });
        assert_eq!(
            refused(&tested, "CreateStateMachine", body).await,
            "StateMachineAlreadyExists"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_request_has_awss_name() {
    let tested = TestSystem::start().await;
    let own = create(&tested, "own", PASS, "EXPRESS").await;
    let standard = create(&tested, "standard", PASS, "STANDARD").await;
    let elsewhere = "arn:aws:states:us-east-1:000000000000:stateMachine:none";
    for (operation, body, name) in [
        (
            "CreateStateMachine",
            json!({ "name": "a b", "definition": PASS, "roleArn": ROLE }),
            "InvalidName",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": "{", "roleArn": ROLE }),
            "InvalidDefinition",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": "{}", "roleArn": ROLE }),
            "InvalidDefinition",
        ),
        (
            "CreateStateMachine",
            json!({ "definition": PASS, "roleArn": ROLE }),
            "ValidationException",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": PASS }),
            "ValidationException",
        ),
        (
            "CreateStateMachine",
            json!({ "name": 1, "definition": PASS, "roleArn": ROLE }),
            "SerializationException",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": PASS, "roleArn": ROLE, "type": "FAST" }),
            "ValidationException",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": PASS, "roleArn": "nobody" }),
            "InvalidArn",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": " ".repeat(1_048_577), "roleArn": ROLE }),
            "ValidationException",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "a", "definition": PASS, "roleArn": ROLE, "publish": true }),
            "ValidationException",
        ),
        (
            "UpdateStateMachine",
            json!({ "stateMachineArn": own, "roleArn": "nobody" }),
            "InvalidArn",
        ),
        (
            "UpdateStateMachine",
            json!({ "stateMachineArn": own }),
            "MissingRequiredParameter",
        ),
        (
            "UpdateStateMachine",
            json!({ "stateMachineArn": own, "definition": "[]" }),
            "InvalidDefinition",
        ),
        (
            "UpdateStateMachine",
            json!({ "stateMachineArn": elsewhere, "definition": PASS }),
            "StateMachineDoesNotExist",
        ),
        (
            "DescribeStateMachine",
            json!({ "stateMachineArn": "own" }),
            "InvalidArn",
        ),
        (
            "ListStateMachines",
            json!({ "maxResults": 1001 }),
            "ValidationException",
        ),
        ("ListStateMachines", json!({ "nextToken": "no token" }), "InvalidToken"),
        (
            "StartSyncExecution",
            json!({ "stateMachineArn": own, "input": "{" }),
            "InvalidExecutionInput",
        ),
        (
            "StartSyncExecution",
            json!({ "stateMachineArn": own, "name": "a/b" }),
            "InvalidName",
        ),
        (
            "StartSyncExecution",
            json!({ "stateMachineArn": own, "name": "n".repeat(81) }),
            "InvalidName",
        ),
        ("StartSyncExecution", json!({ "stateMachineArn": "x" }), "InvalidArn"),
        (
            "StartSyncExecution",
            json!({ "stateMachineArn": standard }),
            "StateMachineTypeNotSupported",
        ),
        (
            "StartSyncExecution",
            json!({ "stateMachineArn": own, "input": "1".repeat(262_145) }),
            "ValidationException",
        ),
        (
            "StartExecution",
            json!({ "stateMachineArn": own, "input": "no" }),
            "InvalidExecutionInput",
        ),
        ("DescribeExecution", json!({ "executionArn": "x" }), "InvalidArn"),
        (
            "DescribeExecution",
            json!({ "executionArn": "arn:aws:states:us-east-1:000000000000:execution:own:x" }),
            "ExecutionDoesNotExist",
        ),
        ("DescribeMapRun", json!({}), "UnknownOperationException"),
    ] {
        assert_eq!(
            refused(&tested, operation, body.clone()).await,
            name,
            "{operation} {:.200}",
            body.to_string()
        );
    }
    for (body, name) in [
        ("{", "SerializationException"),
        ("[]", "SerializationException"),
        ("", "ValidationException"),
    ] {
        let answer = aws(&tested.aws(), "AWSStepFunctions.DescribeExecution", body).await;
        assert_eq!(
            (answer.status, answer.json()["__type"].as_str()),
            (400, Some(name)),
            "{body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_are_listed_page_by_page_in_the_order_of_their_names() {
    let tested = TestSystem::start().await;
    for name in ["c", "a", "b"] {
        create(&tested, name, PASS, "EXPRESS").await;
    }
    let mut names = Vec::new();
    let mut token = Value::Null;
    loop {
        let page = sfn(
            &tested,
            "ListStateMachines",
            json!({ "maxResults": 2, "nextToken": token }),
        )
        .await
        .json();
        names.extend(
            page["stateMachines"]
                .as_array()
                .unwrap()
                .iter()
                .map(|machine| machine["name"].clone()),
        );
        token = page["nextToken"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(names, ["a", "b", "c", "circuit-tested"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_is_validated_without_being_created() {
    let tested = TestSystem::start().await;
    let validate = async |body: Value| sfn(&tested, "ValidateStateMachineDefinition", body).await.json();
    let good = validate(json!({ "definition": PASS })).await;
    assert_eq!(good, json!({ "result": "OK", "truncated": false, "diagnostics": [] }));
    let unknown = PASS.replace("\"Pass\"", "\"Task\",\"Resource\":\"arn:aws:states:::sqs:sendMessage\"");
    let bad = validate(json!({ "definition": unknown })).await;
    assert_eq!(bad["result"], "FAIL");
    let first = &bad["diagnostics"][0];
    assert!(first["message"].as_str().unwrap().contains("sqs:sendMessage"), "{bad}");
    assert_eq!(
        (&first["severity"], &first["location"]),
        (&json!("ERROR"), &json!("/States/A/Resource"))
    );

    let wrong = r#"{"StartAt":"X","States":{"A":{"Type":"Pass","Next":"Y"},"B":{"Type":"Pass","Next":"Z"}}}"#;
    let all = validate(json!({ "definition": wrong, "severity": "WARNING", "maxResults": 0 })).await;
    let count = all["diagnostics"].as_array().unwrap().len();
    assert!(count > 2 && all["truncated"] == false, "{all}");
    for (limit, shown, truncated) in [(count - 1, count - 1, true), (count, count, false), (100, count, false)] {
        let some = validate(json!({ "definition": wrong, "severity": "WARNING", "maxResults": limit })).await;
        assert_eq!(some["diagnostics"].as_array().unwrap().len(), shown, "{limit}");
        assert_eq!(some["truncated"], truncated, "{limit}");
    }
    for body in [
        json!({ "definition": PASS, "maxResults": 101 }),
        json!({ "definition": PASS, "severity": "INFO" }),
        json!({ "definition": PASS, "type": "FAST" }),
        json!({}),
    ] {
        let name = refused(&tested, "ValidateStateMachineDefinition", body.clone()).await;
        assert_eq!(name, "ValidationException", "{body}");
    }
}
