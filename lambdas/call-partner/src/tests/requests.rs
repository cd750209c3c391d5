//! What is sent, when nothing is sent, and what is wrong with an event.

use std::time::Duration;

use serde_json::{Value, json};

use super::partner::Partner;
use super::{PATIENCE_MS, assert_outcome, caller, event_for, invoke, invoke_with};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn request_holds_the_policy_s_headers_and_ours() {
    let partner = Partner::answering(OK).await;
    let mut event = event_for(&partner);
    event["policy"]["call"]["headers"] = json!({"x-shop": "a b", "Accept": "application/json"});
    invoke(event.clone()).await.unwrap();
    event["policy"]["call"]["headers"] = json!({"User-Agent": "books/1"});
    invoke(event).await.unwrap();
    let requests = partner.requests();
    let mut lines: Vec<&str> = requests[0].trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "GET /stock/9783161484100 HTTP/1.1");
    lines.sort_unstable();
    let user_agent = format!("user-agent: stepbreaker/{}", env!("CARGO_PKG_VERSION"));
    let host = format!("host: {}", partner.address);
    assert_eq!(
        lines,
        [
            "accept-encoding: gzip,deflate",
            "accept: application/json",
            &host,
            &user_agent,
            "x-shop: a b"
        ]
    );
    assert!(
        requests[1].contains("user-agent: books/1\r\n") && !requests[1].contains("stepbreaker"),
        "{}",
        requests[1]
    );
}

#[tokio::test]
async fn value_is_encoded_into_its_one_segment() {
    let partner = Partner::answering(OK).await;
    for (value, target) in [
        ("../../admin?x#y", "/stock/..%2F..%2Fadmin%3Fx%23y"),
        ("%2e%2e", "/stock/%252e%252e"),
        ("a b\u{e4}", "/stock/a%20b%C3%A4"),
        ("a\\b;c", "/stock/a%5Cb%3Bc"),
    ] {
        let mut event = event_for(&partner);
        event["params"]["isbn"] = json!(value);
        assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
        let request = partner.requests().pop().unwrap();
        assert!(request.starts_with(&format!("GET {target} HTTP/1.1\r\n")), "{request}");
    }
}

#[tokio::test]
async fn parameter_that_does_not_match_is_answered_with_its_name_and_nothing_is_called() {
    let partner = Partner::answering(OK).await;
    for (params, message) in [
        (json!({"isbn": "SECRET\n"}), "parameter isbn does not match its pattern"),
        (json!({"isbn": ".."}), "parameter isbn does not match its pattern"),
        (json!({"isbn": ""}), "parameter isbn does not match its pattern"),
        (json!({"isbn": 13}), "parameter isbn must be a string"),
        (json!({}), "parameter isbn is missing"),
        (json!({"isbn": "1", "SECRET SECRET": "1"}), "a parameter is unknown"),
        (json!({"isbn": "1", "extra": "SECRET"}), "parameter extra is unknown"),
        (json!(null), "params must be an object of strings"),
        (json!(["SECRET"]), "params must be an object of strings"),
    ] {
        let mut event = event_for(&partner);
        event["params"] = params;
        let result = invoke(event).await.unwrap();
        assert_outcome(&result, "undecided", "invalid", Some("invalid"));
        assert_eq!(result["outcome"]["message"], message);
        assert_eq!(result["answer"]["body"], json!({ "message": message }).to_string());
        assert_eq!(result["answer"]["contentType"], "application/json");
    }
    assert_eq!(partner.requests().len(), 0);
}

/// The test's clock says 12:00:00.000; a call of 8 s must leave the lease a second.
#[tokio::test]
async fn probe_starts_only_while_its_lease_is_long_enough() {
    assert_eq!(PATIENCE_MS, 8_000);
    let partner = Partner::answering(OK).await;
    let probe = |until: &str| {
        let mut event = event_for(&partner);
        event["circuit"] = json!({"Item": {}, "lease": {"answer": "granted", "token": "t", "until": until}});
        event
    };
    for until in [
        "2026-11-30T12:00:09.000Z",
        "2026-11-30T12:00:08.999Z",
        "2026-11-30T11:00:00.000Z",
    ] {
        assert_outcome(
            &invoke(probe(until)).await.unwrap(),
            "undecided",
            "probe-busy",
            Some("probe-late"),
        );
    }
    assert_eq!(partner.requests().len(), 0);
    assert_outcome(
        &invoke(probe("2026-11-30T12:00:09.001Z")).await.unwrap(),
        "success",
        "live",
        None,
    );
    assert_eq!(partner.requests().len(), 1);
}

#[tokio::test]
async fn call_that_is_no_probe_needs_no_lease() {
    let partner = Partner::answering(OK).await;
    let circuits = [
        json!(null),
        json!("x"),
        json!({"lease": {"answer": "closed", "until": "x"}}),
        json!({"Error": "x"}),
    ];
    for circuit in circuits {
        let mut event = event_for(&partner);
        event["circuit"] = circuit;
        assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
    }
    let mut event = event_for(&partner);
    event.as_object_mut().unwrap().remove("circuit");
    assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
}

/// The connection of the first call serves the second: the test's partner numbers its connections by their answers.
#[tokio::test]
async fn warm_connection_is_used_again() {
    let partner = Partner::start(|mut connection| async move {
        let mut served = 0;
        while connection.request().await.is_some() {
            served += 1;
            connection
                .send(format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{served}"))
                .await;
        }
    })
    .await;
    let caller = caller();
    for served in ["1", "2", "3"] {
        let result = invoke_with(&caller, event_for(&partner)).await.unwrap();
        assert_eq!(result["answer"]["body"], served);
    }
}

/// A request whose connection dies under it may have reached the partner, so it is not sent again.
#[tokio::test]
async fn request_on_a_warm_connection_that_dies_is_not_sent_twice() {
    let partner = Partner::start(|mut connection| async move {
        connection.request().await;
        connection.send(OK).await;
        connection.request().await;
    })
    .await;
    let caller = caller();
    assert_outcome(
        &invoke_with(&caller, event_for(&partner)).await.unwrap(),
        "success",
        "live",
        None,
    );
    assert_outcome(
        &invoke_with(&caller, event_for(&partner)).await.unwrap(),
        "failure",
        "error",
        Some("reset"),
    );
    assert_eq!(partner.requests().len(), 2);
}

/// A partner that closes an idle connection has done nothing wrong.
#[tokio::test]
async fn idle_connection_that_was_closed_meanwhile_is_replaced() {
    let (closed, mut was_closed) = tokio::sync::mpsc::channel(2);
    let partner = Partner::start(move |mut connection| {
        let closed = closed.clone();
        async move {
            connection.request().await;
            connection.send(OK).await;
            drop(connection);
            let _ = closed.send(()).await;
        }
    })
    .await;
    let caller = caller();
    for _ in 0..2 {
        assert_outcome(
            &invoke_with(&caller, event_for(&partner)).await.unwrap(),
            "success",
            "live",
            None,
        );
        tokio::time::timeout(Duration::from_secs(5), was_closed.recv())
            .await
            .unwrap()
            .unwrap();
    }
    assert_eq!(partner.requests().len(), 2);
}

#[tokio::test]
async fn redirect_is_an_answer_and_is_not_followed() {
    let target = Partner::answering(OK).await;
    let bytes = format!(
        "HTTP/1.1 302 Found\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n",
        target.address
    );
    let partner = Partner::answering(bytes).await;
    let result = invoke(event_for(&partner)).await.unwrap();
    assert_eq!(result["answer"]["status"], 302);
    assert_eq!(target.requests().len(), 0);
}

#[tokio::test]
async fn event_that_is_not_ours_fails_the_invocation_without_repeating_a_value() {
    let partner = Partner::answering(OK).await;
    let changed = |change: fn(&mut Value)| {
        let mut event = event_for(&partner);
        change(&mut event);
        event
    };
    for (event, says) in [
        (json!(null), "wrong type"),
        (json!({}), "missing field `policy`"),
        (
            changed(|event| event["policy"]["extra"] = json!("SECRET")),
            "unknown field `extra`",
        ),
        (
            changed(|event| event["extra"] = json!("SECRET")),
            "unknown field `extra`",
        ),
        (
            changed(|event| event["policy"]["call"]["timeoutMs"] = json!("SECRET")),
            "wrong type",
        ),
        (
            changed(|event| event["policy"]["call"]["method"] = json!("SECRET")),
            "a field has the wrong type",
        ),
        (
            changed(|event| event["policy"]["call"]["url"] = json!("SECRET")),
            "policy: a URL that starts with",
        ),
        (
            changed(|event| event["policy"]["call"]["url"] = json!("http://h/{x}/SECRET")),
            "policy: parameter x is missing",
        ),
        (
            changed(|event| event["policy"]["params"]["isbn"] = json!("SECRET*")),
            "policy: params.isbn: character 7",
        ),
        (
            changed(|event| event["policy"]["call"]["headers"] = json!({"a b": "SECRET"})),
            "a name that is none",
        ),
        (
            changed(|event| event["policy"]["call"]["headers"] = json!({"a": "SECRET\n"})),
            "a value that can't be sent",
        ),
        (
            changed(|event| event["circuit"] = json!({"lease": {"answer": "granted"}})),
            "circuit.lease.until is no",
        ),
        (
            changed(|event| event["circuit"] = json!({"lease": {"answer": "granted", "until": "SECRET"}})),
            "circuit.lease.until is no",
        ),
    ] {
        let error = invoke(event.clone()).await.unwrap_err();
        assert_eq!(error.error_type(), "Stepbreaker.BadPayload");
        let what = error.to_string();
        assert!(what.contains(says) && !what.contains("SECRET"), "{event}: {what}");
    }
    assert_eq!(partner.requests().len(), 0);
}
