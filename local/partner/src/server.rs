//! Accepting connections, and playing to each.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{oneshot, watch},
};

use crate::{
    answer::Addressee,
    behaviour::Behaviour,
    connection::Connection,
    control,
    journal::{Arrival, Journal},
    partner::Listen,
    performance::Performance,
    script::{Playing, Script},
};

/// What the server, its control routes and the handle share.
#[derive(Debug)]
pub(crate) struct Stage {
    pub journal: Journal,
    playing: Mutex<Playing>,
    releases: watch::Sender<u64>,
}

impl Stage {
    pub fn new(script: Script) -> Self {
        Self {
            journal: Journal::new(),
            playing: Mutex::new(Playing::new(script)),
            releases: watch::Sender::new(0),
        }
    }

    pub fn set(&self, script: Script) {
        *self.playing() = Playing::new(script);
    }

    pub fn release(&self) {
        self.releases.send_modify(|releases| *releases += 1);
    }

    fn playing(&self) -> MutexGuard<'_, Playing> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener that can hold a crowd which arrives at once: with the usual queue of 128, the others try again a second later.
fn bind(at: Ipv4Addr, port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // The port of a partner that was stopped just now can be taken at once.
    socket.set_reuseaddr(true)?;
    socket.bind((at, port).into())?;
    socket.listen(4096)
}

type Addresses = (SocketAddr, Option<SocketAddr>);

/// Serves until the handle is dropped; says when it has begun, and where.
pub(crate) async fn serve_until(
    stopped: oneshot::Receiver<()>,
    listen: Listen,
    stage: Arc<Stage>,
    ready: &mpsc::Sender<io::Result<Addresses>>,
) -> io::Result<()> {
    let at = if listen.to_everybody {
        Ipv4Addr::UNSPECIFIED
    } else {
        Ipv4Addr::LOCALHOST
    };
    let listener = bind(at, listen.port)?;
    let control_listener = listen.control_port.map(|port| bind(Ipv4Addr::LOCALHOST, port));
    let control_listener = control_listener.transpose()?;
    let control_address = control_listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let _ = ready.send(Ok((listener.local_addr()?, control_address)));
    tokio::select! {
        () = accept(listener, |number, stream| serve(stream, number, Arc::clone(&stage))) => {}
        () = accept_control(control_listener, &stage) => {}
        _ = stopped => {}
    }
    Ok(())
}

/// Accepts for ever, a task for each connection; connections are numbered from 1.
async fn accept<F>(listener: TcpListener, serve: impl Fn(u64, TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    for number in 1.. {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(number, stream))),
            // Out of files, or a client that left the queue: the next one may be luckier.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

async fn accept_control(listener: Option<TcpListener>, stage: &Arc<Stage>) {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    accept(listener, |_, stream| {
        let stage = Arc::clone(stage);
        async move {
            // A control client that breaks off, or doesn't speak HTTP, has nobody to tell.
            let _ = control::serve(stream, &stage).await;
        }
    })
    .await;
}

/// Plays to one client until one of the two closes the connection.
async fn serve(stream: TcpStream, connection_number: u64, stage: Arc<Stage>) {
    // Only a matter of speed; what is sent is the same.
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream);
    let accepted = Arrival {
        connection: connection_number,
        arrived: stage.journal.now(),
        method: "",
        path: "",
        headers: Vec::new(),
        body: String::new(),
    };
    // Bound first: a guard in the condition itself would be held through the performance.
    let on_accept = stage.playing().on_accept();
    if let Some(behaviour) = on_accept {
        perform(&behaviour, accepted, connection, &stage).await;
        return;
    }
    // Whoever sends no HTTP gets no answer either.
    while let Ok(Some(request)) = connection.request(&stage.journal).await {
        let behaviour = stage.playing().on_request(request.path());
        let keeps_alive = request.keeps_alive;
        let arrival = Arrival {
            connection: connection_number,
            arrived: request.arrived,
            method: &request.method,
            path: &request.target,
            headers: request.headers,
            body: String::from_utf8_lossy(&request.body).into_owned(),
        };
        match perform(&behaviour, arrival, connection, &stage).await {
            Some(still_open) if keeps_alive => connection = still_open,
            _ => return,
        }
    }
}

/// Plays a behaviour and writes it down; gives the connection back if another request can follow.
async fn perform(
    behaviour: &Behaviour,
    arrival: Arrival<'_>,
    connection: Connection,
    stage: &Stage,
) -> Option<Connection> {
    let released = stage.releases.subscribe();
    let head_only = arrival.method == "HEAD";
    let (seq, nonce) = stage.journal.arrive(arrival, behaviour);
    let to = Addressee {
        nonce: &nonce,
        seq,
        head_only,
    };
    Performance {
        journal: &stage.journal,
        seq,
        released,
    }
    .play(behaviour, &to, connection)
    .await
}
