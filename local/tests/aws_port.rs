//! The port for AWS SDKs, on the wire. Names of errors and fields are taken from AWS's API reference; what is *local only*
//! says so.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail in a helper too")]

mod common;

use common::http::{Answer, aws, get, send};
use common::system::TestSystem;
use common::{eventually, scripted_function};
use serde_json::{Value, json};

#[test]
#[ignore = "it is the function that the other tests run"]
fn scripted_function() {
    scripted_function::run();
}

const PASS: &str = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}"#;
const FAIL: &str = r#"{"StartAt":"A","States":{"A":{"Type":"Fail","Error":"E","Cause":"C"}}}"#;
const ROLE: &str = "arn:aws:iam::000000000000:role/nobody";

async fn sfn(tested: &TestSystem, operation: &str, body: Value) -> Answer {
    aws(
        &tested.aws(),
        &format!("AWSStepFunctions.{operation}"),
        &body.to_string(),
    )
    .await
}

async fn refused(tested: &TestSystem, operation: &str, body: Value) -> String {
    let answer = sfn(tested, operation, body).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.json()["message"].is_string(), "{answer:?}");
    answer.json()["__type"].as_str().unwrap().to_owned()
}

async fn create(tested: &TestSystem, name: &str, definition: &str, kind: &str) -> String {
    let body = json!({ "name": name, "definition": definition, "roleArn": ROLE, "type": kind });
    let answer = sfn(tested, "CreateStateMachine", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["stateMachineArn"].as_str().unwrap().to_owned()
}

async fn ended(tested: &TestSystem, execution: &str) -> Value {
    let described = || async {
        let answer = sfn(tested, "DescribeExecution", json!({ "executionArn": execution }))
            .await
            .json();
        (answer["status"] != "RUNNING").then_some(answer)
    };
    eventually("the execution's end", described).await
}

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
        ("GetExecutionHistory", json!({}), "UnknownOperationException"),
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
async fn a_synchronous_execution_says_how_it_went() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "EXPRESS").await;
    let body =
        json!({ "stateMachineArn": machine, "name": "first", "input": "{\"a\": 1.50}", "traceHeader": "Root=1" });
    let ended = sfn(&tested, "StartSyncExecution", body).await.json();
    assert_eq!(
        (&ended["status"], &ended["name"]),
        (&json!("SUCCEEDED"), &json!("first"))
    );
    assert_eq!(ended["input"], "{\"a\": 1.50}");
    assert_eq!(
        serde_json::from_str::<Value>(ended["output"].as_str().unwrap()).unwrap(),
        json!({ "a": 1.5 })
    );
    let arn = ended["executionArn"].as_str().unwrap();
    assert!(
        arn.starts_with("arn:aws:states:us-east-1:000000000000:express:own:first:"),
        "{arn}"
    );
    assert!(ended["stopDate"].as_f64().unwrap() >= ended["startDate"].as_f64().unwrap());
    let billing = json!({ "billedMemoryUsedInMB": 64, "billedDurationInMilliseconds": 100 });
    assert_eq!(
        (&ended["billingDetails"], &ended["traceHeader"]),
        (&billing, &json!("Root=1"))
    );
    assert_eq!(ended.get("error"), None);

    let body = json!({ "stateMachineArn": machine, "includedData": "METADATA_ONLY" });
    let bare = sfn(&tested, "StartSyncExecution", body).await.json();
    assert_eq!((bare.get("input"), bare.get("output")), (None, None));
    assert_eq!(bare["outputDetails"], json!({ "included": false }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_execution_that_times_out_is_a_200_that_says_so() {
    let tested = TestSystem::start().await;
    let input = json!({ "params": { "do": "hang" } }).to_string();
    let body = json!({ "stateMachineArn": tested.machine(), "input": input });
    let answer = sfn(&tested, "StartSyncExecution", body).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("TIMED_OUT")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_execution_is_described_until_and_after_its_end() {
    let tested = TestSystem::start().await;
    let input = json!({ "params": { "do": "hang" } }).to_string();
    let body = json!({ "stateMachineArn": tested.machine(), "name": "slow", "input": input });
    let started = sfn(&tested, "StartExecution", body).await.json();
    let arn = started["executionArn"].as_str().unwrap();
    let running = sfn(&tested, "DescribeExecution", json!({ "executionArn": arn }))
        .await
        .json();
    assert_eq!((&running["status"], running.get("stopDate")), (&json!("RUNNING"), None));
    assert_eq!(
        (&running["input"], &running["startDate"]),
        (&json!(input), &started["startDate"])
    );
    let described = ended(&tested, arn).await;
    assert_eq!(described["status"], "TIMED_OUT");
    assert!(described["stopDate"].is_number());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_standard_execution_starts_it_once() {
    let tested = TestSystem::start().await;
    let machine = create(&tested, "own", PASS, "STANDARD").await;
    let body = |input: &str| json!({ "stateMachineArn": machine, "name": "once", "input": input });
    let started = sfn(&tested, "StartExecution", body("{}")).await.json();
    let arn = started["executionArn"].as_str().unwrap();
    assert_eq!(arn, "arn:aws:states:us-east-1:000000000000:execution:own:once");
    let described = ended(&tested, arn).await;
    assert_eq!(
        (&described["status"], &described["output"]),
        (&json!("SUCCEEDED"), &json!("{}"))
    );
    assert_eq!(
        refused(&tested, "StartExecution", body("{}")).await,
        "ExecutionAlreadyExists"
    );
    assert_eq!(
        refused(&tested, "StartExecution", body("[]")).await,
        "ExecutionAlreadyExists"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_is_validated_without_being_created() {
    let tested = TestSystem::start().await;
    let good = sfn(&tested, "ValidateStateMachineDefinition", json!({ "definition": PASS }))
        .await
        .json();
    assert_eq!(good, json!({ "result": "OK", "truncated": false, "diagnostics": [] }));
    let unknown = PASS.replace("\"Pass\"", "\"Task\",\"Resource\":\"arn:aws:states:::sqs:sendMessage\"");
    let bad = sfn(
        &tested,
        "ValidateStateMachineDefinition",
        json!({ "definition": unknown }),
    )
    .await
    .json();
    assert_eq!(bad["result"], "FAIL");
    assert!(
        bad["diagnostics"][0]["message"]
            .as_str()
            .unwrap()
            .contains("sqs:sendMessage"),
        "{bad}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamodb_answers_on_the_same_port() {
    let tested = TestSystem::start().await;
    let tables = aws(&tested.aws(), "DynamoDB_20120810.ListTables", "{}").await;
    assert_eq!(tables.json()["TableNames"], json!(["stepbreaker-circuits"]));
    let table = "stepbreaker-circuits";
    let item = json!({ "circuit": { "S": "a" }, "epoch": { "N": "1" } });
    let put =
        json!({ "TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(circuit)" }).to_string();
    assert_eq!(aws(&tested.aws(), "DynamoDB_20120810.PutItem", &put).await.status, 200);
    let refused = aws(&tested.aws(), "DynamoDB_20120810.PutItem", &put).await;
    assert!(
        refused.json()["__type"]
            .as_str()
            .unwrap()
            .ends_with("#ConditionalCheckFailedException"),
        "{refused:?}"
    );
    let get = json!({ "TableName": table, "Key": { "circuit": { "S": "a" } } }).to_string();
    assert_eq!(
        aws(&tested.aws(), "DynamoDB_20120810.GetItem", &get).await.json()["Item"],
        item
    );
    let ttl = aws(
        &tested.aws(),
        "DynamoDB_20120810.DescribeTimeToLive",
        &json!({ "TableName": table }).to_string(),
    )
    .await;
    assert_eq!(ttl.json()["TimeToLiveDescription"]["AttributeName"], "expiresAt");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_invoked_as_through_lambdas_api() {
    let tested = TestSystem::start().await;
    let invoke = async |function: &str, body: &str| {
        let path = format!("/2015-03-31/functions/{function}/invocations");
        send(&tested.aws(), "POST", &path, &[], body).await
    };
    let answer = invoke("record-outcome", r#"{"n":1}"#).await;
    assert_eq!(
        (answer.status, answer.header("x-amz-executed-version")),
        (200, "$LATEST")
    );
    assert_eq!(answer.json()["event"], json!({ "n": 1 }));
    let by_arn = invoke(
        "arn%3Aaws%3Alambda%3Aus-east-1%3A000000000000%3Afunction%3Aacquire-probe",
        "",
    )
    .await;
    assert_eq!(by_arn.json()["event"], json!({}));
    let failed = invoke("record-outcome", r#"{"do":"fail"}"#).await;
    assert_eq!(
        (failed.status, failed.header("x-amz-function-error")),
        (200, "Unhandled")
    );
    assert_eq!(failed.json()["errorType"], "Test.Refused");
    let unknown = invoke("other", "{}").await;
    assert_eq!(
        (unknown.status, unknown.header("x-amzn-errortype")),
        (404, "ResourceNotFoundException")
    );
    let broken = invoke("record-outcome", "{").await;
    assert_eq!(
        (broken.status, broken.header("x-amzn-errortype")),
        (400, "InvalidRequestContentException")
    );
}

/// *Local only.*
#[tokio::test(flavor = "multi_thread")]
async fn processes_and_events_are_shown_on_local_routes() {
    let tested = TestSystem::start().await;
    assert_eq!(get(&tested.door(), "/do/echo").await.status, 200);
    let functions = get(&tested.aws(), "/_local/lambda").await.json();
    let names: Vec<_> = functions["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["name"].clone())
        .collect();
    assert_eq!(names, ["acquire-probe", "call-partner-tested", "record-outcome"]);
    let caller = &functions["functions"][1];
    assert_eq!(caller["timeoutMs"], 2000);
    assert_eq!(caller["processes"][0]["state"], "idle");
    assert!(caller["processes"][0]["pid"].as_u64().unwrap() > 0);

    assert_eq!(get(&tested.door(), "/do/announce").await.status, 200);
    let events = get(&tested.aws(), "/_local/events").await.json();
    assert_eq!(events["events"][0]["detail"], json!({ "circuit": "tested" }));
    assert_eq!(events["events"][0]["detail-type"], "Tested");
    assert_eq!(
        send(&tested.aws(), "DELETE", "/_local/events", &[], "").await.status,
        200
    );
    assert_eq!(get(&tested.aws(), "/_local/events").await.json()["events"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_no_service_is_not_found() {
    let tested = TestSystem::start().await;
    for path in ["/", "/_local/other", "/2015-03-31/functions/a/policy", "/other"] {
        assert_eq!(get(&tested.aws(), path).await.status, 404, "{path}");
    }
    assert_eq!(aws(&tested.aws(), "AmazonSQS.SendMessage", "{}").await.status, 404);
}
