//! The Runtime API of one process: what the function's runtime talks to.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::PAYLOAD_LIMIT;
use super::function::Function;
use super::process::Process;
use crate::http::{BodyError, Reply, json as json_reply, read, reply};

const PREFIX: &str = "/2018-06-01/runtime/";
const ERROR_TYPE_HEADER: &str = "lambda-runtime-function-error-type";

/// Both ends of one listener: whose processes, and which one.
#[derive(Clone, Debug)]
pub(super) struct RuntimeApi {
    pub(super) function: Arc<Function>,
    pub(super) process: Arc<Process>,
}

impl RuntimeApi {
    pub(super) async fn answer(self, request: Request<Incoming>) -> Reply {
        let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().to_owned();
        match (request.method(), path.split('/').collect::<Vec<_>>().as_slice()) {
            (&Method::GET, ["invocation", "next"]) => self.next().await,
            (&Method::POST, ["invocation", id, "response"]) => self.response(id, request).await,
            (&Method::POST, ["invocation", id, "error"]) => self.error(id, request).await,
            (&Method::POST, ["init", "error"]) => self.init_error(request).await,
            _ => json_reply(
                StatusCode::NOT_FOUND,
                &json!({ "errorMessage": "Not found", "errorType": "NotFound" }),
            ),
        }
    }

    async fn next(self) -> Reply {
        let (request_id, payload) = self.process.next().await;
        let mut answer = reply(StatusCode::OK, "application/json", payload);
        describe(answer.headers_mut(), &request_id, &self.function);
        answer
    }

    async fn response(self, request_id: &str, request: Request<Incoming>) -> Reply {
        let body = read(request.into_body(), PAYLOAD_LIMIT).await;
        // The job leaves its slot only once the answer is here: a process that dies while it sends still owes one.
        let job = match &body {
            Err(BodyError::Broken) => None,
            Ok(_) | Err(BodyError::TooLarge { .. }) => self.process.finish(request_id),
        };
        let Some(job) = job else { return unknown_request() };
        self.function.release(&self.process);
        match body {
            Ok(payload) => {
                job.succeed(payload);
                accepted()
            }
            Err(_) => {
                job.too_large();
                let error = json!({
                    "errorMessage": "Exceeded maximum allowed payload size (6291456 bytes).",
                    "errorType": "RequestEntityTooLarge",
                });
                json_reply(StatusCode::PAYLOAD_TOO_LARGE, &error)
            }
        }
    }

    async fn error(self, request_id: &str, request: Request<Incoming>) -> Reply {
        let error = error_object(request).await;
        let Some(job) = self.process.finish(request_id) else {
            return unknown_request();
        };
        self.function.release(&self.process);
        job.fail(error);
        accepted()
    }

    async fn init_error(self, request: Request<Incoming>) -> Reply {
        let error = error_object(request).await;
        tracing::warn!(
            function = self.function.spec.name,
            pid = self.process.pid,
            "the function failed to initialise"
        );
        if let Some(job) = self.process.abandon() {
            job.fail(error);
        }
        accepted()
    }
}

/// The headers of `/next`.
fn describe(headers: &mut HeaderMap, request_id: &str, function: &Function) {
    let now_ms = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let deadline = now_ms + function.spec.timeout.as_millis();
    let random = uuid::Uuid::new_v4().simple().to_string();
    let trace = format!(
        "Root=1-{:08x}-{};Parent={};Sampled=0",
        now_ms / 1000,
        &random[..24],
        &random[16..]
    );
    let values = [
        ("lambda-runtime-aws-request-id", request_id),
        ("lambda-runtime-deadline-ms", &deadline.to_string()),
        ("lambda-runtime-invoked-function-arn", &function.arn),
        ("lambda-runtime-trace-id", &trace),
    ];
    for (name, value) in values {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
}

/// The error that a runtime posts, as the caller gets it: an object that has `errorType` and `errorMessage`.
/// What is missing in the body comes from the header, as far as it is there.
async fn error_object(request: Request<Incoming>) -> Bytes {
    let named = request
        .headers()
        .get(ERROR_TYPE_HEADER)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = read(request.into_body(), PAYLOAD_LIMIT).await.unwrap_or_default();
    let mut error = match serde_json::from_slice::<Value>(&body) {
        Ok(Value::Object(error)) => error,
        _ => serde_json::Map::new(),
    };
    if error.contains_key("errorType") {
        return body;
    }
    error.insert(
        "errorType".to_owned(),
        named.unwrap_or_else(|| "Runtime.UnknownReason".to_owned()).into(),
    );
    error.entry("errorMessage").or_insert_with(|| "".into());
    Value::Object(error).to_string().into()
}

fn accepted() -> Reply {
    json_reply(StatusCode::ACCEPTED, &json!({ "status": "OK" }))
}

fn unknown_request() -> Reply {
    let error = json!({ "errorMessage": "Invalid request ID", "errorType": "InvalidRequestID" });
    json_reply(StatusCode::BAD_REQUEST, &error)
}
