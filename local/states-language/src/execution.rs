//! How an execution begins and how it can end.

use std::time::Duration;

use serde_json::{Map, Value};
use time::OffsetDateTime;

/// What an execution begins with. All but the input only shows in the context object.
///
/// ```
/// use states_language::Start;
/// let start = Start { execution_name: "first".into(), ..Start::new(serde_json::json!({ "isbn": "9783161484100" })) };
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The input: any JSON, at most 262,144 bytes as text.
    pub input: Value,
    /// The execution's ARN: `$$.Execution.Id`.
    pub execution_id: String,
    /// The execution's name: `$$.Execution.Name`.
    pub execution_name: String,
    /// The machine's ARN: `$$.StateMachine.Id`.
    pub machine_id: String,
    /// The machine's name: `$$.StateMachine.Name`.
    pub machine_name: String,
    /// The role's ARN: `$$.Execution.RoleArn`.
    pub role_arn: String,
    /// When the execution was started: `$$.Execution.StartTime`; the clock's time when absent.
    pub start_time: Option<OffsetDateTime>,
    /// The longest that this kind of machine may run (EXPRESS: five minutes); the machine's own `TimeoutSeconds` holds
    /// too, when it is less.
    pub time_limit: Option<Duration>,
    /// How many events the history may have before the execution fails (STANDARD: 25,000); none for EXPRESS.
    pub event_limit: Option<u64>,
}

impl Start {
    /// A start with this input and nothing else said.
    pub fn new(input: Value) -> Self {
        Self {
            input,
            execution_id: String::new(),
            execution_name: String::new(),
            machine_id: String::new(),
            machine_name: String::new(),
            role_arn: String::new(),
            start_time: None,
            time_limit: None,
            event_limit: None,
        }
    }
}

impl Default for Start {
    /// The empty object, as AWS takes a missing input.
    fn default() -> Self {
        Self::new(Value::Object(Map::new()))
    }
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// SUCCEEDED.
    Succeeded {
        /// The last state's output.
        output: Value,
    },
    /// FAILED.
    Failed {
        /// The error's name; empty when a Fail state names none.
        error: String,
        /// Its cause; may be empty.
        cause: String,
    },
    /// TIMED_OUT: longer than the machine's `TimeoutSeconds` or [`Start::time_limit`].
    TimedOut {
        /// `States.Timeout`.
        error: String,
        /// Its cause; may be empty.
        cause: String,
    },
}
