//! Partners that speak TLS, with certificates of a root of the test's own.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A root, and what it signs.
pub struct Secure {
    root: CertifiedIssuer<'static, KeyPair>,
}

/// A partner's certificate.
#[derive(Clone, Copy)]
pub enum Certificate {
    /// For `localhost`, from the root.
    Good,
    /// The same, of the past.
    Expired,
    /// The same, of the future.
    Early,
    /// From the root, but for another name.
    Foreign,
    /// For `localhost`, from nobody.
    SelfSigned,
}

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
    task: JoinHandle<()>,
}

impl SecurePartner {
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for SecurePartner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Secure {
    pub fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { root }
    }

    /// The root, for a caller that is to trust it.
    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.der().clone()).unwrap();
        roots
    }

    fn certificate(&self, certificate: Certificate) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let name = match certificate {
            Certificate::Foreign => "partner.example.com",
            _ => "localhost",
        };
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        match certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2020, 1, 1),
            Certificate::Early => params.not_before = date_time_ymd(2090, 1, 1),
            _ => {}
        }
        let key = KeyPair::generate().unwrap();
        let signed = match certificate {
            Certificate::SelfSigned => params.self_signed(&key).unwrap(),
            _ => params.signed_by(&key, &self.root).unwrap(),
        };
        (signed.der().clone(), PrivateKeyDer::Pkcs8(key.serialize_der().into()))
    }

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
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // The caller may refuse the certificate.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        speak(speaks, stream).await;
                    }
                });
            }
        });
        SecurePartner { address, task }
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
