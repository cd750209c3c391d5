//! Methods, bodies and keys; headers that are passed on; attempts; and what an execution has room for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::certificates::{Certificate, Secure};
use super::partner::{Connection, Partner};
use super::secure::Speaks;
use super::{
    LATE_MS, TIMEOUT_MS, assert_outcome, caller, caller_with, event, event_for, hasty, invoke, invoke_at, now,
};
use crate::tls;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Reads a request with a body of a length that is said, and gives both as text.
async fn whole_request(connection: &mut Connection) -> Option<String> {
    let head = connection.request().await?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let body = connection
        .read(length.map_or(0, |length| length.parse().unwrap()))
        .await;
    Some(head + &body)
}

/// A partner that answers OK and keeps whole requests.
async fn listener() -> (Partner, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let (send, receive) = tokio::sync::mpsc::unbounded_channel();
    let partner = Partner::start(move |mut connection| {
        let send = send.clone();
        async move {
            while let Some(request) = whole_request(&mut connection).await {
                let _ = send.send(request);
                connection.send(OK).await;
            }
        }
    })
    .await;
    (partner, receive)
}

fn event_of(partner: &Partner, method: &str) -> Value {
    let mut event = event_for(partner);
    event["policy"]["call"]["method"] = json!(method);
    event["execution"] = json!("arn:aws:states:eu-central-1:123456789012:express:circuit-stock:a:b");
    event
}

#[tokio::test]
async fn methods_that_change_something_send_a_key_of_their_execution() {
    let (partner, mut requests) = listener().await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "GET", "HEAD"] {
        for execution in ["one", "one", "two"] {
            let mut event = event_of(&partner, method);
            event["execution"] = json!(execution);
            assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
        }
        let mut keys = Vec::new();
        for _ in 0..3 {
            let request = requests.recv().await.unwrap();
            assert!(
                request.starts_with(&format!("{method} /stock/9783161484100 HTTP/1.1\r\n")),
                "{request}"
            );
            let length = request.lines().find_map(|line| line.strip_prefix("content-length: "));
            let brings = matches!(method, "POST" | "PUT" | "PATCH");
            assert_eq!(length, brings.then_some("0"), "{request}");
            let key = request.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
            keys.push(key.map(str::to_owned));
        }
        match method {
            "GET" | "HEAD" => assert_eq!(keys, [None, None, None]),
            _ => {
                assert!(
                    keys[0].is_some() && keys[0] == keys[1] && keys[1] != keys[2],
                    "{keys:?}"
                );
            }
        }
    }
    let mut event = event_of(&partner, "POST");
    event.as_object_mut().unwrap().remove("execution");
    let error = invoke(event).await.unwrap_err().to_string();
    assert!(error.ends_with("missing field `execution`"), "{error}");
}

#[tokio::test]
async fn body_is_sent_byte_for_byte_with_its_type() {
    let (partner, mut requests) = listener().await;
    for (text, headers, content_type) in [
        ("{\"n\": 1.10}\n", json!({}), "application/json"),
        ("", json!({}), "application/json"),
        (
            "ä\u{0}\r\n\r\nGET / HTTP/1.1",
            json!({"Content-Type": "text/plain"}),
            "text/plain",
        ),
    ] {
        let mut event = event_of(&partner, "PUT");
        event["policy"]["call"]["body"] = json!({"pass": {"maxBytes": 100}});
        event["policy"]["call"]["headers"] = headers;
        event["body"] = json!(text);
        assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
        let request = requests.recv().await.unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, text);
        assert!(head.contains(&format!("content-type: {content_type}")), "{head}");
        assert!(head.contains(&format!("content-length: {}", text.len())), "{head}");
    }
}

#[tokio::test]
async fn template_is_filled_with_values_of_any_script() {
    let (partner, mut requests) = listener().await;
    for value in ["9783161484100", "\"},{\"a\":\"", "ä🦀\u{1}\u{202e}", "\\%2F../"] {
        let mut event = event_of(&partner, "POST");
        event["policy"]["call"]["body"] = json!({"template": "{\"z\":\"{isbn}\",\"a\":[\"{isbn}\",\"is {isbn}\"]}"});
        event["params"]["isbn"] = json!(value);
        assert_outcome(&invoke(event).await.unwrap(), "success", "live", None);
        let request = requests.recv().await.unwrap();
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body, json!({"z": value, "a": [value, "is {isbn}"]}));
    }
}

#[tokio::test]
async fn body_that_may_not_be_sent_is_answered_and_nothing_is_called() {
    let partner = Partner::answering(OK).await;
    for (body, message) in [
        (json!(null), "the body is missing"),
        (json!({"a": "SECRET"}), "the body must be a string"),
        (json!("SECRET SECRET"), "the body is larger than 12 bytes"),
    ] {
        let mut event = event_of(&partner, "POST");
        event["policy"]["call"]["body"] = json!({"pass": {"maxBytes": 12}});
        event["body"] = body;
        let result = invoke(event).await.unwrap();
        assert_outcome(&result, "undecided", "invalid", Some("invalid"));
        assert_eq!(result["answer"]["body"], json!({ "message": message }).to_string());
    }
    assert_eq!(partner.requests().len(), 0);
}

#[tokio::test]
async fn headers_that_the_policy_names_are_passed_on_and_no_others() {
    let answer = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nCache-Control: no-store\r\ncache-control:\tprivate\r\n\
                  set-cookie: a=b\r\nx-secret: s\r\nx-hop: 1\r\nx-latin: \u{e4}\r\n\
                  connection: keep-alive , X-Hop\r\ncontent-length: 0\r\n\r\n";
    let partner = Partner::answering(answer).await;
    let mut event = event_for(&partner);
    assert_eq!(invoke(event.clone()).await.unwrap()["answer"]["headers"], json!({}));
    event["policy"]["call"]["passHeaders"] = json!(["etag", "cache-control", "last-modified", "x-hop", "x-latin"]);
    assert_eq!(
        invoke(event).await.unwrap()["answer"]["headers"],
        json!({"cache-control": "no-store, private", "etag": "\"1\""})
    );
}

/// Everything that the state holds already takes from the room; the limit is met to the byte by an engine of our own in the
/// tests of the whole.
#[tokio::test]
async fn answer_that_would_not_fit_beside_the_request_is_unsupported() {
    let partner = Partner::answering(format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n{}",
        "x".repeat(200_000)
    ));
    let partner = partner.await;
    for (length, kind) in [(1, None), (65_536, Some("too-large"))] {
        let mut event = event_of(&partner, "POST");
        event["policy"]["call"]["maxResponseBytes"] = json!(200_000);
        event["policy"]["call"]["body"] = json!({"pass": {"maxBytes": 65_536}});
        event["body"] = json!("x".repeat(length));
        let result = invoke(event).await.unwrap();
        let reason = if kind.is_some() { "unsupported-response" } else { "live" };
        assert_outcome(&result, "success", reason, kind);
    }
}

/// A partner that says 503 with this `retry-after` until the given request.
async fn partner_that_recovers(retry_after: &'static str, at: usize) -> Partner {
    let served = Arc::new(AtomicUsize::new(0));
    Partner::start(move |mut connection| {
        let served = Arc::clone(&served);
        async move {
            while connection.request().await.is_some() {
                let number = served.fetch_add(1, Ordering::SeqCst) + 1;
                let answer = match number < at {
                    true => format!("HTTP/1.1 503 Soon\r\n{retry_after}content-length: 0\r\n\r\n"),
                    false => OK.to_owned(),
                };
                connection.send(answer).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn call_is_sent_again_after_a_503_that_says_when_and_counts_once() {
    for (retry_after, retries, at, sent, kind) in [
        ("retry-after: 0\r\n", 1, 2, 2, None),
        ("retry-after: 0\r\n", 3, 4, 4, None),
        ("retry-after: 0\r\n", 2, 4, 3, Some("status-5xx")),
        ("retry-after: 0\r\n", 0, 2, 1, Some("status-5xx")),
        // It would be there again after the deadline.
        ("retry-after: 20\r\n", 3, 2, 1, Some("status-5xx")),
        ("", 3, 2, 1, Some("status-5xx")),
    ] {
        let partner = partner_that_recovers(retry_after, at).await;
        let mut event = event_of(&partner, "POST");
        event["policy"]["call"]["retries"] = json!(retries);
        let result = invoke(event).await.unwrap();
        match kind {
            None => assert_outcome(&result, "success", "live", None),
            kind => assert_outcome(&result, "failure", "error", kind),
        }
        assert_eq!(partner.requests().len(), sent, "{retry_after} {retries}");
        let keys: std::collections::BTreeSet<_> = partner
            .requests()
            .iter()
            .map(|request| {
                request
                    .lines()
                    .find(|line| line.starts_with("idempotency-key: "))
                    .map(str::to_owned)
            })
            .collect();
        assert_eq!(keys.len(), 1, "all attempts have one key");
    }
}

#[tokio::test]
async fn probe_is_never_sent_again() {
    let partner = partner_that_recovers("retry-after: 0\r\n", 2).await;
    let mut event = event_of(&partner, "GET");
    event["policy"]["call"]["retries"] = json!(3);
    event["circuit"] = json!({"lease": {"answer": "granted", "until": "2026-11-30T12:01:00.000Z"}});
    assert_outcome(&invoke(event).await.unwrap(), "failure", "error", Some("status-5xx"));
    assert_eq!(partner.requests().len(), 1);
}

#[tokio::test]
async fn attempts_that_can_not_connect_end_within_the_one_deadline() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let mut event = hasty(event(&format!("http://{free}/{{isbn}}")));
    event["policy"]["call"]["retries"] = json!(3);
    let began = Instant::now();
    let result = invoke(event).await.unwrap();
    assert_outcome(&result, "failure", "error", Some("connect"));
    assert!(began.elapsed() < Duration::from_millis(TIMEOUT_MS + LATE_MS));
}

/// The second attempt has what the first left of the time, and no more.
#[tokio::test]
async fn all_attempts_have_one_deadline() {
    let served = Arc::new(AtomicUsize::new(0));
    let partner = Partner::start(move |mut connection| {
        let served = Arc::clone(&served);
        async move {
            while connection.request().await.is_some() {
                if served.fetch_add(1, Ordering::SeqCst) > 0 {
                    return connection.wait_for_the_end().await;
                }
                // Most of the time: a deadline for each attempt would be over later than the test waits.
                tokio::time::sleep(Duration::from_secs(2)).await;
                let soon = "HTTP/1.1 503 Soon\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";
                connection.send(soon).await;
            }
        }
    })
    .await;
    let mut event = event_of(&partner, "GET");
    event["policy"]["call"]["timeoutMs"] = json!(3_000);
    event["policy"]["call"]["retries"] = json!(3);
    let began = Instant::now();
    let result = invoke(event).await.unwrap();
    let took = began.elapsed();
    assert_outcome(&result, "failure", "error", Some("timeout"));
    assert_eq!(partner.requests().len(), 2);
    assert!(took >= Duration::from_secs(3), "{took:?}");
    assert!(took < Duration::from_millis(3_000 + LATE_MS), "{took:?}");
}

/// While a process is frozen no timer of its own runs: the clock on the wall says that the connection is too old.
#[tokio::test]
async fn connection_is_not_used_again_after_a_long_freeze() {
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
    for (after_ms, served) in [(0, "1"), (3_000, "2"), (60_000, "1"), (61_000, "2")] {
        let at = now().plus_ms(after_ms);
        let result = invoke_at(&caller, event_for(&partner), at).await.unwrap();
        assert_eq!(result["answer"]["body"], served, "{after_ms}");
    }
}

/// The connections are gone after a freeze, but what was agreed on for them is not: TLS is not set up from its beginning.
#[tokio::test]
async fn session_is_resumed_after_a_long_freeze() {
    let secure = Secure::new();
    let caller = caller_with(tls::trusting(secure.roots()));
    for speaks in [Speaks::Http1, Speaks::Http2] {
        let partner = secure.partner(Certificate::Good, speaks).await;
        let event = event(&format!("https://localhost:{}/{{isbn}}", partner.port()));
        for after_ms in [0, 60_000] {
            let result = invoke_at(&caller, event.clone(), now().plus_ms(after_ms)).await;
            assert_outcome(&result.unwrap(), "success", "live", None);
        }
        assert_eq!(partner.resumed(), [false, true]);
    }
}
