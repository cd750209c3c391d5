//! Partners that work, and what is passed on of their answers.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

use super::encodings::gzip;
use super::partner::Partner;
use super::{assert_outcome, event_for, invoke};

fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

async fn invoke_answering(bytes: Vec<u8>) -> Value {
    let partner = Partner::answering(bytes).await;
    let result = invoke(event_for(&partner)).await.unwrap();
    assert_eq!(partner.requests().len(), 1);
    result
}

#[tokio::test]
async fn answer_is_passed_on_byte_for_byte_with_its_content_type() {
    let body = "{ \"b\":1.10,\r\n\"a\" : 12345678901234567890123, \"ä\":\"\\u00e4\" }\u{feff}";
    let result = invoke_answering(answer("200 OK", "content-type: application/json;x=y\r\n", body)).await;
    assert_outcome(&result, "success", "live", None);
    assert_eq!(
        result["answer"],
        json!({"status": 200, "contentType": "application/json;x=y", "headers": {}, "body": body})
    );
}

#[tokio::test]
async fn answer_without_a_content_type_is_plain_text() {
    let long = format!("content-type: {}\r\n", "x".repeat(257));
    for headers in ["", "content-type: \r\n", "content-type: a/\u{e4}\r\n", &long] {
        let result = invoke_answering(answer("200 OK", headers, "x")).await;
        assert_eq!(result["answer"]["contentType"], "text/plain; charset=utf-8");
    }
}

#[tokio::test]
async fn partner_works_when_it_answers_with_any_other_status() {
    for status in [
        "200 OK",
        "201 Created",
        "301 Moved",
        "400 Bad",
        "404 Not Found",
        "401 No",
        "403 No",
        "407 No",
        "499 X",
    ] {
        let result = invoke_answering(answer(status, "location: http://127.0.0.1:9/\r\n", "why")).await;
        assert_outcome(&result, "success", "live", None);
        assert_eq!(result["answer"]["status"], json!(status[..3].parse::<u16>().unwrap()));
        assert_eq!(result["answer"]["body"], "why");
    }
}

#[tokio::test]
async fn empty_bodies_are_passed_on() {
    for bytes in [
        answer("200 OK", "", ""),
        answer("200 OK", "content-encoding: gzip\r\n", ""),
        answer("200 OK", "content-encoding: br\r\n", ""),
        b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
        b"HTTP/1.1 304 Not Modified\r\ncontent-encoding: gzip\r\n\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec(),
    ] {
        let result = invoke_answering(bytes).await;
        assert_outcome(&result, "success", "live", None);
        assert_eq!(result["answer"]["body"], "");
    }
}

#[tokio::test]
async fn body_that_ends_with_the_connection_is_passed_on() {
    let partner = Partner::start(|mut connection| async move {
        connection.request().await;
        connection.send("HTTP/1.0 200 OK\r\n\r\nall of it").await;
    })
    .await;
    let result = invoke(event_for(&partner)).await.unwrap();
    assert_eq!(result["answer"]["body"], "all of it");
}

#[tokio::test]
async fn head_has_no_body_whatever_its_length_says() {
    for encoding in ["", "content-encoding: gzip\r\n"] {
        let head = format!("HTTP/1.1 200 OK\r\n{encoding}content-length: 100000\r\n\r\n");
        let partner = Partner::answering(head).await;
        let mut event = event_for(&partner);
        event["policy"]["call"]["method"] = json!("HEAD");
        let result = invoke(event).await.unwrap();
        assert_outcome(&result, "success", "live", None);
        assert_eq!(result["answer"]["body"], "");
        assert!(partner.requests()[0].starts_with("HEAD /stock/9783161484100 HTTP/1.1\r\n"));
    }
}

#[tokio::test]
async fn refusal_is_about_our_credentials_only_when_the_policy_sends_some() {
    for status in ["401 Unauthorized", "403 Forbidden", "407 Proxy Authentication Required"] {
        let partner = Partner::answering(answer(status, "", "why")).await;
        let mut event = event_for(&partner);
        event["policy"]["call"]["headers"] = json!({"accept": "x"});
        assert_outcome(&invoke(event.clone()).await.unwrap(), "success", "live", None);
        for name in ["Authorization", "proxy-authorization", "X-Api-Key"] {
            event["policy"]["call"]["headers"] = json!({ name: "SECRET" });
            let result = invoke(event.clone()).await.unwrap();
            assert_outcome(&result, "undecided", "credentials", Some("credentials"));
            assert!(!result.to_string().contains("SECRET"));
        }
    }
}

#[tokio::test]
async fn answer_that_is_not_text_is_unsupported() {
    for body in [b"\xff\xfe".as_slice(), b"abc\xe4", b"\x89PNG\r\n"] {
        let result = invoke_answering(answer("200 OK", "content-type: text/html\r\n", body)).await;
        assert_outcome(&result, "success", "unsupported-response", Some("not-text"));
        assert_eq!(
            result["answer"]["body"],
            "{\"message\":\"the partner's answer can't be passed on\"}"
        );
        assert_eq!(result["answer"]["contentType"], "application/json");
    }
}

#[tokio::test]
async fn answer_is_passed_on_up_to_its_limit_and_unsupported_beyond_it() {
    for (length, kind) in [
        (999, None),
        (1_000, None),
        (1_001, Some("too-large")),
        (100_000, Some("too-large")),
    ] {
        let reason = if kind.is_none() { "live" } else { "unsupported-response" };
        let body = "x".repeat(length);
        let result = invoke_answering(answer("200 OK", "", &body)).await;
        assert_outcome(&result, "success", reason, kind);
        let chunked = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n");
        assert_outcome(&invoke_answering(chunked.into_bytes()).await, "success", reason, kind);
    }
}

#[tokio::test]
async fn answer_that_would_not_fit_into_an_execution_is_unsupported() {
    let partner = Partner::answering(answer("200 OK", "", "\"".repeat(200_000))).await;
    let mut event = event_for(&partner);
    event["policy"]["call"]["maxResponseBytes"] = json!(200_000);
    let result = invoke(event).await.unwrap();
    assert_outcome(&result, "success", "unsupported-response", Some("too-large"));
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn compressed_answer_is_passed_on_as_its_text_and_measured_by_it() {
    type Encode = fn(&[u8]) -> Vec<u8>;
    for (encoding, encode) in [("gzip", gzip as Encode), ("deflate", zlib)] {
        let headers = format!("content-encoding: {encoding}\r\n");
        for (length, live) in [(1_000, true), (1_001, false)] {
            let result = invoke_answering(answer("200 OK", &headers, encode(&vec![b'x'; length]))).await;
            match live {
                true => assert_eq!(result["answer"]["body"], "x".repeat(length)),
                false => assert_outcome(&result, "success", "unsupported-response", Some("too-large")),
            }
        }
        // 200 MB of zeros in some 200 kB: only the first piece is ever unpacked.
        let bomb = answer("200 OK", &headers, encode(&vec![0; 200_000_000]));
        let partner = Partner::answering(bomb).await;
        assert_outcome(
            &invoke(event_for(&partner)).await.unwrap(),
            "success",
            "unsupported-response",
            Some("too-large"),
        );
    }
}
