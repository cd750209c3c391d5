//! The log: JSON lines on standard output, no values of requests or answers.

use crate::error::Error;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{ParseError, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, fmt, registry};

/// Why there can be no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The environment's filter is none.
    #[error("RUST_LOG is no filter: {0}")]
    Filter(#[from] ParseError),
    /// Something else logs already.
    #[error("the log was set up twice: {0}")]
    Twice(#[from] TryInitError),
}

/// The crates whose lines are ours.
const OURS: [&str; 5] = [
    "acquire_probe",
    "call_partner",
    "circuit_table",
    "function",
    "record_outcome",
];

/// Sets up the log. `filter` is RUST_LOG's value, `info` if there is none. Other crates are heard from `warn` on only,
/// whatever the filter says: at `debug` and `trace` HTTP crates log URLs, and the runtime whole payloads.
///
/// # Errors
/// The filter can't be read.
pub fn start(filter: Option<&str>) -> Result<(), LogError> {
    let filter = EnvFilter::builder().parse(filter.unwrap_or("info"))?;
    let ours = filter_fn(|metadata| {
        let name = metadata.target().split("::").next().unwrap_or_default();
        OURS.contains(&name) || *metadata.level() <= LevelFilter::WARN
    });
    let lines = fmt::layer().json().flatten_event(true).with_target(false);
    registry()
        .with(lines.with_filter(filter).with_filter(ours))
        .try_init()?;
    Ok(())
}

/// One line for an invocation that failed, with each cause.
pub fn failure(error: &Error) {
    let mut causes = Vec::new();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    tracing::error!(error_type = error.error_type(), %error, causes = causes.join(": "), "invocation failed");
}
