//! The optimised integrations: what a Task's `Resource` does, with AWS's results and AWS's error names.

mod dynamodb;
mod events;
mod lambda;
mod lambda_endpoint;
mod sdk;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use states_language::{TaskError, TaskRequest, Tasks};

pub use events::EventBus;
pub(crate) use lambda::Functions;
pub(crate) use lambda_endpoint::LambdaEndpoint;

use crate::dynamodb::DynamoDb;

/// Everything that a Task can reach.
#[derive(Clone, Debug)]
pub(crate) struct Integrations {
    pub(crate) dynamodb: Arc<DynamoDb>,
    pub(crate) functions: Functions,
    pub(crate) events: Arc<EventBus>,
}

/// The integrations, by the name that follows `arn:aws:states:::`; and functions by their own ARN.
#[derive(Clone, Copy)]
enum Integration<'a> {
    DynamoDb(&'static str),
    LambdaInvoke,
    Function(&'a str),
    PutEvents,
}

impl<'a> Integration<'a> {
    fn of(resource: &'a str) -> Option<Self> {
        if lambda::is_function(resource) {
            return Some(Self::Function(resource));
        }
        Some(match resource.strip_prefix("arn:aws:states:::")? {
            "dynamodb:getItem" => Self::DynamoDb("GetItem"),
            "dynamodb:putItem" => Self::DynamoDb("PutItem"),
            "dynamodb:updateItem" => Self::DynamoDb("UpdateItem"),
            "dynamodb:deleteItem" => Self::DynamoDb("DeleteItem"),
            "lambda:invoke" => Self::LambdaInvoke,
            "events:putEvents" => Self::PutEvents,
            _ => return None,
        })
    }
}

/// Whether a Task with this `Resource` can run.
pub(crate) fn supports(resource: &str) -> bool {
    Integration::of(resource).is_some()
}

/// Whether a Task with this `Resource` can run where any state may be mocked.
pub(crate) fn supports_mocked(resource: &str) -> bool {
    resource.starts_with("arn:")
}

#[async_trait]
impl Tasks for Integrations {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        match Integration::of(task.resource) {
            Some(Integration::DynamoDb(operation)) => dynamodb::run(&self.dynamodb, operation, task.parameters).await,
            Some(Integration::LambdaInvoke) => self.functions.invoke(&task.parameters).await,
            Some(Integration::Function(arn)) => self.functions.call(arn, &task.parameters).await,
            Some(Integration::PutEvents) => self.events.put(&task.parameters, task.execution),
            // Such a machine can't be created, except where the state may be mocked.
            None => Err(TaskError::new(
                "States.Runtime",
                format!(
                    "{} is not supported here, and no test case mocks the state",
                    task.resource
                ),
            )),
        }
    }
}
