//! The one place where a function reads the time.

use std::time::{SystemTime, UNIX_EPOCH};

use breaker::clock::Timestamp;

/// The time now, by this machine's clock.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
