//! What an event of a history tells besides its type: fields named and shaped as in AWS's API.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html>

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// The one details field of an event, under its own name: `{"stateEnteredEventDetails": {…}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the API's own structures, linked above")]
pub enum Details {
    #[serde(rename = "executionStartedEventDetails")]
    ExecutionStarted(Started),
    #[serde(rename = "executionSucceededEventDetails")]
    ExecutionSucceeded(Output),
    #[serde(rename = "executionFailedEventDetails")]
    ExecutionFailed(Failed),
    #[serde(rename = "executionTimedOutEventDetails")]
    ExecutionTimedOut(Failed),
    #[serde(rename = "executionAbortedEventDetails")]
    ExecutionAborted(Failed),
    #[serde(rename = "stateEnteredEventDetails")]
    StateEntered(Entered),
    #[serde(rename = "stateExitedEventDetails")]
    StateExited(Exited),
    #[serde(rename = "taskScheduledEventDetails")]
    TaskScheduled(TaskScheduled),
    #[serde(rename = "taskStartedEventDetails")]
    TaskStarted(TaskResource),
    #[serde(rename = "taskSucceededEventDetails")]
    TaskSucceeded(TaskSucceeded),
    #[serde(rename = "taskFailedEventDetails")]
    TaskFailed(TaskFailed),
    #[serde(rename = "taskTimedOutEventDetails")]
    TaskTimedOut(TaskFailed),
    #[serde(rename = "lambdaFunctionScheduledEventDetails")]
    LambdaFunctionScheduled(ResourceScheduled),
    #[serde(rename = "lambdaFunctionSucceededEventDetails")]
    LambdaFunctionSucceeded(Output),
    #[serde(rename = "lambdaFunctionFailedEventDetails")]
    LambdaFunctionFailed(Failed),
    #[serde(rename = "lambdaFunctionTimedOutEventDetails")]
    LambdaFunctionTimedOut(Failed),
    #[serde(rename = "activityScheduledEventDetails")]
    ActivityScheduled(ResourceScheduled),
    #[serde(rename = "activitySucceededEventDetails")]
    ActivitySucceeded(Output),
    #[serde(rename = "activityFailedEventDetails")]
    ActivityFailed(Failed),
    #[serde(rename = "activityTimedOutEventDetails")]
    ActivityTimedOut(Failed),
    #[serde(rename = "mapStateStartedEventDetails")]
    MapStateStarted(MapStarted),
    #[serde(rename = "mapIterationStartedEventDetails")]
    MapIterationStarted(Iteration),
    #[serde(rename = "mapIterationSucceededEventDetails")]
    MapIterationSucceeded(Iteration),
    #[serde(rename = "mapIterationFailedEventDetails")]
    MapIterationFailed(Iteration),
    #[serde(rename = "mapIterationAbortedEventDetails")]
    MapIterationAborted(Iteration),
}

/// Beside a payload: whether it was cut. It never is, as in AWS's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DataDetails {
    /// Always false.
    pub truncated: bool,
}

macro_rules! details {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "camelCase")]
        #[allow(missing_docs, reason = "the API's own fields, linked above; payloads are JSON as text")]
        pub struct $name { $($(#[$field_attribute])* pub $field: $type,)* }
    )*};
}

details! {
    /// `executionStartedEventDetails`.
    Started {
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_details: Option<DataDetails>,
        role_arn: String,
    }
    /// An output.
    Output {
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        output_details: Option<DataDetails>,
    }
    /// An error and its cause; empty ones are left out.
    Failed {
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    }
    /// `stateEnteredEventDetails`.
    Entered {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_details: Option<DataDetails>,
    }
    /// `stateExitedEventDetails`.
    Exited {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        output_details: Option<DataDetails>,
    }
    /// `taskScheduledEventDetails`.
    TaskScheduled {
        #[serde(flatten)]
        task: TaskResource,
        region: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        parameters: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_in_seconds: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        heartbeat_in_seconds: Option<u64>,
    }
    /// A service (`lambda`) and its operation (`invoke`).
    TaskResource {
        resource_type: String,
        resource: String,
    }
    /// `taskSucceededEventDetails`.
    TaskSucceeded {
        #[serde(flatten)]
        task: TaskResource,
        #[serde(flatten)]
        output: Output,
    }
    /// `taskFailedEventDetails` and `taskTimedOutEventDetails`.
    TaskFailed {
        #[serde(flatten)]
        task: TaskResource,
        #[serde(flatten)]
        failed: Failed,
    }
    /// `lambdaFunctionScheduledEventDetails` and `activityScheduledEventDetails`.
    ResourceScheduled {
        resource: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_details: Option<DataDetails>,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_in_seconds: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        heartbeat_in_seconds: Option<u64>,
    }
    /// `mapStateStartedEventDetails`.
    MapStarted {
        length: usize,
    }
    /// Which iteration of which Map.
    Iteration {
        name: String,
        index: usize,
    }
}

impl Details {
    /// Takes the payloads out, as `includeExecutionData: false` asks for.
    pub(super) fn without_data(&mut self) {
        match self {
            Self::ExecutionStarted(Started {
                input, input_details, ..
            })
            | Self::StateEntered(Entered {
                input, input_details, ..
            })
            | Self::LambdaFunctionScheduled(ResourceScheduled {
                input, input_details, ..
            })
            | Self::ActivityScheduled(ResourceScheduled {
                input, input_details, ..
            }) => {
                *input = None;
                *input_details = None;
            }
            Self::ExecutionSucceeded(Output { output, output_details })
            | Self::LambdaFunctionSucceeded(Output { output, output_details })
            | Self::ActivitySucceeded(Output { output, output_details })
            | Self::StateExited(Exited {
                output, output_details, ..
            })
            | Self::TaskSucceeded(TaskSucceeded {
                output: Output { output, output_details },
                ..
            }) => {
                *output = None;
                *output_details = None;
            }
            Self::TaskScheduled(scheduled) => scheduled.parameters = None,
            _ => {}
        }
    }
}

pub(super) fn failed(error: &str, cause: &str) -> Failed {
    let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Failed {
        error: told(error),
        cause: told(cause),
    }
}

pub(super) fn output(output: &Value) -> Output {
    Output {
        output: Some(output.to_string()),
        output_details: Some(DataDetails::default()),
    }
}

pub(super) fn whole_seconds(time: Option<Duration>) -> Option<u64> {
    time.map(|time| time.as_secs())
}
