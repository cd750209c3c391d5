//! Why an operation gave no result.

/// An error of DynamoDB, or of the way to it.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum DynamoDbError {
    /// DynamoDB answered with an exception.
    #[error("{name}: {message}")]
    Refused {
        /// The exception's short name: `ConditionalCheckFailedException`.
        name: String,
        /// DynamoDB's own words.
        message: String,
        /// The HTTP status.
        status: u16,
        /// DynamoDB's id of the request, or one of ours.
        request_id: String,
    },
    /// No answer, or none that can be read.
    #[error("no answer from DynamoDB: {reason}")]
    Unreachable {
        /// What happened on the connection.
        reason: String,
    },
}
