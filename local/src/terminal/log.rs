//! The log: on standard error, so that standard output holds only what says that the system is ready.

use std::io::IsTerminal;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise: a line per customer's request, and what goes wrong, in the functions
/// too. Their other lines are `lambda=debug`; the embedded database's warnings are refused conditions, which are no trouble.
const USUAL: &str = "info,dynoxide=error";

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For a person.
    Text,
    /// An object per line.
    Json,
}

/// Starts the log.
///
/// # Errors
/// `RUST_LOG` is no filter.
pub(crate) fn start_log(format: LogFormat) -> Result<(), String> {
    let wanted = std::env::var("RUST_LOG").ok().filter(|wanted| !wanted.is_empty());
    let filter = EnvFilter::try_new(wanted.as_deref().unwrap_or(USUAL))
        .map_err(|error| format!("RUST_LOG {}: {error}", wanted.unwrap_or_default()))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(colours(&std::io::stderr())).compact().init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    Ok(())
}

/// Colours only for a person's eyes (<https://no-color.org>).
pub(super) fn colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
