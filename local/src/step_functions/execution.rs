//! One execution, while it runs and after.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use states_language::Outcome;
use time::OffsetDateTime;

/// An execution that was started asynchronously.
#[derive(Debug)]
pub(super) struct Execution {
    pub(super) arn: String,
    pub(super) name: String,
    pub(super) machine_arn: String,
    /// As it was given.
    pub(super) input: String,
    pub(super) started_at: OffsetDateTime,
    end: Mutex<Option<Arc<End>>>,
}

/// How and when an execution ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) at: OffsetDateTime,
    pub(super) outcome: Outcome,
}

/// A synchronous execution that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) arn: String,
    pub(crate) name: String,
    pub(crate) started_at: OffsetDateTime,
    pub(crate) stopped_at: OffsetDateTime,
    pub(crate) outcome: Outcome,
}

impl Execution {
    pub(super) fn new(arn: String, name: String, machine_arn: String, input: String) -> Self {
        Self {
            arn,
            name,
            machine_arn,
            input,
            started_at: OffsetDateTime::now_utc(),
            end: Mutex::default(),
        }
    }

    pub(super) fn ended(&self) -> Option<Arc<End>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn end(&self, outcome: Outcome) {
        let end = End {
            at: OffsetDateTime::now_utc(),
            outcome,
        };
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(end));
    }

    /// About how many bytes it holds.
    pub(super) fn size(&self) -> usize {
        let output = self.ended().map_or(0, |end| match &end.outcome {
            Outcome::Succeeded { output } => output.to_string().len(),
            Outcome::Failed { error, cause } | Outcome::TimedOut { error, cause } => error.len() + cause.len(),
            _ => 0,
        });
        self.input.len() + output + 512
    }
}

/// A status with what belongs to it: output, or error and cause.
pub(super) fn describe(outcome: &Outcome) -> (&'static str, Vec<(&'static str, Value)>) {
    let failure = |error: &String, cause: &String| {
        let fields = [("error", error), ("cause", cause)];
        fields
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| (name, text.as_str().into()))
            .collect()
    };
    match outcome {
        Outcome::Succeeded { output } => ("SUCCEEDED", vec![("output", output.to_string().into())]),
        Outcome::Failed { error, cause } => ("FAILED", failure(error, cause)),
        Outcome::TimedOut { error, cause } => ("TIMED_OUT", failure(error, cause)),
        _ => ("FAILED", Vec::new()),
    }
}
