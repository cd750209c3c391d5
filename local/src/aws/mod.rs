//! The port for AWS SDKs and the CLI: Step Functions, DynamoDB and Lambda Invoke behind one address, as an SDK finds them
//! with `AWS_ENDPOINT_URL`. Signatures are not checked, and any host name will do (the SDKs put `sync-` before the host of
//! StartSyncExecution). Beside them are routes of our own under `/_local/`.

mod invoke;
mod local;

use std::sync::Arc;

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;

use crate::dynamodb::DynamoDb;
use crate::http::{BodyError, Reply, json as json_reply, read};
use crate::integrations::EventBus;
use crate::lambda_host::LambdaHost;
use crate::step_functions::{StepFunctions, api};

/// What answers behind the port.
#[derive(Clone, Debug)]
pub(crate) struct AwsPort {
    pub(crate) step_functions: Arc<StepFunctions>,
    pub(crate) dynamodb: Arc<DynamoDb>,
    pub(crate) lambda: Arc<LambdaHost>,
    pub(crate) events: Arc<EventBus>,
}

/// The service that a request is for.
enum Service {
    StepFunctions(String),
    DynamoDb,
    Invoke,
    Local,
    Unknown,
}

impl Service {
    fn of(request: &Request<Incoming>) -> Self {
        let target = request
            .headers()
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok());
        let path = request.uri().path();
        match target {
            Some(target) if target.starts_with(api::TARGET) => {
                Self::StepFunctions(target[api::TARGET.len()..].to_owned())
            }
            Some(target) if target.starts_with("DynamoDB") => Self::DynamoDb,
            None if path.starts_with(invoke::PREFIX) => Self::Invoke,
            None if path.starts_with(local::PREFIX) => Self::Local,
            _ => Self::Unknown,
        }
    }
}

impl AwsPort {
    /// Answers one request, with an id as every service of AWS does.
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Reply {
        let mut reply = match Service::of(&request) {
            Service::StepFunctions(operation) => self.step_functions(&operation, request).await,
            Service::DynamoDb => self.dynamodb.forward(request).await,
            Service::Invoke => invoke::answer(&self.lambda, request).await,
            Service::Local => local::answer(&self, &request),
            Service::Unknown => unknown(),
        };
        if let Ok(id) = uuid::Uuid::new_v4().to_string().parse() {
            reply.headers_mut().entry("x-amzn-requestid").or_insert(id);
        }
        reply
    }

    async fn step_functions(&self, operation: &str, request: Request<Incoming>) -> Reply {
        if request.method() != Method::POST {
            return unknown();
        }
        match read(request.into_body(), api::BODY_LIMIT).await {
            Ok(body) => self.step_functions.answer(operation, &body).await,
            Err(error @ BodyError::TooLarge { .. }) => api::refuse("ValidationException", &error.to_string()),
            Err(error @ BodyError::Broken) => api::refuse("SerializationException", &error.to_string()),
        }
    }
}

fn unknown() -> Reply {
    let message =
        "Stepbreaker's local AWS knows Step Functions, DynamoDB, and Invoke of Lambda; this request is for none";
    json_reply(
        StatusCode::NOT_FOUND,
        &json!({ "__type": "UnknownOperationException", "message": message }),
    )
}
