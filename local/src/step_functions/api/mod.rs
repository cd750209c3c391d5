//! The API of Step Functions: AWS JSON 1.0. The operation is in `X-Amz-Target`, errors are a 400 with `__type`.

mod definitions;
mod executions;
mod history;
mod machines;
mod request;
mod tags;
mod test_state;

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};

use super::{StepFunctions, StepFunctionsError};
use crate::http::{Reply, reply};

pub(crate) use request::Request;

/// What `X-Amz-Target` begins with.
pub(crate) const TARGET: &str = "AWSStepFunctions.";
/// The most bytes of a request: a definition of a megabyte, escaped.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

const JSON: &str = "application/x-amz-json-1.0";

impl StepFunctions {
    /// Answers one request.
    pub(crate) async fn answer(&self, operation: &str, body: &Bytes) -> Reply {
        let answer = match Request::parse(body) {
            Ok(request) => self.dispatch(operation, &request).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(value) => reply(StatusCode::OK, JSON, value.to_string()),
            Err(error) => {
                tracing::debug!(operation, error = error.name(), "refused");
                refuse(error.name(), &error.to_string())
            }
        }
    }

    async fn dispatch(&self, operation: &str, request: &Request) -> Result<Value, StepFunctionsError> {
        match operation {
            "CreateStateMachine" => machines::create(self, request),
            "DescribeStateMachine" => machines::describe(self, request),
            "UpdateStateMachine" => machines::update(self, request),
            "DeleteStateMachine" => machines::delete(self, request),
            "ListStateMachines" => machines::list(self, request),
            "ValidateStateMachineDefinition" => definitions::validate(self, request),
            "TestState" => test_state::run(self, request).await,
            "TagResource" => tags::add(self, request),
            "UntagResource" => tags::remove(self, request),
            "ListTagsForResource" => tags::list(self, request),
            "StartSyncExecution" => executions::start_sync(self, request).await,
            "StartExecution" => executions::start(self, request),
            "DescribeExecution" => executions::describe(self, request),
            "DescribeStateMachineForExecution" => executions::describe_machine(self, request),
            "StopExecution" => executions::stop(self, request).await,
            "ListExecutions" => executions::list(self, request),
            "GetExecutionHistory" => history::get(self, request),
            _ => Err(StepFunctionsError::UnknownOperation {
                operation: operation.to_owned(),
            }),
        }
    }
}

/// An error of the protocol.
pub(crate) fn refuse(name: &str, message: &str) -> Reply {
    reply(
        StatusCode::BAD_REQUEST,
        JSON,
        json!({ "__type": name, "message": message }).to_string(),
    )
}
