//! A client that sends exactly what it is told.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer; header names are in lower case.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// Sends one request to `http://HOST:PORT` on a connection of its own. The path is sent as it is.
pub async fn send(base: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let host = base.strip_prefix("http://").expect("a base URL");
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    let mut stream = TcpStream::connect(host).await.expect("the port answers");
    // The answer may come before a body that is too large was read.
    let _ = stream.write_all(request.as_bytes()).await;
    let _ = stream.write_all(body.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    parse(&String::from_utf8(answer).expect("answers are text"))
}

pub async fn get(base: &str, path: &str) -> Answer {
    send(base, "GET", path, &[], "").await
}

pub async fn post(base: &str, path: &str, body: &str) -> Answer {
    send(base, "POST", path, &[("content-type", "application/json")], body).await
}

/// One operation of an AWS JSON protocol, as `Service.Operation`.
pub async fn aws(base: &str, target: &str, body: &str) -> Answer {
    let headers = [
        ("content-type", "application/x-amz-json-1.0"),
        ("x-amz-target", target),
        ("x-amz-date", "20250101T000000Z"),
        (
            "authorization",
            "AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0",
        ),
    ];
    send(base, "POST", "/", &headers, body).await
}

fn parse(answer: &str) -> Answer {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|status| status.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    Answer {
        status: status.expect("a status"),
        headers,
        body: body.to_owned(),
    }
}
