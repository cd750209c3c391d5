//! One invocation, from the caller's request to its answer.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use tokio::sync::oneshot;

use super::{InvokeError, PAYLOAD_LIMIT};

/// What a function, or Lambda on its behalf, answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The id that the function saw as `Lambda-Runtime-Aws-Request-Id`.
    pub request_id: String,
    /// The answer, or with `failed` an object with `errorType` and `errorMessage`.
    pub payload: Bytes,
    /// Whether this is a function error (`X-Amz-Function-Error: Unhandled`).
    pub failed: bool,
}

/// An invocation under way. Dropping it drops the caller's answer, which the caller sees as a failed service.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) request_id: String,
    pub(super) payload: Bytes,
    reply: oneshot::Sender<Result<Invocation, InvokeError>>,
    /// When the process took it: the function's time-out counts from here, so a cold start costs none of it.
    pub(super) taken_at: Option<Instant>,
}

impl Job {
    pub(super) fn new(payload: Bytes) -> (Self, oneshot::Receiver<Result<Invocation, InvokeError>>) {
        let (reply, answer) = oneshot::channel();
        (
            Self {
                request_id: uuid::Uuid::new_v4().to_string(),
                payload,
                reply,
                taken_at: None,
            },
            answer,
        )
    }

    /// Answers with what the function returned.
    pub(super) fn succeed(self, payload: Bytes) {
        self.answer(payload, false);
    }

    /// Answers with the error that the function reported.
    pub(super) fn fail(self, error: Bytes) {
        self.answer(error, true);
    }

    /// The function was killed at its time-out.
    pub(super) fn time_out(self, after: Duration) {
        let text = format!("Task timed out after {:.2} seconds", after.as_secs_f64());
        self.sandbox_error("Sandbox.Timedout", &text);
    }

    /// The process ended in the middle; `how` is `exit status: 1`, `signal: killed` and so on.
    pub(super) fn exit(self, how: &str) {
        self.sandbox_error("Runtime.ExitError", how);
    }

    /// The answer is larger than Lambda returns.
    pub(super) fn too_large(self) {
        let message = format!("Response payload size exceeded maximum allowed payload size ({PAYLOAD_LIMIT} bytes).");
        let error = json!({ "errorType": "Function.ResponseSizeTooLarge", "errorMessage": message });
        self.answer(error.to_string().into(), true);
    }

    /// No process could be started for it.
    pub(super) fn refuse(self, error: InvokeError) {
        let _ = self.reply.send(Err(error));
    }

    fn sandbox_error(self, error_type: &str, text: &str) {
        let message = format!("RequestId: {} Error: {text}", self.request_id);
        let error = json!({ "errorType": error_type, "errorMessage": message });
        self.answer(error.to_string().into(), true);
    }

    fn answer(self, payload: Bytes, failed: bool) {
        // The caller may have given up: that is its own business, the process is free either way.
        let _ = self.reply.send(Ok(Invocation {
            request_id: self.request_id,
            payload,
            failed,
        }));
    }
}
