//! The optimised integrations: what a Task's `Resource` does, with AWS's results and AWS's error names.

mod dynamodb;
mod events;
mod lambda;
mod sdk;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use states_language::{TaskError, TaskRequest, Tasks};

pub use events::EventBus;

use crate::dynamodb::DynamoDb;
use crate::lambda_host::LambdaHost;

/// Everything that a Task can reach.
#[derive(Clone, Debug)]
pub(crate) struct Integrations {
    pub(crate) dynamodb: Arc<DynamoDb>,
    pub(crate) lambda: Arc<LambdaHost>,
    pub(crate) events: Arc<EventBus>,
}

/// The integrations by the name that follows `arn:aws:states:::`.
#[derive(Clone, Copy)]
enum Integration {
    DynamoDb(&'static str),
    LambdaInvoke,
    PutEvents,
}

impl Integration {
    fn of(resource: &str) -> Option<Self> {
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

#[async_trait]
impl Tasks for Integrations {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        match Integration::of(task.resource) {
            Some(Integration::DynamoDb(operation)) => dynamodb::run(&self.dynamodb, operation, task.parameters).await,
            Some(Integration::LambdaInvoke) => lambda::run(&self.lambda, &task.parameters).await,
            Some(Integration::PutEvents) => self.events.put(&task.parameters, task.execution),
            // Such a machine can't be created.
            None => Err(TaskError::new(
                "States.Runtime",
                format!("{} is not supported", task.resource),
            )),
        }
    }
}
