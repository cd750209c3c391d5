//! A client that sees what the socket does: bytes, an end, a reset.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// Longer than anything here takes, and short enough that a hang is found.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// How reading ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The partner closed in good order.
    Closed,
    /// The partner reset the connection.
    Reset,
    /// Nothing came for as long as was waited.
    Silence,
}

/// One connection to a partner.
pub struct Raw {
    stream: TcpStream,
    /// Whether sending met a reset already: the system reports it only once.
    reset: bool,
}

impl Raw {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        Self { stream, reset: false }
    }

    pub fn send(&mut self, text: &str) {
        if let Err(error) = self.stream.write_all(text.as_bytes()) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            self.reset = true;
        }
    }

    pub fn get(&mut self, target: &str) {
        self.send(&format!("GET {target} HTTP/1.1\r\nHost: partner\r\n\r\n"));
    }

    /// Everything until the end, however it comes, or until nothing came for that long.
    pub fn read_to_end(&mut self, silence: Duration) -> (Vec<u8>, End) {
        self.stream.set_read_timeout(Some(silence)).unwrap();
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return (all, if self.reset { End::Reset } else { End::Closed }),
                Ok(read) => all.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return (all, End::Reset),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return (all, End::Silence);
                }
                Err(error) => panic!("reading failed: {error}"),
            }
        }
    }

    /// One answer with a content-length: its head, and its body.
    pub fn answer(&mut self) -> (String, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap_or("0");
        let mut body = vec![0; length.parse().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        (head, String::from_utf8(body).unwrap())
    }

    pub fn close(self) {
        self.stream.shutdown(Shutdown::Both).unwrap();
    }
}

/// One GET on a connection of its own: everything that came back, how it ended, and how long it took.
pub fn get(address: SocketAddr, target: &str) -> (String, End, Duration) {
    let started = Instant::now();
    let mut raw = Raw::connect(address);
    raw.get(target);
    let (bytes, end) = raw.read_to_end(Duration::from_millis(300));
    (String::from_utf8(bytes).unwrap(), end, started.elapsed())
}
