//! A running partner.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{runtime, sync::oneshot};

use crate::{
    journal::{Entry, How, Log, Stamp},
    open_files::allow_open_files,
    script::Script,
    server::{Stage, serve_until},
};

/// How many files a partner asks the system for: both ends of 1,000 connections and then some.
const OPEN_FILES: u64 = 8192;

/// Where a partner listens, port 0 for any that is free.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listen {
    /// The partner's port.
    pub port: u16,
    /// The port of its control routes, which are on 127.0.0.1 only; `None` for none.
    pub control_port: Option<u16>,
    /// Whether others than this machine reach it; otherwise it is on 127.0.0.1.
    pub to_everybody: bool,
}

/// A running partner; it stops when it is dropped, and every connection with it.
///
/// It has a thread of its own with a runtime of its own, so that its times are not those of a busy test, and so that it can
/// be used from any runtime and from none.
#[derive(Debug)]
pub struct Partner {
    stage: Arc<Stage>,
    address: SocketAddr,
    control_address: Option<SocketAddr>,
    /// The server's thread, and what tells it to stop by being dropped.
    server: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// What was waited for did not happen in time.
#[derive(Debug, thiserror::Error)]
#[error("the partner's log did not show in {within:?} what was waited for; it has {hits} hits, {under_way} under way")]
pub struct NotInTime {
    /// How long it was waited for.
    pub within: Duration,
    /// How many requests had arrived by then.
    pub hits: u64,
    /// How many of them were not over.
    pub under_way: u64,
}

impl Partner {
    /// Starts a partner on a free port, without control routes.
    ///
    /// # Errors
    ///
    /// The system's, when there is no port or no thread to be had.
    pub fn start(script: impl Into<Script>) -> io::Result<Self> {
        Self::start_at(Listen::default(), script)
    }

    /// Starts a partner on these ports.
    ///
    /// # Errors
    ///
    /// The system's, such as `AddrInUse`.
    pub fn start_at(listen: Listen, script: impl Into<Script>) -> io::Result<Self> {
        allow_open_files(OPEN_FILES)?;
        let stage = Arc::new(Stage::new(script.into()));
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = mpsc::channel();
        let serving = Arc::clone(&stage);
        let thread = thread::Builder::new()
            .name("scripted-partner".to_owned())
            .spawn(move || {
                // The runtime is made and dropped in here: a caller's own runtime would not have it.
                let served = runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .and_then(|runtime| runtime.block_on(serve_until(stopped, listen, serving, &ready)));
                if let Err(error) = served {
                    // Nobody listens any more only if the caller's thread is gone.
                    let _ = ready.send(Err(error));
                }
            })?;
        let (address, control_address) = started.recv().map_err(io::Error::other)??;
        Ok(Self {
            stage,
            address,
            control_address,
            server: Some((stop, thread)),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its control routes are, if it has any.
    pub fn control_address(&self) -> Option<SocketAddr> {
        self.control_address
    }

    /// The URL of a path, which starts with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Plays another script from now on. Requests under way keep what they met.
    pub fn set(&self, script: impl Into<Script>) {
        self.stage.set(script.into());
    }

    /// Lets every request go on that hangs or is held at this moment; those that come later wait for the next release.
    pub fn release(&self) {
        self.stage.release();
    }

    /// This moment on the clock that the log is written by.
    pub fn now(&self) -> Stamp {
        self.stage.journal.now()
    }

    /// The log as it is now.
    pub fn log(&self) -> Log {
        self.stage.journal.log()
    }

    /// Forgets the requests that are over, and counts anew.
    pub fn clear_log(&self) {
        self.stage.journal.clear();
    }

    /// How many requests have arrived.
    pub fn hits(&self) -> u64 {
        self.stage.journal.hits()
    }

    /// How many requests are not over: they wait, hang or are being answered.
    pub fn under_way(&self) -> u64 {
        self.stage.journal.under_way()
    }

    /// The most requests that were under way at once.
    pub fn max_concurrent_seen(&self) -> u64 {
        self.stage.journal.max_concurrent()
    }

    /// Waits until the log's entries are as the condition wants them.
    ///
    /// # Errors
    ///
    /// [`NotInTime`], when they are not within that time.
    pub async fn wait_until(&self, within: Duration, condition: impl Fn(&[Entry]) -> bool) -> Result<(), NotInTime> {
        let mut changes = self.stage.journal.changes();
        let met = async {
            while !self.stage.journal.look(&condition) {
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(within, met).await.map_err(|_| NotInTime {
            within,
            hits: self.hits(),
            under_way: self.under_way(),
        })
    }

    /// Waits until that many requests have arrived since the start, or since the log was cleared.
    ///
    /// # Errors
    ///
    /// [`NotInTime`], when they have not within that time.
    pub async fn wait_for_hits(&self, hits: u64, within: Duration) -> Result<(), NotInTime> {
        self.wait_until(within, |entries| {
            u64::try_from(entries.len()).is_ok_and(|arrived| arrived >= hits)
        })
        .await
    }

    /// Waits until no request is under way.
    ///
    /// # Errors
    ///
    /// [`NotInTime`], when one still is by then.
    pub async fn wait_until_idle(&self, within: Duration) -> Result<(), NotInTime> {
        self.wait_until(within, |entries| entries.iter().all(|entry| entry.how != How::UnderWay))
            .await
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.server.take() {
            drop(stop);
            // It can only fail when the server panicked, which the thread has reported.
            let _ = thread.join();
        }
    }
}
