//! The port through which a Task state does its work.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

/// Does the work of Task states: the integrations behind their `Resource`.
///
/// The engine enforces `TimeoutSeconds` by dropping the future, so an implementation must be safe to cancel at each
/// of its await points.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// Runs one attempt of one Task and returns its result, before `ResultSelector`.
    ///
    /// # Errors
    /// The error's name is what `Retry` and `Catch` match on.
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError>;
}

/// One attempt of one Task.
#[derive(Debug, Clone)]
pub struct TaskRequest<'a> {
    /// The state's `Resource`, as the definition has it.
    pub resource: &'a str,
    /// The state's `Parameters`, evaluated anew for this attempt; the effective input when it has none.
    pub parameters: Value,
    /// The state's name.
    pub state: &'a str,
    /// The execution's ARN, as [`Start::execution_id`](crate::Start::execution_id) gave it.
    pub execution: &'a str,
    /// How often this state was retried before: 0 for the first attempt.
    pub retry_count: u32,
    /// After how long the engine gives up on this attempt.
    pub timeout: Option<Duration>,
}

/// A failed attempt, in the words that `Retry`, `Catch` and the execution's error use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}: {cause}")]
pub struct TaskError {
    /// The name to match: `Lambda.TooManyRequestsException`, or a function's own `errorType`.
    pub error: String,
    /// For a reader. A function's error document as text, for Lambda.
    pub cause: String,
}

impl TaskError {
    /// An error of this name with this cause.
    pub fn new(error: impl Into<String>, cause: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            cause: cause.into(),
        }
    }
}
