//! One connection: reading requests off it, and noticing that its client is gone.

use std::io;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::journal::{Journal, Stamp};

const HEAD_LIMIT: usize = 64 * 1024;
const BODY_LIMIT: usize = 8 * 1024 * 1024;

/// A connection and what was read off it too early.
pub(crate) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A request, read to the end of its body.
pub(crate) struct Request {
    pub arrived: Stamp,
    pub method: String,
    pub target: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the client wants to send another one.
    pub keeps_alive: bool,
}

impl Request {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(held, _)| held == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            read: Vec::new(),
        }
    }

    /// The next request; `None` once the client has closed. What isn't HTTP/1.x within bounds is an error.
    pub async fn request(&mut self, journal: &Journal) -> io::Result<Option<Request>> {
        let mut arrived = (!self.read.is_empty()).then(|| journal.now());
        let head_length = loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if self.read.len() > HEAD_LIMIT {
                return Err(invalid("the head is too large"));
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Ok(None);
            }
            arrived.get_or_insert_with(|| journal.now());
        };
        let head: Vec<u8> = self.read.drain(..head_length).collect();
        let head = String::from_utf8(head).map_err(|_| invalid("the head is not text"))?;
        let mut request = parse_head(&head, arrived.unwrap_or_else(|| journal.now()))?;
        if request.header("transfer-encoding").is_some() {
            return Err(invalid("a body needs a content-length here"));
        }
        let length = match request.header("content-length") {
            Some(length) => length.parse().map_err(|_| invalid("content-length is no number"))?,
            None => 0,
        };
        if length > BODY_LIMIT {
            return Err(invalid("the body is too large"));
        }
        while self.read.len() < length {
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Ok(None);
            }
        }
        request.body = self.read.drain(..length).collect();
        Ok(Some(request))
    }

    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Comes back once the client has closed its end or the connection is broken; what it sends meanwhile is kept.
    pub async fn gone(&mut self) {
        while self.read.len() <= HEAD_LIMIT + BODY_LIMIT {
            match self.stream.read_buf(&mut self.read).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
        std::future::pending().await
    }

    /// Resets the connection: the client reads an error, not an end.
    pub fn reset(self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    /// Tells the client that no more comes.
    pub async fn finish(&mut self) -> io::Result<()> {
        self.stream.shutdown().await
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn parse_head(head: &str, arrived: Stamp) -> io::Result<Request> {
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(invalid("the first line is not a method, a target and a version"));
    };
    let mut headers = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').ok_or(invalid("a header has no colon"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let keeps_alive = match version {
        "HTTP/1.1" => !headers
            .iter()
            .any(|(name, value)| name == "connection" && value.eq_ignore_ascii_case("close")),
        "HTTP/1.0" => false,
        _ => return Err(invalid("not HTTP/1.0 or HTTP/1.1")),
    };
    Ok(Request {
        arrived,
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body: Vec::new(),
        keeps_alive,
    })
}
