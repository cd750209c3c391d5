//! A small HTTP server for what the function talks to.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request: its head as text, its body.
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    /// Method and path.
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The value of a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.ok()?);
        }
        let mut request = Self {
            head: String::from_utf8(head).ok()?,
            body: String::new(),
        };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body).await.ok()?;
        request.body = String::from_utf8(body).ok()?;
        Some(request)
    }
}

/// Serves on a free port of loopback for as long as the runtime lives; an answer is what goes out, byte for byte, and none
/// closes the connection.
pub async fn serve<H, F>(handler: H) -> SocketAddr
where
    H: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output = Option<Vec<u8>>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let handler = Arc::new(handler);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let handler = Arc::clone(&handler);
            tokio::spawn(async move {
                while let Some(request) = Request::read(&mut stream).await {
                    match handler(request).await {
                        Some(answer) if stream.write_all(&answer).await.is_ok() => {}
                        _ => break,
                    }
                }
            });
        }
    });
    address
}

/// An answer with its length.
pub fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
