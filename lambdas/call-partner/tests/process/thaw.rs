//! A process that is stopped between two invocations, as Lambda freezes it, while its connection dies.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;

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
    for _ in 0..10 {
        let result = function.invoke(event(&url)).await;
        assert_eq!(result["outcome"]["reason"], "live", "{result}");
        function.signal("-STOP");
        close.notify_one();
        closed.notified().await;
        function.signal("-CONT");
    }
}
