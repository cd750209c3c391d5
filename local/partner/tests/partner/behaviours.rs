//! What each behaviour looks like from the other end of the socket, and in the log.

use std::{
    io::Read as _,
    time::{Duration, Instant},
};

use crate::raw::{DEADLINE, End, Raw, get};
use scripted_partner::{Answer, Behaviour, Entry, How, Partner, Phase, Script};

fn partner(script: &str) -> Partner {
    Partner::start(serde_json::from_str::<Script>(script).unwrap()).unwrap()
}

/// The log's only entry, once it is over.
async fn only_entry(partner: &Partner) -> Entry {
    partner
        .wait_until(DEADLINE, |entries| entries.len() == 1 && entries[0].ended.is_some())
        .await
        .unwrap();
    partner.log().entries.remove(0)
}

#[tokio::test]
async fn an_answer_goes_out_as_the_script_has_it_and_the_request_is_in_the_log() {
    let partner = partner(
        r#"[{"answer": {"status": 404, "contentType": "text/plain", "body": "none", "headers": {"x-a": "b"}}}]"#,
    );
    let mut raw = Raw::connect(partner.address());
    raw.send("POST /a/b?c=d HTTP/1.1\r\nHost: partner\r\nX-Trace: 7\r\nContent-Length: 5\r\n\r\nhello");
    let (head, body) = raw.answer();
    assert_eq!(
        head,
        "HTTP/1.1 404 \r\ncontent-type: text/plain\r\nx-a: b\r\ncontent-length: 4\r\n\r\n"
    );
    assert_eq!(body, "none");
    let entry = only_entry(&partner).await;
    assert_eq!(
        (entry.method.as_str(), entry.path.as_str(), entry.body.as_str()),
        ("POST", "/a/b?c=d", "hello")
    );
    assert_eq!((entry.header("X-TRACE"), entry.header("x-other")), (Some("7"), None));
    assert_eq!(
        (entry.seq, entry.connection, entry.behaviour.as_str()),
        (1, 1, "answer")
    );
    assert_eq!((entry.how, entry.status), (How::Answered, Some(404)));
    let (first_byte, ended) = (entry.first_byte.unwrap(), entry.ended.unwrap());
    assert!(entry.arrived.after_us <= first_byte.after_us && first_byte.after_us <= ended.after_us);
}

#[tokio::test]
async fn a_connection_carries_one_request_after_another_until_somebody_closes_it() {
    let partner = partner(
        r#"[{"answer": {"body": "1"}}, {"answer": {"body": "2"}}, {"answer": {"body": "3", "framing": "close"}}]"#,
    );
    let mut raw = Raw::connect(partner.address());
    raw.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
    assert_eq!((raw.answer().1, raw.answer().1), ("1".to_owned(), "2".to_owned()));
    raw.get("/3");
    let (rest, end) = raw.read_to_end(DEADLINE);
    assert!(rest.ends_with(b"connection: close\r\n\r\n3"));
    assert_eq!(end, End::Closed);
    let connections: Vec<_> = partner
        .log()
        .entries
        .iter()
        .map(|entry| (entry.seq, entry.connection))
        .collect();
    assert_eq!(connections, [(1, 1), (2, 1), (3, 1)]);
}

#[tokio::test]
async fn a_client_that_wants_no_further_request_sees_the_connection_close() {
    let partner = partner("[]");
    let mut raw = Raw::connect(partner.address());
    raw.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(raw.read_to_end(DEADLINE).1, End::Closed);
    let mut raw = Raw::connect(partner.address());
    raw.send("GET / HTTP/1.0\r\n\r\n");
    assert_eq!(raw.read_to_end(DEADLINE).1, End::Closed);
}

#[tokio::test]
async fn an_answer_that_says_close_is_the_last_on_its_connection() {
    let partner = partner(r#"[{"answer": {"headers": {"Connection": "close"}}}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    assert_eq!(raw.read_to_end(DEADLINE).1, End::Closed);
}

#[tokio::test]
async fn a_slow_answer_comes_no_sooner_than_the_script_says() {
    let partner = partner(r#"[{"answer": {"afterMs": 120}}]"#);
    let started = Instant::now();
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    raw.answer();
    assert!(started.elapsed() >= Duration::from_millis(120));
    let entry = only_entry(&partner).await;
    assert!(entry.first_byte.unwrap().ms_since(&entry.arrived) >= 119);
}

#[tokio::test]
async fn each_answer_quotes_its_own_nonce_and_number() {
    let partner = partner(r#"[{"answer": {"body": "{{nonce}} {{seq}}"}}]"#);
    let mut raw = Raw::connect(partner.address());
    let bodies: Vec<_> = (0..2)
        .map(|_| {
            raw.get("/");
            raw.answer().1
        })
        .collect();
    let logged: Vec<_> = partner
        .log()
        .entries
        .iter()
        .map(|entry| format!("{} {}", entry.nonce, entry.seq))
        .collect();
    assert_eq!(bodies, logged);
    assert_ne!(bodies[0], bodies[1]);
}

#[tokio::test]
async fn a_hanging_request_is_under_way_until_its_client_leaves() {
    let partner = partner(r#"[{"hang": true}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    assert_eq!(raw.read_to_end(Duration::from_millis(200)), (Vec::new(), End::Silence));
    assert_eq!((partner.under_way(), partner.log().entries[0].how), (1, How::UnderWay));
    raw.close();
    let entry = only_entry(&partner).await;
    assert_eq!((entry.how, entry.first_byte), (How::ClientGone, None));
    assert!(entry.ended.unwrap().ms_since(&entry.arrived) >= 199);
    assert_eq!(partner.under_way(), 0);
}

#[tokio::test]
async fn a_release_lets_go_what_hangs_and_not_what_comes_later() {
    let partner = partner(r#"[{"hang": {"at": "after-headers", "answer": {"body": "late"}}}]"#);
    let mut first = Raw::connect(partner.address());
    first.get("/");
    partner.wait_for_hits(1, DEADLINE).await.unwrap();
    partner.release();
    assert_eq!(first.answer().1, "late");
    first.get("/");
    let (head, end) = first.read_to_end(Duration::from_millis(200));
    assert!(head.ends_with(b"\r\n\r\n"), "the head only");
    assert_eq!(end, End::Silence);
}

#[tokio::test]
async fn a_held_answer_waits_for_its_release() {
    let partner = Partner::start(Answer::new(200, "held").held()).unwrap();
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    assert_eq!(raw.read_to_end(Duration::from_millis(100)).1, End::Silence);
    partner.release();
    assert_eq!(raw.answer().1, "held");
}

#[tokio::test]
async fn a_hang_on_accept_reads_no_request() {
    let partner = partner(r#"[{"hang": "on-accept"}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/never-read");
    assert_eq!(raw.read_to_end(Duration::from_millis(100)), (Vec::new(), End::Silence));
    raw.close();
    let entry = only_entry(&partner).await;
    assert_eq!((entry.how, entry.path.as_str()), (How::ClientGone, ""));
}

#[tokio::test]
async fn a_reset_comes_in_the_phase_that_the_script_names() {
    let whole =
        "HTTP/1.1 200 \r\ncontent-type: application/json\r\ncontent-length: 22\r\n\r\n{\"partner\":\"scripted\"}";
    let head = whole.len() - 22;
    for (phase, sent) in [
        (Phase::OnAccept, 0),
        (Phase::BeforeHeaders, 0),
        (Phase::InHeaders, head / 2),
        (Phase::AfterHeaders, head),
        (Phase::InBody, head + 11),
    ] {
        let partner = Partner::start(Behaviour::reset(phase)).unwrap();
        let (text, end, _) = get(partner.address(), "/x");
        assert_eq!((text.as_str(), end), (&whole[..sent], End::Reset), "{phase:?}");
        let entry = only_entry(&partner).await;
        assert_eq!((entry.how, entry.behaviour.as_str()), (How::Reset, "reset"));
        assert_eq!(entry.first_byte.is_some(), sent > 0);
        assert_eq!(entry.path, if phase == Phase::OnAccept { "" } else { "/x" });
    }
}

#[tokio::test]
async fn a_truncated_answer_ends_too_early_and_in_good_order() {
    for (script, sent) in [
        (
            r#"[{"truncate": {"afterBytes": 3, "answer": {"body": "12345"}}}]"#,
            "123",
        ),
        (
            r#"[{"truncate": {"afterBytes": 99, "answer": {"body": "12345"}}}]"#,
            "1234",
        ),
        (
            r#"[{"truncate": {"answer": {"body": "12345", "framing": "chunked"}}}]"#,
            "5\r\n1234",
        ),
        (r#"[{"truncate": "after-headers"}]"#, ""),
    ] {
        let partner = partner(script);
        let (text, end, _) = get(partner.address(), "/");
        assert_eq!(
            (text.split_once("\r\n\r\n").unwrap().1, end),
            (sent, End::Closed),
            "{script}"
        );
        assert_eq!(only_entry(&partner).await.how, How::Truncated);
    }
}

#[tokio::test]
async fn a_dripping_answer_comes_piece_by_piece() {
    let partner =
        partner(r#"[{"drip": {"bytes": 2, "everyMs": 30, "answer": {"body": "12345", "framing": "close"}}}]"#);
    let (text, end, took) = get(partner.address(), "/");
    assert!(text.ends_with("\r\n\r\n12345"));
    assert_eq!(end, End::Closed);
    assert!(
        took >= Duration::from_millis(90),
        "three pieces, each after 30 ms: {took:?}"
    );
    let partner =
        self::partner(r#"[{"drip": {"bytes": 64, "everyMs": 60, "headers": true, "answer": {"framing": "close"}}}]"#);
    get(partner.address(), "/");
    let entry = only_entry(&partner).await;
    assert!(
        entry.first_byte.unwrap().ms_since(&entry.arrived) >= 59,
        "the head drips too"
    );
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_a_drip_is_noticed() {
    let partner =
        partner(r#"[{"drip": {"bytes": 1, "everyMs": 20, "answer": {"body": {"repeat": "x", "times": 100000}}}}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    partner
        .wait_until(DEADLINE, |entries| {
            entries.iter().any(|entry| entry.first_byte.is_some())
        })
        .await
        .unwrap();
    raw.close();
    assert_eq!(only_entry(&partner).await.how, How::ClientGone);
}

#[tokio::test]
async fn bytes_that_are_no_http_go_out_as_they_are() {
    let partner = partner(r#"[{"raw": "SSH-2.0-none\r\n"}]"#);
    let (text, end, _) = get(partner.address(), "/");
    assert_eq!((text.as_str(), end), ("SSH-2.0-none\r\n", End::Closed));
}

#[tokio::test]
async fn a_body_can_be_bytes_large_chunked_and_compressed() {
    let partner = partner(
        r#"[{"answer": {"body": {"base64": "AP8="}, "framing": "close"}},
            {"answer": {"body": {"repeat": "ab", "times": 3000}, "framing": "chunked"}},
            {"answer": {"body": {"repeat": "ab", "times": 3000}, "encoding": "gzip", "framing": "close"}},
            {"answer": {"body": "z", "encoding": "deflate", "framing": "close"}}]"#,
    );
    let fetch = || {
        let mut raw = Raw::connect(partner.address());
        raw.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        let (bytes, _) = raw.read_to_end(DEADLINE);
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        (
            String::from_utf8(bytes[..head].to_vec()).unwrap(),
            bytes[head..].to_vec(),
        )
    };
    assert_eq!(fetch().1, [0, 255]);
    let large = "ab".repeat(3000);
    assert_eq!(
        fetch().1,
        format!("1000\r\n{}\r\n770\r\n{}\r\n0\r\n\r\n", &large[..4096], &large[4096..]).into_bytes()
    );
    let (head, body) = fetch();
    assert!(head.contains("content-encoding: gzip\r\n") && body.len() < 200);
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, large);
    let mut text = String::new();
    flate2::read::ZlibDecoder::new(fetch().1.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "z");
}

#[tokio::test]
async fn an_answer_without_a_body_has_none() {
    let partner = partner(r#"[{"answer": {"status": 204}}, {"answer": {}}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    assert!(!raw.answer().0.contains("content-length"));
    raw.send("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
    let (bytes, _) = raw.read_to_end(DEADLINE);
    assert!(
        String::from_utf8(bytes)
            .unwrap()
            .ends_with("content-length: 22\r\n\r\n")
    );
}

#[tokio::test]
async fn a_request_keeps_the_behaviour_that_it_met() {
    let partner = Partner::start(Behaviour::hang()).unwrap();
    let mut hanging = Raw::connect(partner.address());
    hanging.get("/");
    partner.wait_for_hits(1, DEADLINE).await.unwrap();
    partner.set(Answer::new(503, "new"));
    assert_eq!(hanging.read_to_end(Duration::from_millis(100)).1, End::Silence);
    let mut other = Raw::connect(partner.address());
    other.get("/");
    assert!(other.answer().0.starts_with("HTTP/1.1 503 "));
}

#[tokio::test]
async fn what_is_no_request_is_not_answered_and_not_counted() {
    let partner = partner("[]");
    for nonsense in [
        "hello\r\n\r\n",
        "GET / HTTP/2\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
    ] {
        let mut raw = Raw::connect(partner.address());
        raw.send(nonsense);
        assert!(raw.read_to_end(DEADLINE).0.is_empty(), "{nonsense}");
    }
    assert_eq!(partner.hits(), 0);
}

#[tokio::test]
async fn a_stopped_partner_refuses_connections_and_drops_the_ones_it_had() {
    let partner = Partner::start(Behaviour::hang()).unwrap();
    let address = partner.address();
    let mut raw = Raw::connect(address);
    raw.get("/");
    partner.wait_for_hits(1, DEADLINE).await.unwrap();
    drop(partner);
    assert_ne!(raw.read_to_end(DEADLINE).1, End::Silence);
    assert_eq!(
        std::net::TcpStream::connect(address).unwrap_err().kind(),
        std::io::ErrorKind::ConnectionRefused
    );
}

#[tokio::test]
async fn waiting_for_what_does_not_happen_ends_with_what_was_there() {
    let partner = partner("[]");
    let missed = partner.wait_for_hits(1, Duration::from_millis(20)).await.unwrap_err();
    assert_eq!((missed.hits, missed.under_way), (0, 0));
}
