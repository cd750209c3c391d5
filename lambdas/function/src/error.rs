//! What is wrong with us, rather than with the partner: an invocation that fails.

use lambda_runtime::Diagnostic;

/// The `errorType` of an event that can't be worked on. The definition matches on it.
pub const BAD_PAYLOAD: &str = "Stepbreaker.BadPayload";

/// The `errorType` of a table that could not be read or written. The definition matches on it.
pub const STORE_FAILED: &str = "Stepbreaker.StoreFailed";

/// Why an invocation fails. A boxed error's `errorType` would be the name of a Rust type, which changes with the code:
/// these names don't, because the workflow catches by them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The payload is not one that this version's workflow makes.
    #[error("the payload can't be used: {what}")]
    BadPayload {
        /// Which part, without any value of it.
        what: String,
    },
    /// The table could not be written to.
    #[error("the table of circuits failed for circuit {circuit}")]
    StoreFailed {
        /// The circuit.
        circuit: String,
        /// What happened there.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// The stable name.
    pub fn error_type(&self) -> &'static str {
        match self {
            Self::BadPayload { .. } => BAD_PAYLOAD,
            Self::StoreFailed { .. } => STORE_FAILED,
        }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        Self {
            error_type: error.error_type().to_owned(),
            error_message: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_workflow_catches_are_stable() {
        let bad = Diagnostic::from(Error::BadPayload {
            what: "missing field `call`".into(),
        });
        assert_eq!(bad.error_type, "Stepbreaker.BadPayload");
        assert_eq!(bad.error_message, "the payload can't be used: missing field `call`");
        let store = Diagnostic::from(Error::StoreFailed {
            circuit: "shop".into(),
            source: "hung up".into(),
        });
        assert_eq!(store.error_type, "Stepbreaker.StoreFailed");
        assert_eq!(store.error_message, "the table of circuits failed for circuit shop");
    }
}
