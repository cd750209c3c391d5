//! What an execution tells while it runs: enough for AWS's history, and for the coverage of a definition.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;

/// Hears of each step of an execution, in order and while it happens.
///
/// Everything is lent: an observer that keeps a payload clones it, one that doesn't costs nothing.
pub trait Observer: Send + Sync {
    /// Called on the execution's own path: it should be quick, and must not block.
    fn event(&self, at: OffsetDateTime, event: &Event<'_>);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _at: OffsetDateTime, _event: &Event<'_>) {}
}

/// The type of a state, spelled as in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateKind {
    /// Hands its input on, changed or not.
    Pass,
    /// Does work through [`Tasks`](crate::Tasks).
    Task,
    /// Branches.
    Choice,
    /// Ends the execution well.
    Succeed,
    /// Ends the execution with an error.
    Fail,
}

impl StateKind {
    /// The value of the field `Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "Pass",
            Self::Task => "Task",
            Self::Choice => "Choice",
            Self::Succeed => "Succeed",
            Self::Fail => "Fail",
        }
    }
}

impl fmt::Display for StateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One step of an execution.
///
/// All but [`ChoiceTaken`](Event::ChoiceTaken), [`Retried`](Event::Retried) and [`Caught`](Event::Caught) correspond
/// one to one, and in this order, to the events of AWS's `GetExecutionHistory`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The execution begins.
    ExecutionStarted {
        /// The execution's input.
        input: &'a Value,
        /// The machine's role, as [`Start::role_arn`](crate::Start::role_arn) gave it.
        role_arn: &'a str,
    },
    /// A state begins.
    StateEntered {
        /// The state's name.
        state: &'a str,
        /// Its type.
        kind: StateKind,
        /// Its raw input, before `InputPath`.
        input: &'a Value,
    },
    /// A Choice state decided.
    ChoiceTaken {
        /// The state's name.
        state: &'a str,
        /// The index in `Choices` of the rule that matched; none for `Default`.
        rule: Option<usize>,
        /// Where the execution goes.
        next: &'a str,
    },
    /// An attempt of a Task is about to run.
    TaskScheduled {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// What it is given.
        parameters: &'a Value,
        /// Its `TimeoutSeconds`.
        timeout: Option<Duration>,
    },
    /// The attempt runs.
    TaskStarted {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
    },
    /// The attempt gave a result.
    TaskSucceeded {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// The result, before `ResultSelector`.
        output: &'a Value,
    },
    /// The attempt failed.
    TaskFailed {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// The attempt took longer than `TimeoutSeconds`, and was dropped.
    TaskTimedOut {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// `States.Timeout`.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// A retrier matched an error, and the next attempt follows after a wait.
    Retried {
        /// The state's name.
        state: &'a str,
        /// The retrier's index in `Retry`.
        retrier: usize,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
        /// How many retries of this state that makes, over all retriers: at least 1.
        retry_count: u32,
        /// How long until the next attempt.
        wait: Duration,
    },
    /// A catcher matched an error.
    Caught {
        /// The state's name.
        state: &'a str,
        /// The catcher's index in `Catch`.
        catcher: usize,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
        /// Where the execution goes.
        next: &'a str,
    },
    /// A state ended; one that failed without being caught, and a Fail state, don't say so.
    StateExited {
        /// The state's name.
        state: &'a str,
        /// Its type.
        kind: StateKind,
        /// Its output, after `OutputPath`.
        output: &'a Value,
    },
    /// The execution ended well.
    ExecutionSucceeded {
        /// Its output.
        output: &'a Value,
    },
    /// The execution failed.
    ExecutionFailed {
        /// The error's name; empty when a Fail state names none.
        error: &'a str,
        /// Its cause; may be empty.
        cause: &'a str,
    },
    /// The execution took longer than the machine's `TimeoutSeconds` or [`Start::time_limit`](crate::Start::time_limit).
    ExecutionTimedOut {
        /// `States.Timeout`.
        error: &'a str,
        /// Its cause; may be empty.
        cause: &'a str,
    },
}

impl Event<'_> {
    /// Whether AWS's history has an event for it.
    pub(crate) fn is_in_history(&self) -> bool {
        !matches!(
            self,
            Self::ChoiceTaken { .. } | Self::Retried { .. } | Self::Caught { .. }
        )
    }
}
