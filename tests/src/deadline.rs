//! Waiting on a condition, with a deadline.

use std::time::{Duration, Instant};

use anyhow::ensure;

/// Longer than anything that is waited for takes on a busy machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(20);
const EVERY: Duration = Duration::from_millis(3);
/// How often another engine is asked, which has enough to do.
const EVERY_ELSEWHERE: Duration = Duration::from_millis(50);

/// Waits until the condition holds.
///
/// # Errors
/// It did not in time, or could not be told.
pub(crate) async fn eventually(what: &str, holds: impl AsyncFnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    until(WITHIN, EVERY, what, holds).await
}

/// Waits for another engine until the condition holds, for as long as this.
///
/// # Errors
/// It did not in time, or could not be told.
pub(crate) async fn eventually_elsewhere(
    within: Duration,
    what: &str,
    holds: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    until(within, EVERY_ELSEWHERE, what, holds).await
}

async fn until(
    within: Duration,
    every: Duration,
    what: &str,
    mut holds: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + within;
    while !holds().await? {
        ensure!(Instant::now() < deadline, "not within {within:?}: {what}");
        tokio::time::sleep(every).await;
    }
    Ok(())
}
