//! What can go wrong, and what the command ends with then.

use std::fmt::Write as _;
use std::process::ExitCode;

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use circuit_table::{ReadError, StoreError};

use crate::text::printable;

/// Why the command did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A service's answer to one operation, or what kept it from us.
    #[error("{operation}: {why}")]
    Service {
        /// What was asked, as AWS calls it.
        operation: &'static str,
        /// The service's code and message, or what kept its answer from us.
        why: String,
    },
    /// The table can't be read.
    #[error("{}", with_sources(.0))]
    Unread(#[from] ReadError),
    /// A write came to nothing that is known.
    #[error("{}; it may have been made all the same: see `stepbreaker status {circuit}`", with_sources(.source))]
    Unwritten {
        /// The circuit.
        circuit: String,
        /// Why.
        source: StoreError,
    },
    /// The configuration can't be used.
    #[error("{found}; {allowed}")]
    Configuration {
        /// What was found.
        found: String,
        /// What is allowed.
        allowed: String,
    },
    /// There is no such circuit.
    #[error("circuit {circuit} is not found: {missing}; {known}")]
    NotFound {
        /// Its name.
        circuit: String,
        /// What there is not.
        missing: String,
        /// What can be done, or which ones there are.
        known: String,
    },
    /// The circuit is not what was shown any more.
    #[error("circuit {circuit} changed since it was shown: nothing was written. It is now {now}")]
    Changed {
        /// Its name.
        circuit: String,
        /// What it is now.
        now: String,
    },
    /// Standard output could not be written to.
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandError {
    /// The exit status, as `--help` lists them.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Service { .. } | Self::Unread(_) | Self::Unwritten { .. } | Self::Output(_) => 1,
            Self::Configuration { .. } => 2,
            Self::NotFound { .. } => 3,
            Self::Changed { .. } => 4,
        })
    }

    /// What a service said, or what kept it from saying something.
    pub(crate) fn service<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
        R: std::fmt::Debug,
    {
        let why = match error {
            SdkError::ServiceError(told) => {
                let told = told.err();
                let code = told.code().unwrap_or("an error without a name");
                let message = told.message().map(|message| format!(": {message}"));
                printable(&format!("{code}{}", message.unwrap_or_default()))
            }
            other => with_sources(other),
        };
        Self::Service { operation, why }
    }
}

/// An error and what is behind it, on one line, each thing once.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let text = source.to_string();
        if !line.contains(&text) {
            let _ = write!(line, ": {text}");
        }
        next = source.source();
    }
    printable(&line)
}
