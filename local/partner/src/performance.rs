//! Playing a behaviour to one client.

use std::{io, time::Duration};

use tokio::{sync::watch, time::sleep};

use crate::{
    answer::{Addressee, Wire},
    behaviour::{Behaviour, Drip},
    connection::Connection,
    journal::{How, Journal},
};

/// How long a client that was told the end may take to close its side, too.
const FAREWELL: Duration = Duration::from_secs(1);

/// One behaviour, played to one client.
pub(crate) struct Performance<'a> {
    pub journal: &'a Journal,
    pub seq: u64,
    /// Changes when what is held is released. It has to be taken before the request is written down, so that a release
    /// by somebody who saw it in the log is never missed.
    pub released: watch::Receiver<u64>,
}

/// Why the playing ended early.
struct Gone;

impl From<io::Error> for Gone {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl Performance<'_> {
    /// Plays, and writes down how it ended; gives the connection back if it can carry another request.
    pub async fn play(
        mut self,
        behaviour: &Behaviour,
        to: &Addressee<'_>,
        mut connection: Connection,
    ) -> Option<Connection> {
        let end = self.try_play(behaviour, to, &mut connection).await;
        let ended = |how| self.journal.end(self.seq, how);
        match end {
            Err(Gone) => ended(How::ClientGone),
            Ok(End::Reset) => {
                let reset = connection.reset();
                ended(if reset.is_ok() { How::Reset } else { How::ClientGone });
            }
            Ok(End::Close(how)) => {
                let told = connection.finish().await;
                ended(how);
                if told.is_ok() {
                    // Closing with something unread would be a reset, so the client closes first. If it doesn't, so be it.
                    let _ = tokio::time::timeout(FAREWELL, connection.gone()).await;
                }
            }
            Ok(End::KeepOpen) => {
                ended(How::Answered);
                return Some(connection);
            }
        }
        None
    }

    async fn try_play(
        &mut self,
        behaviour: &Behaviour,
        to: &Addressee<'_>,
        connection: &mut Connection,
    ) -> Result<End, Gone> {
        let Some(answer) = behaviour.answer() else {
            if let Behaviour::Raw(body) = behaviour {
                self.send(connection, &body.bytes(to)).await?;
            }
            return Ok(End::Close(How::Truncated));
        };
        if answer.after_ms > 0 {
            wait(connection, sleep(Duration::from_millis(answer.after_ms))).await?;
        }
        if answer.held {
            self.until_released(connection).await?;
        }
        let wire = answer.wire(to);
        let cut = behaviour
            .cut_at()
            .map(|(phase, after_bytes)| phase.bytes_of(&wire, after_bytes));
        let mut bytes = wire.head.clone();
        bytes.extend_from_slice(&wire.body);
        let (before, after) = bytes.split_at(cut.unwrap_or(bytes.len()));
        match behaviour {
            Behaviour::Drip(drip) => self.drip(connection, &wire, drip).await?,
            _ => self.send(connection, before).await?,
        }
        match behaviour {
            Behaviour::Reset(_) => return Ok(End::Reset),
            Behaviour::Truncate(_) => return Ok(End::Close(How::Truncated)),
            Behaviour::Hang(_) => {
                self.until_released(connection).await?;
                self.send(connection, after).await?;
            }
            Behaviour::Answer(_) | Behaviour::Drip(_) | Behaviour::Raw(_) => {}
        }
        Ok(if wire.closes {
            End::Close(How::Answered)
        } else {
            End::KeepOpen
        })
    }

    async fn send(&self, connection: &mut Connection, bytes: &[u8]) -> Result<(), Gone> {
        if !bytes.is_empty() {
            self.journal.first_byte(self.seq);
            connection.write(bytes).await?;
        }
        Ok(())
    }

    async fn drip(&self, connection: &mut Connection, wire: &Wire, drip: &Drip) -> Result<(), Gone> {
        let mut parts = Vec::new();
        if drip.headers {
            parts.extend_from_slice(&wire.head);
        } else {
            self.send(connection, &wire.head).await?;
        }
        parts.extend_from_slice(&wire.body);
        for part in parts.chunks(drip.bytes.max(1)) {
            wait(connection, sleep(Duration::from_millis(drip.every_ms))).await?;
            self.send(connection, part).await?;
        }
        Ok(())
    }

    async fn until_released(&mut self, connection: &mut Connection) -> Result<(), Gone> {
        let released = &mut self.released;
        wait(connection, async move {
            // The sender lives as long as the partner; without a partner, nobody releases anything.
            if released.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await
    }
}

/// How a performance ends for the connection.
enum End {
    KeepOpen,
    Close(How),
    Reset,
}

/// Waits for something, unless the client goes away first.
async fn wait(connection: &mut Connection, something: impl Future<Output = ()>) -> Result<(), Gone> {
    tokio::select! {
        () = something => Ok(()),
        () = connection.gone() => Err(Gone),
    }
}
