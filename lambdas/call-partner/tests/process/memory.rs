//! What the function takes of memory, at its peak, whatever a partner sends.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::function::{Function, event};

/// The stated bound, in kilobytes: a quarter of the least that a function can have. It is for this build, which is less
/// optimised than the shipped one.
const BOUND_KB: u64 = 32 * 1_024;

/// The peak of a process's memory, as the kernel counts it.
fn peak_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A partner that answers a request with the head, and the piece over and over again until the caller goes.
async fn flooding(head: &'static str, piece: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4_096]).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(&piece).await.is_ok() {}
        }
    });
    format!("http://{address}/{{key}}")
}

fn zeros() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 50_000_000]).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_whatever_a_partner_sends() {
    let mut function = Function::start(&[]).await;
    let mut rows = Vec::new();
    for (name, head, piece, kind) in [
        (
            "the largest answer",
            "HTTP/1.1 200 OK\r\ncontent-length: 200000\r\nconnection: close\r\n\r\n",
            vec![b'x'; 200_000],
            Value::Null,
        ),
        (
            "expanding without end",
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
            zeros(),
            json!("too-large"),
        ),
        (
            "a body without end",
            "HTTP/1.1 200 OK\r\n\r\n",
            vec![b'x'; 65_536],
            json!("too-large"),
        ),
        (
            "a head without end",
            "HTTP/1.1 200 OK\r\nx: ",
            vec![b'x'; 65_536],
            json!("protocol"),
        ),
    ] {
        let url = flooding(head, piece).await;
        for _ in 0..5 {
            let result = function.invoke(event(&url)).await;
            assert_eq!(result["outcome"]["kind"], kind, "{name}: {}", result["outcome"]);
        }
        rows.push((name, peak_kb(function.pid())));
    }
    let mut text = format!("peak memory of the caller (bound: {BOUND_KB} kB)\n");
    for (name, kb) in &rows {
        text += &format!("  after {name:<24} {kb:>6} kB\n");
    }
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/partner-memory.txt");
    std::fs::write(kept, &text).unwrap();
    assert!(rows.iter().all(|(_, kb)| *kb < BOUND_KB), "{text}");
}
