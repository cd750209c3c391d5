//! Time that passes as often as somebody looks.

use std::sync::atomic::{AtomicU64, Ordering};

use breaker::clock::Timestamp;

/// The one true clock of a race.
#[derive(Debug)]
pub struct Clock {
    us: AtomicU64,
    tick_us: u64,
}

impl Clock {
    /// A clock that stands at `ms` and goes on by so many microseconds with each look; with 0 it stands still.
    pub fn new(ms: u64, tick_us: u64) -> Self {
        Self {
            us: AtomicU64::new(ms * 1000),
            tick_us,
        }
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.ahead(0)
    }

    /// The time now by somebody's clock that is ahead of the true one.
    pub fn ahead(&self, skew_ms: u64) -> Timestamp {
        let us = self.us.fetch_add(self.tick_us, Ordering::SeqCst);
        Timestamp::from_ms(us / 1000 + skew_ms)
    }

    /// Lets time pass.
    pub fn advance(&self, ms: u64) {
        self.us.fetch_add(ms * 1000, Ordering::SeqCst);
    }
}
