//! A partner for tests: a loopback socket and what it does with each connection.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A listening partner; it stops when it is dropped.
pub struct Partner {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// One connection to the partner.
pub struct Connection {
    pub stream: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Connection {
    /// Reads one request's head and keeps it; `None` when the caller has closed the connection.
    pub async fn request(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.stream.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).unwrap();
        self.requests.lock().unwrap().push(head.clone());
        Some(head)
    }

    /// Sends, and says whether the caller was there to take it; if not, that is for the test to judge.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Reads so many bytes of a request's body, as text.
    pub async fn read(&mut self, length: usize) -> String {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.unwrap();
        String::from_utf8(body).unwrap()
    }

    /// Ends the connection with a reset rather than a clean end.
    pub fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// Waits until the caller ends the connection.
    pub async fn wait_for_the_end(&mut self) {
        let mut rest = [0; 1024];
        while self.stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
    }
}

impl Partner {
    /// A partner that does this with each connection.
    pub async fn start<F, D>(connection: F) -> Self
    where
        F: Fn(Connection) -> D + Send + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        Self::start_on("127.0.0.1:0", connection).await
    }

    /// The same on another address.
    pub async fn start_on<F, D>(address: &str, connection: F) -> Self
    where
        F: Fn(Connection) -> D + Send + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connection(Connection {
                    stream,
                    requests: Arc::clone(&seen),
                }));
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    /// A partner that answers each request of each connection with these bytes.
    pub async fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::start(move |mut connection| {
            let bytes = Arc::clone(&bytes);
            async move {
                while connection.request().await.is_some() {
                    connection.send(&bytes).await;
                }
            }
        })
        .await
    }

    /// The heads of the requests that it saw.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.task.abort();
    }
}
