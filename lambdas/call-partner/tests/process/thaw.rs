//! A process that is stopped between two invocations, as Lambda freezes it, while its connection dies.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use rustls::ServerConfig;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use crate::certificates::{Certificate, Secure};
use crate::function::{Function, event};
use crate::server::answer;

#[tokio::test(flavor = "multi_thread")]
async fn connection_that_died_while_frozen_costs_no_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/{{key}}", listener.local_addr().unwrap());
    let (close, closed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (closes, says) = (Arc::clone(&close), Arc::clone(&closed));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4_096];
            if stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                let _ = stream.write_all(&answer(200, "", "ok")).await;
                closes.notified().await;
                drop(stream);
                says.notify_one();
            }
        }
    });
    let mut function = Function::start(&[]).await;
    for method in ["GET", "POST"].repeat(5) {
        let mut event = event(&url);
        event["policy"]["call"]["method"] = json!(method);
        let result = function.invoke(event).await;
        assert_eq!(result["outcome"]["reason"], "live", "{result}");
        function.signal("-STOP");
        close.notify_one();
        closed.notified().await;
        function.signal("-CONT");
    }
}

/// A partner that speaks HTTP/2 says goodbye before it closes, and the caller, frozen, has not heard it when it sends.
#[tokio::test(flavor = "multi_thread")]
async fn http_2_that_said_goodbye_while_frozen_costs_no_failure() {
    let secure = Secure::new();
    let directory = tempfile::tempdir().unwrap();
    let roots = directory.path().join("roots.pem");
    let root = STANDARD.encode(secure.root.der());
    let root = format!("-----BEGIN CERTIFICATE-----\n{root}\n-----END CERTIFICATE-----\n");
    std::fs::write(&roots, root).unwrap();
    let (certificate, key) = secure.certificate(Certificate::Good);
    let config = ServerConfig::builder().with_no_client_auth();
    let mut config = config.with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/{{key}}", listener.local_addr().unwrap().port());
    let (close, closed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (closes, says) = (Arc::clone(&close), Arc::clone(&closed));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let stream = acceptor.accept(stream).await.unwrap();
            let mut connection = h2::server::handshake(stream).await.unwrap();
            loop {
                tokio::select! {
                    request = connection.accept() => match request {
                        Some(Ok((_, mut respond))) => {
                            let mut body = respond.send_response(http::Response::new(()), false).unwrap();
                            body.send_data(Bytes::from_static(b"ok"), true).unwrap();
                        }
                        _ => break,
                    },
                    () = closes.notified() => {
                        // The last stream that it has seen is the last that it answers.
                        connection.abrupt_shutdown(h2::Reason::NO_ERROR);
                        while let Some(Ok(_)) = connection.accept().await {}
                        break;
                    }
                }
            }
            drop(connection);
            says.notify_one();
        }
    });
    let mut function = Function::start(&[("SSL_CERT_FILE", roots.display().to_string())]).await;
    for _ in 0..10 {
        let result = function.invoke(event(&url)).await;
        assert_eq!(result["outcome"]["reason"], "live", "{result}");
        function.signal("-STOP");
        close.notify_one();
        closed.notified().await;
        function.signal("-CONT");
    }
}
