//! Why an invocation was refused before any function ran.

use super::PAYLOAD_LIMIT;

/// An error of the Lambda service, as opposed to one of a function.
///
/// Names and statuses are those of <https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html>.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvokeError {
    /// There is no function of that name.
    #[error("Function not found: {arn}")]
    NotFound {
        /// The function that was asked for, in full.
        arn: String,
    },
    /// As many invocations of the function run as may at once.
    #[error("Rate Exceeded.")]
    TooManyRequests {
        /// The function at its limit.
        function: String,
        /// That limit, in invocations at once.
        limit: usize,
    },
    /// The payload has more than [`PAYLOAD_LIMIT`] bytes.
    #[error("{size} byte payload is too large for the RequestResponse invocation type (limit {PAYLOAD_LIMIT} bytes)")]
    TooLarge {
        /// Its length in bytes.
        size: usize,
    },
    /// No process could be started for the function, or the host is stopping.
    #[error("{function} could not be started: {reason}")]
    Service {
        /// The function.
        function: String,
        /// What the operating system said.
        reason: String,
    },
}

impl InvokeError {
    /// The exception's name, without a service prefix.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "ResourceNotFoundException",
            Self::TooManyRequests { .. } => "TooManyRequestsException",
            Self::TooLarge { .. } => "RequestTooLargeException",
            Self::Service { .. } => "ServiceException",
        }
    }

    /// The HTTP status that Lambda answers with.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::NotFound { .. } => 404,
            Self::TooManyRequests { .. } => 429,
            Self::TooLarge { .. } => 413,
            Self::Service { .. } => 500,
        }
    }
}
