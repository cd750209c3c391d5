//! What else answers on the port.

use serde_json::json;

use crate::common::http::{aws, get, send};
use crate::common::system::TestSystem;

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
