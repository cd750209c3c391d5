//! Tags of machines.

use serde_json::{Value, json};

use super::{PASS, ROLE, create, refused, sfn};
use crate::common::system::TestSystem;

async fn tags(tested: &TestSystem, arn: &str) -> Value {
    sfn(tested, "ListTagsForResource", json!({ "resourceArn": arn }))
        .await
        .json()["tags"]
        .clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_are_set_at_creation_added_replaced_and_removed() {
    let tested = TestSystem::start().await;
    let tag = |key: &str, value: &str| json!({ "key": key, "value": value });
    let body = |tags: Value| json!({ "name": "own", "definition": PASS, "roleArn": ROLE, "tags": tags });
    let created = sfn(
        &tested,
        "CreateStateMachine",
        body(json!([tag("team", "a"), tag("stage", "")])),
    )
    .await;
    let arn = created.json()["stateMachineArn"].as_str().unwrap().to_owned();
    assert_eq!(tags(&tested, &arn).await, json!([tag("stage", ""), tag("team", "a")]));

    sfn(&tested, "CreateStateMachine", body(json!([tag("other", "b")]))).await;
    let more = json!({ "resourceArn": arn, "tags": [tag("team", "c"), tag("cost", "1")] });
    assert_eq!(sfn(&tested, "TagResource", more).await.body, "{}");
    let removed = json!({ "resourceArn": arn, "tagKeys": ["stage", "unknown"] });
    assert_eq!(sfn(&tested, "UntagResource", removed).await.body, "{}");
    sfn(
        &tested,
        "UpdateStateMachine",
        json!({ "stateMachineArn": arn, "roleArn": ROLE }),
    )
    .await;
    assert_eq!(
        tags(&tested, &arn).await,
        json!([tag("cost", "1"), tag("team", "c")]),
        "creating it again adds none, and updating it keeps them"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_tagged_is_refused() {
    let tested = TestSystem::start().await;
    let own = create(&tested, "own", PASS, "STANDARD").await;
    let none = "arn:aws:states:us-east-1:000000000000:stateMachine:none";
    let many: Vec<_> = (0..51).map(|n| json!({ "key": n.to_string(), "value": "" })).collect();
    for (operation, body, name) in [
        (
            "ListTagsForResource",
            json!({ "resourceArn": none }),
            "ResourceNotFound",
        ),
        ("ListTagsForResource", json!({ "resourceArn": "own" }), "InvalidArn"),
        (
            "TagResource",
            json!({ "resourceArn": none, "tags": [] }),
            "ResourceNotFound",
        ),
        ("TagResource", json!({ "resourceArn": own }), "ValidationException"),
        (
            "TagResource",
            json!({ "resourceArn": own, "tags": many }),
            "TooManyTags",
        ),
        (
            "TagResource",
            json!({ "resourceArn": own, "tags": [{ "key": "", "value": "" }] }),
            "ValidationException",
        ),
        (
            "TagResource",
            json!({ "resourceArn": own, "tags": "all" }),
            "SerializationException",
        ),
        ("UntagResource", json!({ "resourceArn": own }), "ValidationException"),
        (
            "UntagResource",
            json!({ "resourceArn": none, "tagKeys": ["a"] }),
            "ResourceNotFound",
        ),
        (
            "CreateStateMachine",
            json!({ "name": "new", "definition": PASS, "roleArn": ROLE, "tags": many }),
            "TooManyTags",
        ),
    ] {
        assert_eq!(
            refused(&tested, operation, body.clone()).await,
            name,
            "{operation} {:.200}",
            body.to_string()
        );
    }
    assert_eq!(tags(&tested, &own).await, json!([]));
}
