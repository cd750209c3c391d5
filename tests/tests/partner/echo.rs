//! A partner that says what it was asked.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a request asked: its first line without the version, its idempotency key, its body.
struct Asked {
    line: String,
    key: String,
    body: Vec<u8>,
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.to_owned())
    };
    let length = header("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(Asked {
        line: head.lines().next()?.strip_suffix(" HTTP/1.1")?.to_owned(),
        key: header("idempotency-key").unwrap_or_default(),
        body,
    })
}

/// Starts it. `/repeat/CHARACTER/N` is answered with N times the character (its number, decimal), `/status/N` with that
/// status, anything else with a line for the request, one for the key, and the body.
pub async fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                while let Some(asked) = read(&mut stream).await {
                    let path = asked.line.split_once(' ').map_or("", |(_, path)| path);
                    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
                    let (status, body) = match parts.as_slice() {
                        ["repeat", character, times] => {
                            let character = char::from_u32(character.parse().unwrap()).unwrap();
                            (200, character.to_string().repeat(times.parse().unwrap()).into_bytes())
                        }
                        ["status", status, ..] => (status.parse().unwrap(), Vec::new()),
                        _ => {
                            let said = format!("{}\n{}\n", asked.line, asked.key);
                            (200, [said.as_bytes(), &asked.body].concat())
                        }
                    };
                    let head = format!(
                        "HTTP/1.1 {status} X\r\netag: \"1\"\r\nset-cookie: a=b\r\nx-own: 1\r\ncontent-length: {}\r\n\r\n",
                        body.len()
                    );
                    if stream.write_all(&[head.as_bytes(), &body].concat()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
