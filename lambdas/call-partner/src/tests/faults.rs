//! Partners that fail in each phase of a call. Each failure counts, costs one request at most, and is answered in time.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};

use super::encodings::gzip;
use super::partner::{Connection, Partner};
use super::{LATE_MS, TIMEOUT_MS, assert_outcome, event, event_for, hasty, invoke, invoke_with};

/// Invokes with the short time-out, and checks that the answer came when that was over.
async fn invoke_in_time(event: Value) -> Value {
    let started = Instant::now();
    let result = invoke(hasty(event)).await.unwrap();
    let took = started.elapsed();
    assert!(took < Duration::from_millis(TIMEOUT_MS + LATE_MS), "{took:?}");
    assert!(took >= Duration::from_millis(TIMEOUT_MS), "{took:?}");
    result
}

async fn assert_failure(partner: &Partner, kind: &str) -> Value {
    let event = event_for(partner);
    let result = match kind {
        "timeout" => invoke_in_time(event).await,
        _ => invoke(event).await.unwrap(),
    };
    assert_outcome(&result, "failure", "error", Some(kind));
    result
}

#[tokio::test]
async fn partner_that_never_accepts_times_out() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let result = invoke_in_time(event(&format!("http://{}/{{isbn}}", listener.local_addr().unwrap()))).await;
    assert_outcome(&result, "failure", "error", Some("timeout"));
    assert_eq!(result["outcome"]["message"], "the partner did not answer within 300 ms");
}

#[tokio::test]
async fn partner_that_takes_the_request_and_hangs_times_out_and_sees_the_connection_end() {
    let (ended, mut end) = tokio::sync::mpsc::channel(1);
    let partner = Partner::start(move |mut connection| {
        let ended = ended.clone();
        async move {
            connection.request().await;
            connection.wait_for_the_end().await;
            let _ = ended.send(()).await;
        }
    })
    .await;
    assert_failure(&partner, "timeout").await;
    assert_eq!(partner.requests().len(), 1);
    tokio::time::timeout(Duration::from_secs(5), end.recv())
        .await
        .unwrap()
        .unwrap();
}

async fn send_and_hang(mut connection: Connection, bytes: &'static [u8]) {
    connection.request().await;
    connection.send(bytes).await;
    connection.wait_for_the_end().await;
}

#[tokio::test]
async fn partner_that_hangs_in_the_head_or_in_the_body_times_out() {
    for (bytes, message) in [
        (
            b"HTTP/1.1 200 OK\r\ncontent-le".as_slice(),
            "the partner did not answer within 300 ms",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n".as_slice(),
            "the partner's answer was not complete within 300 ms",
        ),
        (
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\nabc",
            "the partner's answer was not complete within 300 ms",
        ),
    ] {
        let partner = Partner::start(move |connection| send_and_hang(connection, bytes)).await;
        assert_eq!(assert_failure(&partner, "timeout").await["outcome"]["message"], message);
    }
}

/// Each byte comes soon after the last one: only a deadline over all of the body ends this.
#[tokio::test]
async fn body_that_drips_past_the_deadline_times_out() {
    let partner = Partner::start(|mut connection| async move {
        connection.request().await;
        connection.send("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n").await;
        for _ in 0..500 {
            connection.send("x").await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_failure(&partner, "timeout").await;
}

#[tokio::test]
async fn connection_that_ends_before_the_head_is_a_reset() {
    for cut in [
        None,
        Some("HTTP/1.1 200"),
        Some("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n"),
    ] {
        for clean in [true, false] {
            let partner = Partner::start(move |mut connection| async move {
                connection.request().await;
                if let Some(cut) = cut {
                    connection.send(cut).await;
                }
                if !clean {
                    connection.reset();
                }
            })
            .await;
            assert_failure(&partner, "reset").await;
            assert_eq!(partner.requests().len(), 1, "a request is never sent twice");
        }
    }
}

#[tokio::test]
async fn body_that_ends_early_is_a_failure() {
    for head in [
        "content-length: 9\r\n\r\nabc",
        "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\nab",
    ] {
        for clean in [true, false] {
            let partner = Partner::start(move |mut connection| async move {
                connection.request().await;
                connection.send(format!("HTTP/1.1 200 OK\r\n{head}")).await;
                if !clean {
                    connection.reset();
                }
            })
            .await;
            assert_failure(&partner, "body").await;
        }
    }
}

#[tokio::test]
async fn what_is_no_http_is_a_failure() {
    for bytes in [
        "220 mail.example ESMTP\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    ] {
        let partner = Partner::answering(bytes).await;
        assert_failure(&partner, "protocol").await;
    }
    let partner = Partner::answering("HTTP/1.1 777 What\r\ncontent-length: 0\r\n\r\n").await;
    let result = assert_failure(&partner, "protocol").await;
    assert_eq!(result["outcome"]["message"], "the partner answered with status 777");
}

#[tokio::test]
async fn nobody_listening_is_a_failure_to_connect() {
    let free = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap()
    };
    for scheme in ["http", "https"] {
        let result = invoke(event(&format!("{scheme}://{free}/{{isbn}}"))).await.unwrap();
        assert_outcome(&result, "failure", "error", Some("connect"));
    }
}

/// No name has a label of 64 characters, so that the resolver answers without asking anybody.
#[tokio::test]
async fn name_without_an_address_is_a_failure_of_dns() {
    let result = invoke(event(&format!("http://{}.example/{{isbn}}", "a".repeat(64))))
        .await
        .unwrap();
    assert_outcome(&result, "failure", "error", Some("dns"));
    assert!(!result.to_string().contains("aaaa"), "the host is in no message");
}

fn https(partner: &Partner) -> Value {
    event(&format!("https://{}/{{isbn}}", partner.address))
}

#[tokio::test]
async fn handshake_that_fails_is_a_failure_of_tls() {
    let garbage = Partner::start(|mut connection| async move {
        connection.send("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        connection.wait_for_the_end().await;
    })
    .await;
    assert_outcome(&invoke(https(&garbage)).await.unwrap(), "failure", "error", Some("tls"));
    let closing = Partner::start(|connection| async move { drop(connection) }).await;
    assert_outcome(&invoke(https(&closing)).await.unwrap(), "failure", "error", Some("tls"));
    let resetting = Partner::start(|connection| async move { connection.reset() }).await;
    assert_outcome(
        &invoke(https(&resetting)).await.unwrap(),
        "failure",
        "error",
        Some("tls"),
    );
    let hanging = Partner::start(|mut connection| async move { connection.wait_for_the_end().await }).await;
    assert_outcome(
        &invoke_in_time(https(&hanging)).await,
        "failure",
        "error",
        Some("timeout"),
    );
}

/// The certificate is for the right address, but nobody vouches for it.
#[tokio::test]
async fn certificate_that_is_not_trusted_is_a_failure_of_tls() {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = signed.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(signed.signing_key.serialize_der().into());
    let caller = super::caller();
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut session = rustls::ServerConnection::new(config).unwrap();
        while session.is_handshaking() {
            if let Err(error) = session.complete_io(&mut stream) {
                return Some(error.to_string());
            }
        }
        None
    });
    let result = invoke_with(&caller, event(&format!("https://{address}/{{isbn}}")))
        .await
        .unwrap();
    assert_outcome(&result, "failure", "error", Some("tls"));
    let said = server
        .join()
        .unwrap()
        .expect("the caller should have refused the certificate");
    assert!(said.contains("UnknownCA") || said.contains("UnknownIssuer"), "{said}");
}

fn encoded(encoding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn encoding_that_lies_is_a_failure() {
    let mut truncated = gzip(b"some text that is long enough to be cut in its middle");
    truncated.truncate(30);
    for answer in [
        encoded("gzip", b"plain text, not gzip"),
        encoded("deflate", b"plain text, not zlib"),
        encoded("gzip", &truncated),
        encoded("br", b"an encoding that was not asked for"),
        encoded("gzip, gzip", &gzip(&gzip(b"twice"))),
    ] {
        let partner = Partner::answering(answer).await;
        assert_failure(&partner, "decode").await;
    }
}

#[tokio::test]
async fn connection_that_ends_inside_a_compressed_body_is_a_body_cut_short() {
    let mut answer = encoded("gzip", &gzip(&[b'x'; 900]));
    answer.truncate(answer.len() - 4);
    let answer: Arc<[u8]> = answer.into();
    let partner = Partner::start(move |mut connection| {
        let answer = Arc::clone(&answer);
        async move {
            connection.request().await;
            connection.send(&answer).await;
        }
    })
    .await;
    assert_failure(&partner, "body").await;
}

#[tokio::test]
async fn server_errors_and_429_are_failures_however_their_bodies_end() {
    for (status, kind) in [
        (500, "status-5xx"),
        (503, "status-5xx"),
        (599, "status-5xx"),
        (429, "status-429"),
    ] {
        let head = format!("HTTP/1.1 {status} X\r\nretry-after: 5\r\ncontent-length: 900\r\n\r\n");
        let partner = Partner::start(move |mut connection| {
            let head = head.clone();
            async move {
                connection.request().await;
                connection.send(format!("{head}SECRET")).await;
                connection.wait_for_the_end().await;
            }
        })
        .await;
        let result = assert_failure(&partner, kind).await;
        assert_eq!(
            result["outcome"]["message"],
            json!(format!("the partner answered with status {status}"))
        );
    }
}
