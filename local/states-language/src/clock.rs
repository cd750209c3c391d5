//! The port through which time comes in.

use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

/// Tells the time and lets it pass: entered times, intervals between retries, time-outs.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The time now. Its offset does not matter; what the engine writes is in UTC.
    fn now(&self) -> OffsetDateTime;

    /// Ends once `for_` has passed. Dropped when what it bounds ends first.
    async fn sleep(&self, for_: Duration);
}

/// The machine's own clock. Its [`sleep`](Clock::sleep) needs a tokio runtime with time enabled.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }

    async fn sleep(&self, for_: Duration) {
        tokio::time::sleep(for_).await;
    }
}
