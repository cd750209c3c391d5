//! Everything that a peer can do on a socket: the answer, what is counted, and the time, as one table.
//!
//! Each row is a real listener. The table is printed, and kept as `target/partner-behaviours.txt`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::certificates::{Certificate, Secure};
use super::encodings::{gzip, gzip_without_end};
use super::partner::{Connection, Partner};
use super::secure::Speaks;
use super::{LATE_MS, PATIENCE_MS, TIMEOUT_MS, caller, caller_with, event, hasty, invoke_with};
use crate::handler::Caller;
use crate::tls;

/// What a peer does with a connection.
#[derive(Clone)]
enum Peer {
    /// Answers the request with these bytes, and goes on listening.
    Answers(Vec<u8>),
    /// Answers and closes in good order.
    Closes(Vec<u8>),
    /// Answers and resets.
    Resets(Vec<u8>),
    /// Answers and does nothing more.
    Hangs(Vec<u8>),
    /// Answers, and sends the second over and over again.
    Floods(Vec<u8>, Vec<u8>),
    /// Answers, and sends the second every 20 ms.
    Drips(Vec<u8>, &'static [u8]),
    /// Sends these bytes without waiting for a request.
    Blurts(Vec<u8>),
    /// Resets as soon as it accepts.
    ResetsOnAccept,
}

/// What a row expects: verdict, reason, kind; for `live` status and body.
enum Expected {
    Live(u16, &'static str),
    /// One of these kinds, with `|` between them.
    Fails(&'static str),
    Unsupported(&'static str),
}

use Expected::{Fails, Live, Unsupported};

async fn play(peer: Peer, mut connection: Connection) {
    match peer {
        Peer::ResetsOnAccept => return connection.reset(),
        Peer::Blurts(bytes) => {
            connection.send(bytes).await;
            return connection.wait_for_the_end().await;
        }
        _ => {}
    }
    while connection.request().await.is_some() {
        match &peer {
            Peer::Answers(bytes) => {
                connection.send(bytes).await;
            }
            Peer::Closes(bytes) => {
                connection.send(bytes).await;
                return;
            }
            Peer::Resets(bytes) => {
                connection.send(bytes).await;
                return connection.reset();
            }
            Peer::Hangs(bytes) => {
                connection.send(bytes).await;
                return connection.wait_for_the_end().await;
            }
            Peer::Floods(bytes, more) => {
                connection.send(bytes).await;
                while connection.send(more).await {}
                return;
            }
            Peer::Drips(bytes, more) => {
                connection.send(bytes).await;
                while connection.send(more).await {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                return;
            }
            Peer::Blurts(_) | Peer::ResetsOnAccept => return,
        }
    }
}

/// An answer with a body and its length.
fn ok(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn bytes(text: impl Into<Vec<u8>>) -> Vec<u8> {
    text.into()
}

/// The rows with a peer of plain HTTP.
fn rows() -> Vec<(&'static str, Peer, Expected)> {
    use Peer::{Answers, Closes, Drips, Floods, Hangs, Resets, ResetsOnAccept};
    let head = "HTTP/1.1 200 OK\r\n";
    let with = |rest: &str| bytes(format!("{head}{rest}"));
    let status = |status: &str, rest: &str| bytes(format!("HTTP/1.1 {status}\r\n{rest}"));
    let mut broken_sum = gzip(b"a text with a checksum behind it");
    let sum_at = broken_sum.len() - 6;
    broken_sum[sum_at] ^= 0xff;
    let mut cut = gzip(&[b'x'; 900]);
    cut.truncate(cut.len() / 2);
    let headers: String = (0..200).map(|index| format!("x-{index}: 1\r\n")).collect();
    vec![
        ("accepts and is silent", Hangs(vec![]), Fails("timeout")),
        ("hangs within the head", Hangs(with("content-le")), Fails("timeout")),
        (
            "hangs before the body",
            Hangs(with("content-length: 9\r\n\r\n")),
            Fails("timeout"),
        ),
        (
            "hangs within the body",
            Hangs(with("content-length: 9\r\n\r\nabc")),
            Fails("timeout"),
        ),
        ("resets when it accepts", ResetsOnAccept, Fails("reset|connect")),
        ("resets after the request", Resets(vec![]), Fails("reset")),
        ("resets within the head", Resets(with("content-le")), Fails("reset")),
        (
            "resets within the body",
            Resets(with("content-length: 9\r\n\r\nabc")),
            Fails("body"),
        ),
        ("closes after the request", Closes(vec![]), Fails("reset")),
        ("closes within the head", Closes(with("content-le")), Fails("reset")),
        (
            "header lines without end",
            Floods(bytes(head), bytes("x-a: 1\r\n")),
            Fails("protocol"),
        ),
        (
            "one header without end",
            Floods(with("x-a: "), vec![b'x'; 4_096]),
            Fails("protocol"),
        ),
        (
            "two hundred headers",
            Answers(with(&format!("{headers}\r\n"))),
            Fails("protocol"),
        ),
        (
            "body that drips",
            Drips(with("content-length: 500\r\n\r\n"), b"x"),
            Fails("timeout"),
        ),
        ("head that drips", Drips(bytes(head), b"x"), Fails("timeout")),
        (
            "body cut short",
            Closes(with("content-length: 9\r\n\r\nabc")),
            Fails("body"),
        ),
        (
            "body longer than its length",
            Closes(with("content-length: 3\r\n\r\nabcdef")),
            Live(200, "abc"),
        ),
        (
            "length that is no number",
            Answers(with("content-length: x\r\n\r\nabc")),
            Fails("protocol"),
        ),
        (
            "length below zero",
            Answers(with("content-length: -1\r\n\r\nabc")),
            Fails("protocol"),
        ),
        (
            "two lengths",
            Answers(with("content-length: 3\r\ncontent-length: 4\r\n\r\nabcd")),
            Fails("protocol"),
        ),
        (
            "length and chunks: chunks hold",
            Closes(with(
                "content-length: 99\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            )),
            Live(200, "abc"),
        ),
        (
            "chunk size that is no number",
            Answers(with("transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n")),
            Fails("body"),
        ),
        (
            "chunk longer than its size",
            Answers(with("transfer-encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n")),
            Fails("body"),
        ),
        (
            "chunk size past 64 bits",
            Answers(with("transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n")),
            Fails("body"),
        ),
        (
            "chunks cut short",
            Closes(with("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\nab")),
            Fails("body"),
        ),
        (
            "chunks without the last",
            Closes(with("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n")),
            Fails("body"),
        ),
        (
            "chunk extension without end",
            Floods(with("transfer-encoding: chunked\r\n\r\n3;"), vec![b'x'; 4_096]),
            Fails("body"),
        ),
        (
            "trailers without end",
            Floods(
                with("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"),
                bytes("x-a: 1\r\n"),
            ),
            Fails("body"),
        ),
        (
            "gzip that is none",
            Answers(ok("content-encoding: gzip\r\n", "plain")),
            Fails("decode"),
        ),
        (
            "gzip cut short",
            Answers(ok("content-encoding: gzip\r\n", cut)),
            Fails("decode"),
        ),
        (
            "gzip with a wrong sum",
            Answers(ok("content-encoding: gzip\r\n", broken_sum)),
            Fails("decode"),
        ),
        (
            "an encoding not asked for",
            Answers(ok("content-encoding: br\r\n", "x")),
            Fails("decode"),
        ),
        (
            "no encoding, said aloud",
            Answers(ok("content-encoding: Identity\r\n", "x")),
            Live(200, "x"),
        ),
        (
            "gzip in capitals",
            Answers(ok("content-encoding: GZIP\r\n", gzip(b"x"))),
            Fails("decode"),
        ),
        (
            "gzip within gzip",
            Answers(ok("content-encoding: gzip, gzip\r\n", gzip(&gzip(b"x")))),
            Fails("decode"),
        ),
        (
            "expands without end",
            Floods(with("content-encoding: gzip\r\n\r\n"), gzip_without_end()),
            Unsupported("too-large"),
        ),
        (
            "chunks without end",
            Floods(with("transfer-encoding: chunked\r\n\r\n"), bytes("3\r\nabc\r\n")),
            Unsupported("too-large"),
        ),
        (
            "body larger than the limit",
            Answers(ok("", [b'x'; 1_001])),
            Unsupported("too-large"),
        ),
        ("no text", Answers(ok("", b"\xff\xfea\0")), Unsupported("not-text")),
        (
            "control characters in the body",
            Answers(ok("", "a\0\u{1}\u{7f}")),
            Live(200, "a\0\u{1}\u{7f}"),
        ),
        (
            "100, then the answer",
            Answers([status("100 Continue", "\r\n"), ok("", "abc")].concat()),
            Live(200, "abc"),
        ),
        (
            "103 twice, then the answer",
            Answers(
                [
                    status("103 Early Hints", "link: </a>\r\n\r\n"),
                    status("103 Early Hints", "\r\n"),
                    ok("", "abc"),
                ]
                .concat(),
            ),
            Live(200, "abc"),
        ),
        (
            "103 without end",
            Drips(vec![], b"HTTP/1.1 103 Early Hints\r\n\r\n"),
            Fails("timeout"),
        ),
        (
            "101",
            Answers(status(
                "101 Switching Protocols",
                "connection: upgrade\r\nupgrade: x\r\n\r\n",
            )),
            Fails("protocol"),
        ),
        (
            "status 0",
            Answers(status("000 Zero", "content-length: 0\r\n\r\n")),
            Fails("protocol"),
        ),
        (
            "status 99",
            Answers(status("99 Less", "content-length: 0\r\n\r\n")),
            Fails("protocol"),
        ),
        (
            "status 600",
            Answers(status("600 More", "content-length: 0\r\n\r\n")),
            Fails("protocol"),
        ),
        (
            "status 999",
            Answers(status("999 Most", "content-length: 0\r\n\r\n")),
            Fails("protocol"),
        ),
        ("status of words", Answers(status("fine", "\r\n")), Fails("protocol")),
        (
            "204 with a body",
            Closes(status("204 None", "content-length: 3\r\n\r\nabc")),
            Live(204, ""),
        ),
        (
            "205 with a body",
            Answers(status("205 Reset", "content-length: 3\r\n\r\nabc")),
            Live(205, ""),
        ),
        (
            "304 with a body",
            Closes(status("304 Same", "content-length: 3\r\n\r\nabc")),
            Live(304, ""),
        ),
        (
            "200 without a body",
            Answers(with("content-length: 0\r\n\r\n")),
            Live(200, ""),
        ),
        (
            "HTTP/1.0",
            Closes(bytes("HTTP/1.0 200 OK\r\n\r\nabc")),
            Live(200, "abc"),
        ),
        ("HTTP/0.9", Closes(bytes("<p>abc</p>\r\n")), Fails("protocol")),
        (
            "HTTP/2 in plain text",
            Answers(bytes("HTTP/2.0 200 OK\r\n\r\nabc")),
            Fails("protocol"),
        ),
        (
            "HTTP/2's preface",
            Answers(bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
            Fails("protocol"),
        ),
        ("another protocol", Answers(bytes("SSH-2.0-x\r\n")), Fails("protocol")),
        (
            "header without a colon",
            Answers(with("x-a\r\n\r\n")),
            Fails("protocol"),
        ),
        (
            "header with a NUL",
            Answers(with("x-a: a\0b\r\ncontent-length: 0\r\n\r\n")),
            Fails("protocol"),
        ),
        (
            "400",
            Answers(status("400 Bad", "content-length: 3\r\n\r\nabc")),
            Live(400, "abc"),
        ),
        (
            "404",
            Answers(status("404 Gone", "content-length: 3\r\n\r\nabc")),
            Live(404, "abc"),
        ),
        (
            "401, no credentials of ours",
            Answers(status("401 No", "content-length: 0\r\n\r\n")),
            Live(401, ""),
        ),
        (
            "429",
            Answers(status("429 Slow", "content-length: 0\r\n\r\n")),
            Fails("status-429"),
        ),
        (
            "500 that hangs",
            Hangs(status("500 Bad", "content-length: 9\r\n\r\n")),
            Fails("status-5xx"),
        ),
        (
            "503 of HTML",
            Answers(status(
                "503 Soon",
                "content-type: text/html\r\ncontent-length: 3\r\n\r\n<p>",
            )),
            Fails("status-5xx"),
        ),
    ]
}

/// The rows whose policy expects JSON.
fn rows_of_json() -> Vec<(&'static str, Peer, Expected)> {
    use Peer::Answers;
    let of = |kind: &str, body: &str| Answers(ok(&format!("content-type: {kind}\r\n"), body));
    let status = |status: &str| Answers(bytes(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")));
    let html = "HTTP/1.1 404 X\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\r\n<p>";
    vec![
        ("JSON", of("application/json; charset=utf-8", "{}"), Live(200, "{}")),
        ("JSON of a kind", of("application/problem+json", "{}"), Live(200, "{}")),
        (
            "maintenance page",
            of("text/html", "<p>Back soon</p>"),
            Fails("content-type"),
        ),
        ("HTML with a 404", Answers(bytes(html)), Fails("content-type")),
        ("a body without a type", Answers(ok("", "{}")), Fails("content-type")),
        ("200 without a body", status("200 OK"), Fails("content-type")),
        ("201 without a body", status("201 Created"), Live(201, "")),
        ("204", status("204 None"), Live(204, "")),
        ("302 without a body", status("302 There"), Live(302, "")),
    ]
}

/// Plays one row and gives its line.
async fn row(name: &str, caller: &Caller, event: Value, expected: &Expected) -> String {
    let times_out = matches!(expected, Fails("timeout"));
    let (event, timeout_ms) = if times_out {
        (hasty(event), TIMEOUT_MS)
    } else {
        (event, PATIENCE_MS)
    };
    let began = Instant::now();
    let result = invoke_with(caller, event).await.unwrap();
    let took = began.elapsed();
    let outcome = &result["outcome"];
    let answer = &result["answer"];
    let (verdict, reason, kind) = match expected {
        Live(..) => ("success", "live", Value::Null),
        // Where a reset meets the call is not the same each time.
        Fails(kinds) => {
            let found = kinds.split('|').find(|kind| outcome["kind"] == *kind);
            ("failure", "error", json!(found.unwrap_or(kinds)))
        }
        Unsupported(kind) => ("success", "unsupported-response", json!(kind)),
    };
    assert_eq!(
        (&outcome["verdict"], &outcome["reason"], &outcome["kind"]),
        (&json!(verdict), &json!(reason), &kind),
        "{name}: {result}"
    );
    let gets = match expected {
        Live(status, body) => {
            assert_eq!(
                (&answer["status"], &answer["body"]),
                (&json!(status), &json!(body)),
                "{name}"
            );
            status.to_string()
        }
        Fails(_) => {
            assert!(answer.is_null(), "{name}");
            "fallback".to_owned()
        }
        Unsupported(_) => "502".to_owned(),
    };
    assert!(took < Duration::from_millis(timeout_ms + LATE_MS), "{name}: {took:?}");
    if times_out {
        assert!(took >= Duration::from_millis(timeout_ms), "{name}: {took:?}");
    }
    let counts = if verdict == "failure" { "yes" } else { "no" };
    let kind = kind.as_str().unwrap_or("-");
    format!(
        "{name:<34} {gets:<9} {reason:<21} {kind:<13} {counts:<7} {:>5} ms\n",
        took.as_millis()
    )
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/stock/{{isbn}}")
}

/// A listener whose queue is full, so that the kernel takes no further connection.
async fn that_never_accepts() -> (TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    for _ in 0..16 {
        match tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await {
            Ok(stream) => waiting.push(stream.unwrap()),
            Err(_) => return (listener, waiting),
        }
    }
    panic!("the queue takes everybody");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_peer_does_there_is_one_defined_answer_in_bounded_time() {
    let usual = caller();
    let mut table = String::new();
    let (full, _waiting) = that_never_accepts().await;
    let never = event(&url(full.local_addr().unwrap()));
    table += &row("never accepts", &usual, never, &Fails("timeout")).await;
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    table += &row("nobody listens", &usual, event(&url(free)), &Fails("connect")).await;
    let unknown = event(&format!("http://{}.example/{{isbn}}", "a".repeat(64)));
    table += &row("name that does not resolve", &usual, unknown, &Fails("dns")).await;
    for (json_expected, rows) in [(false, rows()), (true, rows_of_json())] {
        for (name, peer, expected) in rows {
            let partner = Partner::start(move |connection| play(peer.clone(), connection)).await;
            let mut event = event(&url(partner.address));
            let mut name = name.to_owned();
            if json_expected {
                name.push_str(", JSON expected");
                event["policy"]["call"]["expectContentType"] = json!("application/json");
            }
            table += &row(&name, &usual, event, &expected).await;
            assert!(partner.requests().len() <= 1, "{name}: a request is sent once");
        }
    }
    let elsewhere = Partner::answering(ok("", "another host")).await;
    for status in [300, 301, 302, 303, 307, 308] {
        let there = url(elsewhere.address);
        let redirect = format!("HTTP/1.1 {status} X\r\nlocation: {there}\r\ncontent-length: 0\r\n\r\n");
        let partner = Partner::answering(redirect).await;
        let name = format!("redirect {status}, not followed");
        table += &row(&name, &usual, event(&url(partner.address)), &Live(status, "")).await;
    }
    assert_eq!(elsewhere.requests().len(), 0);
    let v6 = Partner::start_on("[::1]:0", |connection| play(Peer::Answers(ok("", "six")), connection)).await;
    table += &row("IPv6", &usual, event(&url(v6.address)), &Live(200, "six")).await;
    table += &secure_rows().await;
    let titles = format!(
        "{:<34} {:<9} {:<21} {:<13} {:<7} {:>8}\n",
        "the partner", "customer", "x-circuit", "kind", "counts", "time"
    );
    let table = format!("{titles}{table}");
    std::io::stdout().write_all(table.as_bytes()).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/partner-behaviours.txt");
    std::fs::write(kept, table).unwrap();
}

/// The rows with TLS: a partner that is signed by the root that this caller trusts, unless the row says otherwise.
async fn secure_rows() -> String {
    let secure = Secure::new();
    let trusting = caller_with(tls::trusting(secure.roots()));
    let mut table = String::new();
    let rows = [
        ("TLS", Certificate::Good, Speaks::Http1, Live(200, "http/1.1")),
        ("TLS, HTTP/2", Certificate::Good, Speaks::Http2, Live(200, "h2")),
        (
            "HTTP/2, stream reset",
            Certificate::Good,
            Speaks::Http2Reset,
            Fails("reset"),
        ),
        (
            "HTTP/2, body cut short",
            Certificate::Good,
            Speaks::Http2Cut,
            Fails("body"),
        ),
        (
            "HTTP/2, going away",
            Certificate::Good,
            Speaks::Http2Gone,
            Fails("reset"),
        ),
        (
            "HTTP/2, silent",
            Certificate::Good,
            Speaks::Http2Silent,
            Fails("timeout"),
        ),
        (
            "HTTP/2 agreed, HTTP/1 spoken",
            Certificate::Good,
            Speaks::Http1AsHttp2,
            Fails("reset"),
        ),
        ("certificate expired", Certificate::Expired, Speaks::Http1, Fails("tls")),
        (
            "certificate not valid yet",
            Certificate::Early,
            Speaks::Http1,
            Fails("tls"),
        ),
        (
            "certificate of another name",
            Certificate::Foreign,
            Speaks::Http1,
            Fails("tls"),
        ),
        (
            "certificate of nobody's",
            Certificate::SelfSigned,
            Speaks::Http1,
            Fails("tls"),
        ),
    ];
    for (name, certificate, speaks, expected) in rows {
        let partner = secure.partner(certificate, speaks).await;
        let event = event(&format!("https://localhost:{}/{{isbn}}", partner.port()));
        table += &row(name, &trusting, event, &expected).await;
    }
    for (name, peer, kind) in [
        ("plain HTTP instead of TLS", Peer::Blurts(ok("", "x")), "tls"),
        ("TLS, resets when it accepts", Peer::ResetsOnAccept, "tls"),
        ("TLS, silent", Peer::Hangs(vec![]), "timeout"),
    ] {
        let partner = Partner::start(move |mut connection| {
            let peer = peer.clone();
            async move {
                match peer {
                    Peer::Hangs(_) => connection.wait_for_the_end().await,
                    peer => play(peer, connection).await,
                }
            }
        })
        .await;
        let event = event(&format!("https://{}/{{isbn}}", partner.address));
        table += &row(name, &trusting, event, &Fails(kind)).await;
    }
    table
}
