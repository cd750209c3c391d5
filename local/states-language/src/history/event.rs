//! An event of a history, and which one AWS has for each of the engine's own.

use serde::{Serialize, Serializer};
use time::OffsetDateTime;

use super::Resource;
use super::details::{
    DataDetails, Details, Entered, Exited, Iteration, MapStarted, ResourceScheduled, Started, TaskFailed, TaskResource,
    TaskScheduled, TaskSucceeded, failed, output, whole_seconds,
};
use crate::{Event, StateKind};

/// One event, as `GetExecutionHistory` returns it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEvent {
    /// When; serialised as seconds since 1970 with a fraction.
    #[serde(serialize_with = "epoch_seconds")]
    pub timestamp: OffsetDateTime,
    /// Its type: `TaskStateEntered`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Counted from 1.
    pub id: u64,
    /// The event that it followed on its branch.
    pub previous_event_id: u64,
    /// The details field that belongs to the type, if it has one.
    #[serde(flatten)]
    pub details: Option<Details>,
}

impl HistoryEvent {
    /// The same without payloads: what `includeExecutionData: false` asks for.
    #[must_use]
    pub fn without_data(mut self) -> Self {
        if let Some(details) = &mut self.details {
            details.without_data();
        }
        self
    }
}

fn epoch_seconds<S: Serializer>(at: &OffsetDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    #[allow(clippy::cast_precision_loss, reason = "milliseconds fit a double for 285,000 years")]
    let milliseconds = (at.unix_timestamp_nanos() / 1_000_000) as f64;
    serializer.serialize_f64(milliseconds / 1000.0)
}

/// AWS's type and details for an event of the engine; none when AWS has no event for it.
pub(super) fn translate(event: &Event<'_>, region: &str) -> Option<(&'static str, Option<Details>)> {
    let translated = match *event {
        Event::ExecutionStarted { input, role_arn } => (
            "ExecutionStarted",
            Some(Details::ExecutionStarted(Started {
                input: Some(input.to_string()),
                input_details: Some(DataDetails::default()),
                role_arn: role_arn.to_owned(),
            })),
        ),
        Event::ExecutionSucceeded { output: value } => {
            ("ExecutionSucceeded", Some(Details::ExecutionSucceeded(output(value))))
        }
        Event::ExecutionFailed { error, cause } => {
            ("ExecutionFailed", Some(Details::ExecutionFailed(failed(error, cause))))
        }
        Event::ExecutionTimedOut { error, cause } => (
            "ExecutionTimedOut",
            Some(Details::ExecutionTimedOut(failed(error, cause))),
        ),
        Event::StateEntered { state, kind, input } => (
            entered(kind),
            Some(Details::StateEntered(Entered {
                name: state.to_owned(),
                input: Some(input.to_string()),
                input_details: Some(DataDetails::default()),
            })),
        ),
        Event::StateExited { state, kind, output } => (
            exited(kind),
            Some(Details::StateExited(Exited {
                name: state.to_owned(),
                output: Some(output.to_string()),
                output_details: Some(DataDetails::default()),
            })),
        ),
        Event::TaskScheduled { .. }
        | Event::TaskStarted { .. }
        | Event::TaskSucceeded { .. }
        | Event::TaskFailed { .. }
        | Event::TaskTimedOut { .. } => return task(event, region),
        Event::ParallelStarted { .. } => ("ParallelStateStarted", None),
        Event::ParallelSucceeded { .. } => ("ParallelStateSucceeded", None),
        Event::ParallelFailed { .. } => ("ParallelStateFailed", None),
        Event::MapStarted { length, .. } => ("MapStateStarted", Some(Details::MapStateStarted(MapStarted { length }))),
        Event::MapSucceeded { .. } => ("MapStateSucceeded", None),
        Event::MapFailed { .. } => ("MapStateFailed", None),
        Event::IterationStarted { state, index } => (
            "MapIterationStarted",
            Some(Details::MapIterationStarted(iteration(state, index))),
        ),
        Event::IterationSucceeded { state, index } => (
            "MapIterationSucceeded",
            Some(Details::MapIterationSucceeded(iteration(state, index))),
        ),
        Event::IterationFailed { state, index } => (
            "MapIterationFailed",
            Some(Details::MapIterationFailed(iteration(state, index))),
        ),
        Event::IterationAborted { state, index } => (
            "MapIterationAborted",
            Some(Details::MapIterationAborted(iteration(state, index))),
        ),
        Event::StateAborted { kind, .. } => (aborted(kind)?, None),
        Event::ChoiceTaken { .. } | Event::Retried { .. } | Event::Caught { .. } => return None,
    };
    Some(translated)
}

/// A Task's attempt: a service's events, or those that Lambda functions and activities have for themselves.
fn task(event: &Event<'_>, region: &str) -> Option<(&'static str, Option<Details>)> {
    let (Event::TaskScheduled { resource, .. }
    | Event::TaskStarted { resource, .. }
    | Event::TaskSucceeded { resource, .. }
    | Event::TaskFailed { resource, .. }
    | Event::TaskTimedOut { resource, .. }) = *event
    else {
        return None;
    };
    let parsed = Resource::of(resource);
    let task = match parsed {
        Resource::Integration { service, operation } => Some(TaskResource {
            resource_type: service.to_owned(),
            resource: operation.to_owned(),
        }),
        Resource::Function(_) | Resource::Activity(_) => None,
    };
    let is_function = matches!(parsed, Resource::Function(_));
    let translated = match (*event, task) {
        (
            Event::TaskScheduled {
                parameters,
                timeout,
                heartbeat,
                ..
            },
            Some(task),
        ) => (
            "TaskScheduled",
            Some(Details::TaskScheduled(TaskScheduled {
                task,
                region: region.to_owned(),
                parameters: Some(parameters.to_string()),
                timeout_in_seconds: whole_seconds(timeout),
                heartbeat_in_seconds: whole_seconds(heartbeat),
            })),
        ),
        (Event::TaskStarted { .. }, Some(task)) => ("TaskStarted", Some(Details::TaskStarted(task))),
        (Event::TaskSucceeded { output: value, .. }, Some(task)) => (
            "TaskSucceeded",
            Some(Details::TaskSucceeded(TaskSucceeded {
                task,
                output: output(value),
            })),
        ),
        (Event::TaskFailed { error, cause, .. }, Some(task)) => (
            "TaskFailed",
            Some(Details::TaskFailed(TaskFailed {
                task,
                failed: failed(error, cause),
            })),
        ),
        (Event::TaskTimedOut { error, cause, .. }, Some(task)) => (
            "TaskTimedOut",
            Some(Details::TaskTimedOut(TaskFailed {
                task,
                failed: failed(error, cause),
            })),
        ),
        (
            Event::TaskScheduled {
                parameters,
                timeout,
                heartbeat,
                ..
            },
            None,
        ) => {
            let scheduled = ResourceScheduled {
                resource: resource.to_owned(),
                input: Some(parameters.to_string()),
                input_details: Some(DataDetails::default()),
                timeout_in_seconds: whole_seconds(timeout),
                heartbeat_in_seconds: whole_seconds(heartbeat).filter(|_| !is_function),
            };
            if is_function {
                (
                    "LambdaFunctionScheduled",
                    Some(Details::LambdaFunctionScheduled(scheduled)),
                )
            } else {
                ("ActivityScheduled", Some(Details::ActivityScheduled(scheduled)))
            }
        }
        (Event::TaskStarted { .. }, None) if is_function => ("LambdaFunctionStarted", None),
        (Event::TaskStarted { .. }, None) => ("ActivityStarted", None),
        (Event::TaskSucceeded { output: value, .. }, None) if is_function => (
            "LambdaFunctionSucceeded",
            Some(Details::LambdaFunctionSucceeded(output(value))),
        ),
        (Event::TaskSucceeded { output: value, .. }, None) => {
            ("ActivitySucceeded", Some(Details::ActivitySucceeded(output(value))))
        }
        (Event::TaskFailed { error, cause, .. }, None) if is_function => (
            "LambdaFunctionFailed",
            Some(Details::LambdaFunctionFailed(failed(error, cause))),
        ),
        (Event::TaskFailed { error, cause, .. }, None) => {
            ("ActivityFailed", Some(Details::ActivityFailed(failed(error, cause))))
        }
        (Event::TaskTimedOut { error, cause, .. }, None) if is_function => (
            "LambdaFunctionTimedOut",
            Some(Details::LambdaFunctionTimedOut(failed(error, cause))),
        ),
        (Event::TaskTimedOut { error, cause, .. }, None) => (
            "ActivityTimedOut",
            Some(Details::ActivityTimedOut(failed(error, cause))),
        ),
        _ => return None,
    };
    Some(translated)
}

fn iteration(state: &str, index: usize) -> Iteration {
    Iteration {
        name: state.to_owned(),
        index,
    }
}

fn entered(kind: StateKind) -> &'static str {
    match kind {
        StateKind::Pass => "PassStateEntered",
        StateKind::Task => "TaskStateEntered",
        StateKind::Choice => "ChoiceStateEntered",
        StateKind::Wait => "WaitStateEntered",
        StateKind::Parallel => "ParallelStateEntered",
        StateKind::Map => "MapStateEntered",
        StateKind::Succeed => "SucceedStateEntered",
        StateKind::Fail => "FailStateEntered",
    }
}

fn exited(kind: StateKind) -> &'static str {
    match kind {
        StateKind::Pass => "PassStateExited",
        StateKind::Task => "TaskStateExited",
        StateKind::Choice => "ChoiceStateExited",
        StateKind::Wait => "WaitStateExited",
        StateKind::Parallel => "ParallelStateExited",
        StateKind::Map => "MapStateExited",
        // A Fail never exits.
        StateKind::Succeed | StateKind::Fail => "SucceedStateExited",
    }
}

fn aborted(kind: StateKind) -> Option<&'static str> {
    match kind {
        StateKind::Task => Some("TaskStateAborted"),
        StateKind::Wait => Some("WaitStateAborted"),
        StateKind::Parallel => Some("ParallelStateAborted"),
        StateKind::Map => Some("MapStateAborted"),
        StateKind::Pass | StateKind::Choice | StateKind::Succeed | StateKind::Fail => None,
    }
}
