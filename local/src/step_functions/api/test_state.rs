//! TestState (<https://docs.aws.amazon.com/step-functions/latest/apireference/API_TestState.html>).

use std::time::Duration;

use serde_json::{Value, json};
use states_language::{Mock, StateTest, SystemClock, TestRefused, Tested, test_state};

use super::machines::definition;
use super::request::Request;
use crate::step_functions::arn::Arns;
use crate::step_functions::service::read_input;
use crate::step_functions::{StepFunctions, StepFunctionsError};

/// The longest that a test runs.
const LIMIT: Duration = Duration::from_secs(300);
/// The most characters of a mocked error and its cause.
const ERROR_CHARS: usize = 256;
const CAUSE_CHARS: usize = 32_768;
/// What is not for what this engine does: variables and distributed Maps.
const UNSUPPORTED: [&str; 3] = ["mapItemReaderData", "mapIterationFailureCount", "errorCausedByState"];

pub(super) async fn run(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let definition = definition(request)?.ok_or_else(|| StepFunctionsError::missing("definition"))?;
    request.text("roleArn")?.map_or(Ok(()), Arns::check_role)?;
    let level = level(request)?;
    let state = request.text("stateName")?;
    let test = test(request)?;
    let machine = sfn
        .machines
        .parse_for_test(&definition, state.is_none(), test.mock.is_some())?;
    let tested = test_state(&machine, state, test, &sfn.tasks, &SystemClock);
    match tokio::time::timeout(LIMIT, tested).await {
        Ok(tested) => Ok(tell(&tested?, level)),
        Err(_) => Ok(json!({ "status": "FAILED", "error": "States.Timeout" })),
    }
}

/// How much somebody wants to know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Info,
    /// `TRACE` adds only what HTTP Tasks have, and there are none here.
    Debug,
}

fn level(request: &Request) -> Result<Level, StepFunctionsError> {
    match request.text("inspectionLevel")? {
        None | Some("INFO") => Ok(Level::Info),
        Some("DEBUG" | "TRACE") => Ok(Level::Debug),
        Some(_) => Err(StepFunctionsError::constraint(
            "inspectionLevel",
            "Member must satisfy enum value set: [INFO, DEBUG, TRACE]",
        )),
    }
}

fn test(request: &Request) -> Result<StateTest, StepFunctionsError> {
    if request.has("variables") {
        let constraint = "variables are not supported here";
        return Err(StepFunctionsError::constraint("variables", constraint));
    }
    let mock = mock(request)?;
    let context = request
        .text("context")?
        .map(|text| json_of("context", text))
        .transpose()?;
    if context.is_some() && mock.is_none() {
        let constraint = "Member must be null unless a mock is specified";
        return Err(StepFunctionsError::constraint("context", constraint));
    }
    let mut retry_count = 0;
    if let Some(configuration) = request.object("stateConfiguration")? {
        if let Some(field) = UNSUPPORTED.iter().find(|field| configuration.has(field)) {
            return Err(StepFunctionsError::constraint(field, "it is not supported here"));
        }
        retry_count = configuration.count("retrierRetryCount")?.unwrap_or_default();
    }
    Ok(StateTest {
        input: read_input(request.text("input")?.unwrap_or("{}"))?,
        context,
        mock,
        retry_count: u32::try_from(retry_count).unwrap_or(u32::MAX),
    })
}

fn mock(request: &Request) -> Result<Option<Mock>, StepFunctionsError> {
    let Some(mock) = request.object("mock")? else {
        return Ok(None);
    };
    match (mock.text("result")?, mock.object("errorOutput")?) {
        (Some(result), None) => Ok(Some(Mock::Result(json_of("mock.result", result)?))),
        (None, Some(output)) => {
            let error = output
                .short_text("error", ERROR_CHARS)?
                .ok_or_else(|| StepFunctionsError::missing("mock.errorOutput.error"))?;
            let cause = output.short_text("cause", CAUSE_CHARS)?.unwrap_or_default();
            Ok(Some(Mock::Error {
                error: error.to_owned(),
                cause: cause.to_owned(),
            }))
        }
        _ => Err(StepFunctionsError::constraint(
            "mock",
            "Member must have one of result and errorOutput",
        )),
    }
}

fn json_of(field: &str, text: &str) -> Result<Value, StepFunctionsError> {
    serde_json::from_str(text).map_err(|_| StepFunctionsError::constraint(field, "Member must be JSON"))
}

fn tell(tested: &Tested, level: Level) -> Value {
    let mut told = json!({ "status": tested.status.as_str() });
    let output = tested.output.as_ref().map(Value::to_string);
    for (name, text) in [
        ("output", &output),
        ("error", &tested.error),
        ("cause", &tested.cause),
        ("nextState", &tested.next_state),
    ] {
        if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
            told[name] = text.as_str().into();
        }
    }
    if level == Level::Debug {
        // It is made of texts and numbers alone.
        told["inspectionData"] = serde_json::to_value(&tested.inspection).unwrap_or_default();
    }
    told
}

impl From<TestRefused> for StepFunctionsError {
    fn from(refused: TestRefused) -> Self {
        let problem = refused.to_string();
        match refused {
            TestRefused::MockRequired => Self::NotTestable { problem },
            _ => Self::Validation { problem },
        }
    }
}
