//! One state of a definition, tried out: the core of TestState.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_TestState.html>

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::definition::STATE_NAME;
use crate::run::trial;
use crate::{Clock, Machine, StateKind, Tasks};

/// What a state is tested with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateTest {
    /// The state's input.
    pub input: Value,
    /// The context object. Without a `State` in it the state's own is added; without any, the execution's fields are
    /// empty.
    pub context: Option<Value>,
    /// What the work comes to, instead of doing it.
    pub mock: Option<Mock>,
    /// `retrierRetryCount`: how often the retrier that takes the error was used before.
    pub retry_count: u32,
}

/// What the work of a Task, Parallel or Map comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Mock {
    /// A result, before `ResultSelector`. For a Parallel an array with an item per branch; for a Map an array.
    Result(Value),
    /// An error.
    Error {
        /// Its name.
        error: String,
        /// Its cause.
        cause: String,
    },
}

/// What a state came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested {
    /// How it ended.
    pub status: TestStatus,
    /// Its output; none after an error that nothing caught.
    pub output: Option<Value>,
    /// The error's name, also of one that was caught or would be retried.
    pub error: Option<String>,
    /// The error's cause.
    pub cause: Option<String>,
    /// Where the execution would go.
    pub next_state: Option<String>,
    /// What the payload was on its way. TestState tells it from inspection level DEBUG on.
    pub inspection: Inspection,
}

/// How a tested state ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestStatus {
    /// With an output.
    Succeeded,
    /// With an error.
    Failed,
    /// With an error that a retrier takes.
    Retriable,
    /// With an error that a catcher takes.
    CaughtError,
}

impl TestStatus {
    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Retriable => "RETRIABLE",
            Self::CaughtError => "CAUGHT_ERROR",
        }
    }
}

/// `inspectionData`: the payload after each step, as far as the state got; serialised as the API does, payloads as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The raw input.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// After `InputPath`.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_input_path: Option<Value>,
    /// After `Parameters`.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_parameters: Option<Value>,
    /// After `ItemsPath`, for a Map that has one.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_items_path: Option<Value>,
    /// Each item after `ItemSelector`, for a Map that has one.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_item_selector: Option<Value>,
    /// The work's result, or a Pass state's `Result`.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// After `ResultSelector`.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_result_selector: Option<Value>,
    /// After `ResultPath`.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub after_result_path: Option<Value>,
    /// A Map's `MaxConcurrency`; 0 when it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<usize>,
    /// Which retrier or catcher took the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_details: Option<ErrorDetails>,
}

/// What became of an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetails {
    /// The catcher's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_index: Option<usize>,
    /// The retrier's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_index: Option<usize>,
    /// How long until the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_backoff_interval_seconds: Option<u64>,
}

fn as_text<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&value.as_ref().unwrap_or(&Value::Null))
}

/// Why a state is not tested: AWS's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TestRefused {
    /// `ValidationException`.
    #[error("State '{state}' not found in the definition")]
    NoSuchState {
        /// The name asked for.
        state: String,
    },
    /// `InvalidDefinition`: a Parallel or Map without a mock.
    #[error(
        "TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]"
    )]
    MockRequired,
    /// `ValidationException`.
    #[error("State type '{kind}' is not supported when a mock is specified")]
    MockNotTaken {
        /// The state's type.
        kind: StateKind,
    },
    /// `ValidationException`.
    #[error("Mocked result must be an array.")]
    MockNoArray,
    /// `ValidationException`.
    #[error("Mocked result must contain the same number of items as number of Parallel branches.")]
    MockLength,
}

/// Runs one state, once: a retry is only told of.
///
/// `state` is any state of the machine, also one inside a Parallel or Map; without a name it is the first. A mocked
/// Task never reaches `tasks`. Time-outs hold by the clock, and a Wait waits.
///
/// # Errors
/// The test can't be made.
pub async fn test_state(
    machine: &Machine,
    state: Option<&str>,
    test: StateTest,
    tasks: &dyn Tasks,
    clock: &dyn Clock,
) -> Result<Tested, TestRefused> {
    let root = &machine.definition().graph;
    let name = state.unwrap_or_else(|| root.states.get(root.start).map_or(STATE_NAME, |start| &start.name));
    let (graph, state) = root
        .find(name)
        .ok_or_else(|| TestRefused::NoSuchState { state: name.to_owned() })?;
    check_mock(state.kind(), state.graphs().len(), test.mock.as_ref())?;
    Ok(trial(graph, state, test, tasks, clock).await)
}

fn check_mock(kind: StateKind, branches: usize, mock: Option<&Mock>) -> Result<(), TestRefused> {
    match (kind, mock) {
        (StateKind::Task, _) => Ok(()),
        (StateKind::Parallel | StateKind::Map, None) => Err(TestRefused::MockRequired),
        (StateKind::Parallel | StateKind::Map, Some(Mock::Error { .. })) => Ok(()),
        (StateKind::Parallel | StateKind::Map, Some(Mock::Result(result))) => match result.as_array() {
            None => Err(TestRefused::MockNoArray),
            Some(items) if kind == StateKind::Parallel && items.len() != branches => Err(TestRefused::MockLength),
            Some(_) => Ok(()),
        },
        (_, None) => Ok(()),
        (kind, Some(_)) => Err(TestRefused::MockNotTaken { kind }),
    }
}
