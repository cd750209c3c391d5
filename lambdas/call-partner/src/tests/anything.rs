//! Whatever bytes a partner answers with, and whatever payload comes: one result or one error, no panic, no hang.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Number, Value, json};

use super::encodings::gzip;
use super::partner::Partner;
use super::{caller, event, hasty, invoke_with};

/// Bytes that are an answer, or nearly one: pieces of answers in any order, and noise between them.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let text = |text: &'static str| Just(text.as_bytes().to_vec());
    let piece = prop_oneof![
        text("HTTP/1.1 200 OK\r\n"),
        text("HTTP/1.1 103 Early Hints\r\n\r\n"),
        text("HTTP/1.0 204 \r\n"),
        (0..1_100_u16).prop_map(|status| format!("HTTP/1.1 {status} X\r\n").into_bytes()),
        any::<i64>().prop_map(|length| format!("content-length: {length}\r\n").into_bytes()),
        (0..40_u8).prop_map(|length| format!("content-length: {length}\r\n").into_bytes()),
        text("transfer-encoding: chunked\r\n"),
        text("content-encoding: gzip\r\n"),
        text("content-encoding: deflate\r\n"),
        text("content-type: application/json\r\n"),
        text("connection: close\r\n"),
        text("retry-after: 0\r\n"),
        text("etag: a\tb\r\n"),
        text("\r\n"),
        text("5\r\nabcde\r\n"),
        text("0\r\n\r\n"),
        vec(any::<u8>(), 0..200).prop_map(|bytes| gzip(&bytes)),
        vec(any::<u8>(), 0..60),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Any JSON.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::from)),
        ".{0,12}".prop_map(Value::from),
        Just(json!("granted")),
        Just(json!("2999-01-01T00:00:00.000Z")),
        Just(json!("http://127.0.0.1:1/{isbn}")),
        Just(json!("POST")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((".{0,6}", inner), 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A payload of ours, in which something at some places is something else.
fn payloads() -> impl Strategy<Value = Value> {
    const PLACES: [&str; 18] = [
        "/policy",
        "/policy/circuit",
        "/policy/params",
        "/policy/params/isbn",
        "/policy/call",
        "/policy/call/method",
        "/policy/call/url",
        "/policy/call/headers",
        "/policy/call/body",
        "/policy/call/secretHeaders",
        "/policy/call/passHeaders",
        "/policy/call/expectContentType",
        "/policy/call/retries",
        "/params",
        "/params/isbn",
        "/body",
        "/circuit",
        "/execution",
    ];
    vec((0..PLACES.len(), values()), 0..3).prop_map(|changes| {
        let mut payload = hasty(event("http://127.0.0.1:1/{isbn}"));
        for (place, value) in changes {
            let (above, key) = PLACES[place].rsplit_once('/').unwrap_or_default();
            if let Some(Value::Object(fields)) = payload.pointer_mut(above) {
                fields.insert(key.to_owned(), value);
            }
        }
        payload
    })
}

fn cases(name: &str) -> u32 {
    let cases = std::env::var(name).ok().and_then(|cases| cases.parse().ok());
    cases.unwrap_or(256)
}

/// Runs a property, says how often it did, and keeps that as `target/partner-fuzz-….txt`.
fn fuzz<S: Strategy>(target: &str, strategy: &S, property: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config {
        cases: cases("PROPTEST_CASES"),
        failure_persistence: None,
        ..Config::default()
    });
    let executions = AtomicUsize::new(0);
    runner
        .run(strategy, |value| {
            executions.fetch_add(1, Ordering::Relaxed);
            property(value);
            Ok(())
        })
        .unwrap();
    let line = format!("fuzz {target}: {} executions\n", executions.into_inner());
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    let kept = format!("../../target/partner-fuzz-{target}.txt");
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(kept), line).unwrap();
}

/// What a result must be, whatever came.
fn assert_result(result: &Value) {
    let outcome = &result["outcome"];
    let (verdict, reason) = (
        outcome["verdict"].as_str().unwrap(),
        outcome["reason"].as_str().unwrap(),
    );
    assert!(
        matches!(
            (verdict, reason),
            ("success", "live" | "unsupported-response")
                | ("failure", "error")
                | ("undecided", "credentials" | "invalid" | "probe-busy" | "internal")
        ),
        "{result}"
    );
    assert_eq!(
        result["answer"].is_object(),
        matches!(reason, "live" | "unsupported-response" | "invalid"),
        "{result}"
    );
}

#[test]
fn whatever_a_partner_sends_is_one_outcome_in_time() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let caller = caller();
    fuzz("answers", &answers(), |bytes| {
        runtime.block_on(async {
            let partner = Partner::start(move |mut connection| {
                let bytes = bytes.clone();
                async move {
                    connection.request().await;
                    connection.send(&bytes).await;
                }
            })
            .await;
            let mut event = hasty(event(&format!("http://{}/{{isbn}}", partner.address)));
            event["policy"]["call"]["passHeaders"] = json!(["etag"]);
            let invoked = tokio::time::timeout(Duration::from_secs(5), invoke_with(&caller, event));
            assert_result(&invoked.await.expect("no hang").unwrap());
        });
    });
}

#[test]
fn whatever_the_payload_is_there_is_a_result_or_an_error_of_ours() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let caller = caller();
    fuzz("payloads", &payloads(), |payload| {
        runtime.block_on(async {
            let invoked = tokio::time::timeout(Duration::from_secs(25), invoke_with(&caller, payload));
            match invoked.await.expect("no hang") {
                Ok(result) => assert_result(&result),
                Err(error) => assert_eq!(error.error_type(), "Stepbreaker.BadPayload"),
            }
        });
    });
}
