//! The front door over HTTP. The statuses are product.md's; what the deployed API does with them is for its own tests.

use serde_json::json;

use crate::common::http::{aws, get, post, send};
use crate::common::system::TestSystem;

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_the_outputs_status_type_reason_and_body() {
    let tested = TestSystem::start().await;
    let answer = get(&tested.door(), "/do/echo").await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(answer.header("x-circuit"), "live");
    assert_eq!(answer.json()["Payload"]["event"]["do"], "echo");
    assert_ne!(answer.header("x-amzn-requestid"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_ways_in_give_the_same_answer() {
    let tested = TestSystem::start().await;
    let by_route = get(&tested.door(), "/do/read").await;
    let by_name = post(&tested.door(), "/circuits/tested/calls", r#"{"params":{"do":"read"}}"#).await;
    assert_eq!((by_route.status, by_name.status), (200, 200));
    assert_eq!(by_route.json().get("Item"), by_name.json().get("Item"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_does_not_match_is_answered_by_the_definition() {
    let tested = TestSystem::start().await;
    for path in ["/do/UPPER", "/do/%C3%A4", "/do/a%2Fb", "/do/a%0A"] {
        let answer = get(&tested.door(), path).await;
        assert_eq!((answer.status, answer.header("x-circuit")), (400, "invalid"), "{path}");
        assert!(answer.body.contains("parameter do"), "{}", answer.body);
    }
    for body in [
        r#"{"params":{}}"#,
        r#"{"params":{"do":1}}"#,
        r#"{"params":{"do":"read","x":"1"}}"#,
        "{}",
        r#"{"params":[]}"#,
    ] {
        let answer = post(&tested.door(), "/circuits/tested/calls", body).await;
        assert_eq!((answer.status, answer.header("x-circuit")), (400, "invalid"), "{body}");
        assert_eq!(answer.header("content-type"), "text/plain", "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn percent_encoding_is_undone_before_the_pattern() {
    let tested = TestSystem::start().await;
    let answer = get(&tested.door(), "/do/answer%2C%20then%20exit").await;
    assert_eq!((answer.status, &answer.json()["Payload"]), (200, &json!("done")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_read_is_a_small_400() {
    let tested = TestSystem::start().await;
    for (path, body) in [
        ("/circuits/tested/calls", ""),
        ("/circuits/tested/calls", "[]"),
        ("/circuits/tested/calls", "{"),
        ("/circuits/tested/calls", r#"{"params":{"do":"read"},"body":"x"}"#),
        ("/circuits/tested/calls", r#"{"param":{"do":"read"}}"#),
    ] {
        let answer = post(&tested.door(), path, body).await;
        assert_eq!((answer.status, answer.header("x-circuit")), (400, "invalid"), "{body}");
        let fields: Vec<_> = answer.json().as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields, ["message", "requestId"], "{body}");
    }
    let malformed = get(&tested.door(), "/do/%zz").await;
    assert_eq!((malformed.status, malformed.header("x-circuit")), (400, "invalid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_past_an_executions_input_is_too_large() {
    let tested = TestSystem::start().await;
    let body = json!({ "params": { "do": "x".repeat(262_144) } }).to_string();
    let answer = post(&tested.door(), "/circuits/tested/calls", &body).await;
    assert_eq!((answer.status, answer.header("x-circuit")), (413, "invalid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_routes_and_methods_are_not_found() {
    let tested = TestSystem::start().await;
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/do"),
        ("GET", "/do/"),
        ("GET", "/do/a/b"),
        ("POST", "/do/read"),
        ("HEAD", "/do/read"),
        ("OPTIONS", "/do/read"),
        ("GET", "/circuits"),
        ("GET", "/circuits/other"),
        ("GET", "/circuits/tested/calls"),
        ("POST", "/circuits/other/calls"),
        ("POST", "/healthz"),
    ] {
        let answer = send(&tested.door(), method, path, &[], "").await;
        assert_eq!(
            (answer.status, answer.header("x-circuit")),
            (404, "failed"),
            "{method} {path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_execution_is_a_502_that_tells_nothing_of_it() {
    let tested = TestSystem::start().await;
    for path in ["/do/fail", "/do/nonsense"] {
        let answer = get(&tested.door(), path).await;
        assert_eq!((answer.status, answer.header("x-circuit")), (502, "failed"));
        assert_eq!(answer.json()["requestId"], answer.header("x-amzn-requestid"));
        assert!(
            !answer.body.contains("secret") && !answer.body.contains("Test."),
            "{}",
            answer.body
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_times_out_is_a_504() {
    let tested = TestSystem::start().await;
    let answer = get(&tested.door(), "/do/hang").await;
    assert_eq!((answer.status, answer.header("x-circuit")), (504, "failed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_start_is_a_503_with_retry_after() {
    let tested = TestSystem::start().await;
    let body = json!({ "stateMachineArn": tested.machine() }).to_string();
    assert_eq!(
        aws(&tested.aws(), "AWSStepFunctions.DeleteStateMachine", &body)
            .await
            .status,
        200
    );
    let answer = get(&tested.door(), "/do/read").await;
    assert_eq!(
        (answer.status, answer.header("x-circuit"), answer.header("retry-after")),
        (503, "failed", "1")
    );
    assert!(!answer.body.contains("Machine"), "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stored_circuit_is_shown_as_plain_values() {
    let tested = TestSystem::start().await;
    assert_eq!(
        get(&tested.door(), "/circuits/tested").await.json(),
        json!({ "circuit": "tested", "state": "CLOSED" })
    );
    let written = get(&tested.door(), "/do/write").await;
    assert_eq!(written.json()["SdkHttpMetadata"]["HttpStatusCode"], 200, "{written:?}");
    let expected = json!({ "circuit": "tested", "state": "OPEN", "epoch": 7 });
    assert_eq!(get(&tested.door(), "/circuits/tested").await.json(), expected);
    let head = send(&tested.door(), "HEAD", "/circuits/tested", &[], "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let refused = get(&tested.door(), "/do/write").await;
    assert_eq!(refused.json()["Error"], "DynamoDB.ConditionalCheckFailedException");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_is_healthy() {
    let tested = TestSystem::start().await;
    assert_eq!(get(&tested.door(), "/healthz").await.json(), json!({ "status": "ok" }));
}
