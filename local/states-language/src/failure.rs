//! A failure inside an execution: the names that `Retry` and `Catch` match on.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html>

use serde_json::{Value, json};

use crate::TaskError;
use crate::limits::{MAX_PAYLOAD_DEPTH, MAX_WORK_BYTES, Oversize};

pub(crate) const ALL: &str = "States.ALL";
pub(crate) const TASK_FAILED: &str = "States.TaskFailed";
pub(crate) const BRANCH_FAILED: &str = "States.BranchFailed";
pub(crate) const TIMEOUT: &str = "States.Timeout";
pub(crate) const RUNTIME: &str = "States.Runtime";
pub(crate) const DATA_LIMIT_EXCEEDED: &str = "States.DataLimitExceeded";
pub(crate) const NO_CHOICE_MATCHED: &str = "States.NoChoiceMatched";
pub(crate) const RESULT_PATH_MATCH_FAILURE: &str = "States.ResultPathMatchFailure";
pub(crate) const INTRINSIC_FAILURE: &str = "States.IntrinsicFailure";

/// An error that a state reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) error: String,
    pub(crate) cause: String,
    /// Whether the engine itself found it, and its cause does not say yet in which state.
    unplaced: bool,
    /// Whether a branch of the Parallel that reports it, or an item of the Map, came to it.
    in_branch: bool,
}

impl Failure {
    /// A failure whose cause is complete: a task's, a Fail state's.
    pub(crate) fn reported(error: impl Into<String>, cause: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            cause: cause.into(),
            unplaced: false,
            in_branch: false,
        }
    }

    /// A failure that the engine finds while it works on a state.
    pub(crate) fn found(error: &str, cause: impl Into<String>) -> Self {
        Self {
            error: error.to_owned(),
            cause: cause.into(),
            unplaced: true,
            in_branch: false,
        }
    }

    pub(crate) fn runtime(cause: impl Into<String>) -> Self {
        Self::found(RUNTIME, cause)
    }

    /// Says in its cause, as AWS does, in which state it was found, and by which event that state was entered.
    pub(crate) fn placed(mut self, state: &str, entered: u64) -> Self {
        if std::mem::take(&mut self.unplaced) {
            self.cause = format!(
                "An error occurred while executing the state '{state}' (entered at the event id #{entered}). {}",
                self.cause
            );
        }
        self
    }

    /// As [`placed`](Self::placed), where a state runs by itself and no event entered it.
    pub(crate) fn in_state(mut self, state: &str) -> Self {
        if std::mem::take(&mut self.unplaced) {
            self.cause = format!("An error occurred while executing the state '{state}'. {}", self.cause);
        }
        self
    }

    /// The same as a failure of the state around a branch. It keeps its name: that is what `Retry` and `Catch` see, beside
    /// `States.BranchFailed`.
    pub(crate) fn of_branch(mut self) -> Self {
        self.in_branch = true;
        self
    }

    /// A result or output past the limit; `what` names whose it is. The payload itself stays out of the text.
    pub(crate) fn oversize(what: &str, oversize: Oversize) -> Self {
        Self::past_limit(&format!("The state/task '{what}' returned a result"), oversize)
    }

    /// An input past the limit.
    pub(crate) fn oversize_input(what: &str, oversize: Oversize) -> Self {
        Self::past_limit(&format!("The state/task '{what}' was given an input"), oversize)
    }

    fn past_limit(subject: &str, oversize: Oversize) -> Self {
        let cause = match oversize {
            Oversize::Bytes => {
                format!("{subject} with a size exceeding the maximum number of bytes service limit.")
            }
            // Payloads are not looked through when they are measured.
            Oversize::Depth | Oversize::Steps => format!("{subject} nested deeper than {MAX_PAYLOAD_DEPTH} levels."),
        };
        Self::reported(DATA_LIMIT_EXCEEDED, cause)
    }

    /// What a state is worked on with, past the limit.
    pub(crate) fn excess(subject: &str, oversize: Oversize) -> Self {
        let cause = match oversize {
            Oversize::Bytes => format!("{subject} comes to more than {MAX_WORK_BYTES} bytes."),
            Oversize::Depth => format!("{subject} is nested deeper than {MAX_PAYLOAD_DEPTH} levels."),
            Oversize::Steps => format!("{subject} looks at more values than a payload can have."),
        };
        Self::found(DATA_LIMIT_EXCEEDED, cause)
    }

    /// Whether no `Retry` and no `Catch` takes it, not even by name.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.error.as_str(), RUNTIME | DATA_LIMIT_EXCEEDED)
    }

    /// Whether a retrier or catcher with this `ErrorEquals` takes it.
    pub(crate) fn matches(&self, names: &[String]) -> bool {
        !self.is_terminal()
            && names.iter().any(|name| match name.as_str() {
                ALL => true,
                TASK_FAILED => self.error != TIMEOUT,
                BRANCH_FAILED => self.in_branch || self.error == BRANCH_FAILED,
                name => name == self.error,
            })
    }

    /// What a catcher puts at its `ResultPath`.
    pub(crate) fn output(&self) -> Value {
        json!({ "Error": self.error, "Cause": self.cause })
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        Self::reported(error.error, error.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_name_matches_what_aws_documents() {
        let all = [
            "Custom",
            TIMEOUT,
            RESULT_PATH_MATCH_FAILURE,
            INTRINSIC_FAILURE,
            TASK_FAILED,
        ];
        for (error, by_all, by_task_failed) in all
            .map(|error| (error, true, error != TIMEOUT))
            .into_iter()
            .chain([(RUNTIME, false, false), (DATA_LIMIT_EXCEEDED, false, false)])
        {
            let failure = Failure::reported(error, "");
            assert_eq!(failure.matches(&[ALL.into()]), by_all, "{error} by {ALL}");
            assert_eq!(
                failure.matches(&[TASK_FAILED.into()]),
                by_task_failed,
                "{error} by {TASK_FAILED}"
            );
            assert_eq!(
                failure.matches(&["Other".into(), error.into()]),
                by_all,
                "{error} by its own name"
            );
            assert!(!failure.matches(&["Other".into()]), "{error} by another name");
        }
    }
}
