//! What is wrong with us, rather than with the partner: an invocation that fails.

use lambda_runtime::Diagnostic;

/// Why an invocation fails. The workflow catches it by its `errorType`, counts nothing and frees the probe's lease.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The payload is not one that this version's workflow makes.
    #[error("the payload can't be used: {what}")]
    BadPayload {
        /// Which part, without any value of it.
        what: String,
    },
}

/// The `errorType` of [`Error::BadPayload`]. The definition matches on it.
pub const BAD_PAYLOAD: &str = "Stepbreaker.BadPayload";

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        let error_type = match error {
            Error::BadPayload { .. } => BAD_PAYLOAD,
        };
        Self {
            error_type: error_type.to_owned(),
            error_message: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_that_the_workflow_catches_is_stable() {
        let diagnostic = Diagnostic::from(Error::BadPayload {
            what: "missing field `call`".to_owned(),
        });
        assert_eq!(diagnostic.error_type, "Stepbreaker.BadPayload");
        assert_eq!(
            diagnostic.error_message,
            "the payload can't be used: missing field `call`"
        );
    }
}
