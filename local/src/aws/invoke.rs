//! `POST /2015-03-31/functions/NAME/invocations`: Invoke of Lambda
//! (<https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html>).

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;

use crate::http::{BodyError, Reply, json as json_reply, read, reply, segments};
use crate::lambda_host::{Invocation, InvokeError, LambdaHost, PAYLOAD_LIMIT};

pub(super) const PREFIX: &str = "/2015-03-31/functions/";

pub(super) async fn answer(lambda: &Arc<LambdaHost>, request: Request<Incoming>) -> Reply {
    let segments = segments(request.uri().path()).unwrap_or_default();
    let [_, _, function, "invocations"] = segments.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return refuse(404, "ResourceNotFoundException", "Only Invoke is supported here");
    };
    if request.method() != Method::POST {
        return refuse(405, "InvalidRequestContentException", "Invoke is a POST");
    }
    let kind = request
        .headers()
        .get("x-amz-invocation-type")
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("RequestResponse").to_owned();
    let payload = match read(request.into_body(), PAYLOAD_LIMIT).await {
        Ok(payload) if payload.is_empty() => Bytes::from_static(b"{}"),
        Ok(payload) => payload,
        Err(BodyError::TooLarge { limit }) => {
            let message = format!("Request must be smaller than {limit} bytes for the InvokeFunction operation");
            return refuse(413, "RequestTooLargeException", &message);
        }
        Err(BodyError::Broken) => return refuse(400, "InvalidRequestContentException", "The body ended early"),
    };
    if serde_json::from_slice::<serde::de::IgnoredAny>(&payload).is_err() {
        return refuse(
            400,
            "InvalidRequestContentException",
            "Could not parse request body into json",
        );
    }
    match kind.as_str() {
        "RequestResponse" => match lambda.invoke(function, payload).await {
            Ok(invocation) => result(invocation),
            Err(error) => service_error(&error),
        },
        _ => refuse(
            400,
            "InvalidParameterValueException",
            "Only the invocation type RequestResponse is supported here",
        ),
    }
}

fn result(invocation: Invocation) -> Reply {
    let mut answer = reply(StatusCode::OK, "application/json", invocation.payload);
    let headers = answer.headers_mut();
    headers.insert("x-amz-executed-version", HeaderValue::from_static("$LATEST"));
    if invocation.failed {
        headers.insert("x-amz-function-error", HeaderValue::from_static("Unhandled"));
    }
    if let Ok(id) = invocation.request_id.parse() {
        headers.insert("x-amzn-requestid", id);
    }
    answer
}

fn service_error(error: &InvokeError) -> Reply {
    let mut answer = refuse(error.status(), error.name(), &error.to_string());
    if matches!(error, InvokeError::TooManyRequests { .. }) {
        answer
            .headers_mut()
            .insert("retry-after", HeaderValue::from_static("1"));
    }
    answer
}

fn refuse(status: u16, name: &'static str, message: &str) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = if status.is_server_error() { "Service" } else { "User" };
    let mut answer = json_reply(status, &json!({ "Type": kind, "Message": message, "message": message }));
    answer
        .headers_mut()
        .insert("x-amzn-errortype", HeaderValue::from_static(name));
    answer
}
