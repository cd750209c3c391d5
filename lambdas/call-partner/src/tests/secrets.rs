//! Headers whose values are kept elsewhere: read once, kept for a while, read again when they are refused.

use std::fs;

use breaker::clock::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::partner::Partner;
use super::{assert_outcome, caller, event_for, invoke_at, now};
use crate::handler::Caller;
use crate::secrets::{Secrets, Store};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A caller with a file of secrets.
struct Kept {
    directory: TempDir,
    caller: Caller,
}

impl Kept {
    fn new(values: Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secrets.json");
        let caller = Caller {
            secrets: Secrets::new(Store::new(Some(file))),
            ..caller()
        };
        let kept = Self { directory, caller };
        kept.write(values);
        kept
    }

    fn write(&self, values: Value) {
        fs::write(self.directory.path().join("secrets.json"), values.to_string()).unwrap();
    }

    /// Invokes with these secret headers so many seconds after the test's beginning.
    async fn invoke(&self, partner: &Partner, headers: Value, after_s: u64) -> Value {
        let mut event = event_for(partner);
        event["policy"]["call"]["secretHeaders"] = headers;
        let at: Timestamp = now().plus_ms(after_s * 1_000);
        invoke_at(&self.caller, event, at).await.unwrap()
    }
}

#[tokio::test]
async fn secret_is_sent_as_the_policy_says() {
    let partner = Partner::answering(OK).await;
    let kept = Kept::new(json!({
        "shop/key": "one\n", "/shop/token": "two", "both": {"user": "me", "password": "three"}, "text": "{\"a\":\"four\"}"
    }));
    let headers = json!({
        "x-one": {"secret": "shop/key"},
        "authorization": {"parameter": "/shop/token", "prefix": "Bearer "},
        "x-three": {"secret": "both", "field": "password"},
        "x-four": {"secret": "text", "field": "a"}
    });
    assert_outcome(&kept.invoke(&partner, headers, 0).await, "success", "live", None);
    let request = &partner.requests()[0];
    for line in [
        "x-one: one",
        "authorization: Bearer two",
        "x-three: three",
        "x-four: four",
    ] {
        assert!(request.contains(&format!("\r\n{line}\r\n")), "{request}");
    }
}

#[tokio::test]
async fn secret_that_can_not_be_had_is_our_own_fault_and_nothing_is_called() {
    let partner = Partner::answering(OK).await;
    let kept = Kept::new(json!({"number": 5, "list": [], "bad": "SECRET\u{1}", "text": "SECRET", "empty": " "}));
    for (source, problem) in [
        (json!({"secret": "absent"}), "could not be read"),
        (json!({"secret": "number"}), "could not be read"),
        (json!({"secret": "list"}), "could not be read"),
        (json!({"secret": "bad"}), "is no value of a header"),
        (json!({"secret": "empty"}), "is no value of a header"),
        (json!({"secret": "text", "field": "a"}), "has no such field"),
        (json!({}), "has no place"),
        (json!({"secret": "text", "parameter": "text"}), "has no place"),
    ] {
        let result = kept.invoke(&partner, json!({"x-key": source}), 0).await;
        assert_outcome(&result, "undecided", "internal", Some("secret"));
        let message = format!("the secret for the header x-key {problem}");
        assert_eq!(result["outcome"]["message"], json!(message));
        assert!(!result.to_string().contains("SECRET"));
    }
    assert_eq!(partner.requests().len(), 0);
}

/// What each request said, by the value of its header.
fn sent(partner: &Partner) -> Vec<String> {
    let value = |request: String| {
        let line = request
            .lines()
            .find(|line| line.starts_with("x-key: "))
            .unwrap()
            .to_owned();
        line["x-key: ".len()..].to_owned()
    };
    partner.requests().into_iter().map(value).collect()
}

#[tokio::test]
async fn value_is_kept_for_five_minutes_and_outlives_its_store() {
    let partner = Partner::answering(OK).await;
    let kept = Kept::new(json!({"key": "old"}));
    let headers = json!({"x-key": {"secret": "key"}});
    kept.invoke(&partner, headers.clone(), 0).await;
    kept.write(json!({"key": "new"}));
    kept.invoke(&partner, headers.clone(), 299).await;
    kept.invoke(&partner, headers.clone(), 300).await;
    kept.write(json!({}));
    kept.invoke(&partner, headers.clone(), 600).await;
    kept.write(json!({"key": "newest"}));
    // It was tried at 600, so not again at 609.
    kept.invoke(&partner, headers.clone(), 609).await;
    kept.invoke(&partner, headers.clone(), 610).await;
    assert_eq!(sent(&partner), ["old", "old", "new", "new", "new", "newest"]);
}

#[tokio::test]
async fn secret_that_can_not_be_read_is_asked_for_again_after_a_second() {
    let partner = Partner::answering(OK).await;
    let kept = Kept::new(json!({}));
    let headers = json!({"x-key": {"secret": "key"}});
    for (after_s, reason) in [(0, "internal"), (0, "internal"), (1, "live"), (2, "live")] {
        let result = kept.invoke(&partner, headers.clone(), after_s).await;
        assert_eq!(result["outcome"]["reason"], reason, "{after_s}");
        kept.write(json!({"key": "there"}));
    }
    assert_eq!(sent(&partner), ["there", "there"]);
}

#[tokio::test]
async fn value_that_the_partner_refuses_is_read_again_but_not_for_each_call() {
    let partner = Partner::answering("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n").await;
    let kept = Kept::new(json!({"key": "old"}));
    let headers = json!({"x-key": {"secret": "key"}});
    for (after_s, value) in [
        (0, "new"),
        (1, "new"),
        (9, "new"),
        (10, "newest"),
        (11, "last"),
        (20, "last"),
    ] {
        let result = kept.invoke(&partner, headers.clone(), after_s).await;
        assert_outcome(&result, "undecided", "credentials", Some("credentials"));
        kept.write(json!({ "key": value }));
    }
    assert_eq!(sent(&partner), ["old", "old", "old", "new", "new", "last"]);
}

#[tokio::test]
async fn neither_the_caller_nor_its_errors_show_a_secret() {
    let partner = Partner::answering(OK).await;
    let kept = Kept::new(json!({"key": "SECRET"}));
    kept.invoke(&partner, json!({"x-key": {"secret": "key"}}), 0).await;
    assert!(!format!("{:?}", kept.caller).contains("SECRET"));
    assert_eq!(sent(&partner), ["SECRET"]);
}
