//! Waiting on a condition, with a deadline.

use std::time::{Duration, Instant};

use anyhow::ensure;

/// Longer than anything that is waited for takes on a busy machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(20);
const EVERY: Duration = Duration::from_millis(3);

/// Waits until the condition holds.
///
/// # Errors
/// It did not in time, or could not be told.
pub(crate) async fn eventually(what: &str, holds: impl AsyncFnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    eventually_within(WITHIN, what, holds).await
}

/// Waits until the condition holds, for as long as this.
///
/// # Errors
/// It did not in time, or could not be told.
pub(crate) async fn eventually_within(
    within: Duration,
    what: &str,
    mut holds: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + within;
    while !holds().await? {
        ensure!(Instant::now() < deadline, "not within {within:?}: {what}");
        tokio::time::sleep(EVERY).await;
    }
    Ok(())
}
