//! Serving one loopback listener.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use super::Reply;

/// Becomes `true`, or loses its sender, when the system stops.
pub(crate) type StopReceiver = watch::Receiver<bool>;

/// Until the system stops.
pub(crate) async fn stopped(stop: &mut StopReceiver) {
    // A sender that is gone has stopped too.
    let _ = stop.wait_for(|stopping| *stopping).await;
}

/// How long a stopping server waits for requests that are under way.
const DRAIN: Duration = Duration::from_secs(2);

/// A bound loopback port that does not answer yet.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Binds 127.0.0.1 on a port; 0 takes any free one.
    ///
    /// # Errors
    /// The port is in use or not permitted.
    pub(crate) async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The listener, for a server that is not ours.
    pub(crate) fn into_listener(self) -> TcpListener {
        self.listener
    }

    /// Serves in a task of its own until `stop`; the task ends when the last request has been answered, or a little
    /// after that was due.
    pub(crate) fn spawn<H, F>(self, stop: StopReceiver, handler: H) -> tokio::task::JoinHandle<()>
    where
        H: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        tokio::spawn(serve(self.listener, stop, handler))
    }
}

/// Accepts connections and answers their requests until `stop`.
pub(crate) async fn serve<H, F>(listener: TcpListener, mut stop: StopReceiver, handler: H)
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    // Each connection holds a sender; when the last is gone the channel closes, and the server has drained.
    let (open, mut drained) = mpsc::channel::<Infallible>(1);
    let connections = stop.clone();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (stop, handler, open) = (connections.clone(), handler.clone(), open.clone());
                    tokio::spawn(async move {
                        converse(stream, stop, handler).await;
                        drop(open);
                    });
                }
                // Out of file descriptors, or a connection that was reset before it was taken: neither ends the server.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
        }
    }
    drop((listener, open));
    // A request that never ends must not keep the system from stopping.
    let _ = tokio::time::timeout(DRAIN, drained.recv()).await;
}

async fn converse<H, F>(stream: TcpStream, mut stop: StopReceiver, handler: H)
where
    H: Fn(Request<Incoming>) -> F,
    F: Future<Output = Reply>,
{
    // Answers are small and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let answer = handler(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopped(&mut stop) => connection.as_mut().graceful_shutdown(),
    }
    // What has not ended by then is cut off.
    let _ = tokio::time::timeout(DRAIN, connection).await;
}
