//! Partners that speak TLS.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rustls::{HandshakeKind, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certificates::{Certificate, Secure};

/// What a partner speaks behind TLS.
#[derive(Clone, Copy)]
pub enum Speaks {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
    /// HTTP/2, and resets the stream instead of answering.
    Http2Reset,
    /// HTTP/2, and ends the body before its length.
    Http2Cut,
    /// HTTP/2, and goes away instead of answering.
    Http2Gone,
    /// HTTP/2, and never answers.
    Http2Silent,
    /// HTTP/1.1, after HTTP/2 was agreed on.
    Http1AsHttp2,
}

/// A listening partner; it stops when it is dropped.
pub struct SecurePartner {
    address: SocketAddr,
    resumed: Arc<Mutex<Vec<bool>>>,
    task: JoinHandle<()>,
}

impl SecurePartner {
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Of each connection whether it resumed an earlier one's session.
    pub fn resumed(&self) -> Vec<bool> {
        self.resumed.lock().unwrap().clone()
    }
}

impl Drop for SecurePartner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Secure {
    pub async fn partner(&self, certificate: Certificate, speaks: Speaks) -> SecurePartner {
        let (certificate, key) = self.certificate(certificate);
        let config = ServerConfig::builder().with_no_client_auth();
        let mut config = config.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = match speaks {
            Speaks::Http1 => vec![b"http/1.1".to_vec()],
            _ => vec![b"h2".to_vec()],
        };
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let resumed = Arc::new(Mutex::new(Vec::new()));
        let kinds = Arc::clone(&resumed);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Else the table has 40 ms of this server's own waiting in it.
                stream.set_nodelay(true).unwrap();
                let (acceptor, kinds) = (acceptor.clone(), Arc::clone(&kinds));
                tokio::spawn(async move {
                    // The caller may refuse the certificate.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let kind = stream.get_ref().1.handshake_kind();
                        kinds.lock().unwrap().push(kind == Some(HandshakeKind::Resumed));
                        speak(speaks, stream).await;
                    }
                });
            }
        });
        SecurePartner { address, resumed, task }
    }
}

async fn speak(speaks: Speaks, mut stream: TlsStream<TcpStream>) {
    if matches!(speaks, Speaks::Http1 | Speaks::Http1AsHttp2) {
        let mut request = [0; 4_096];
        while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nhttp/1.1";
            let _ = stream.write_all(answer).await;
            let _ = stream.flush().await;
        }
        return;
    }
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    // A stream whose answer is dropped is reset.
    let mut open = Vec::new();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        assert_eq!(request.version(), http::Version::HTTP_2);
        match speaks {
            Speaks::Http2Reset => respond.send_reset(h2::Reason::INTERNAL_ERROR),
            Speaks::Http2Gone => {
                connection.abrupt_shutdown(h2::Reason::ENHANCE_YOUR_CALM);
                continue;
            }
            Speaks::Http2Silent => open.push(respond),
            _ => {
                let mut answer = http::Response::builder();
                if matches!(speaks, Speaks::Http2Cut) {
                    answer = answer.header("content-length", "9");
                }
                let mut body = respond.send_response(answer.body(()).unwrap(), false).unwrap();
                body.send_data(Bytes::from_static(b"h2"), true).unwrap();
            }
        }
    }
}
