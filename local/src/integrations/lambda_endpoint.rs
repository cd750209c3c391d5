//! Functions behind another Lambda: Invoke over HTTP, as an SDK does it.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use states_language::TaskError;

use super::sdk;
use crate::http::{Client, Endpoint, innermost};
use crate::lambda_host::Invocation;

/// A local Lambda looks at the form of a signature and never at its truth.
const UNVERIFIED: &str = "AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/lambda/aws4_request, SignedHeaders=host;x-amz-date, Signature=0";

/// Another Lambda.
#[derive(Clone, Debug)]
pub(crate) struct LambdaEndpoint {
    client: Client,
    endpoint: Endpoint,
}

impl LambdaEndpoint {
    /// Connects later.
    ///
    /// # Errors
    /// What is wrong with the form of the endpoint.
    pub(crate) fn to(endpoint: &str) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(),
            endpoint: Endpoint::parse(endpoint)?,
        })
    }

    /// Invokes a function, given by name or ARN, and waits for its answer.
    pub(super) async fn invoke(&self, function: &str, payload: Bytes) -> Result<Invocation, TaskError> {
        let (base, function) = (&self.endpoint.text, utf8_percent_encode(function, NON_ALPHANUMERIC));
        let request = Request::post(format!("{base}/2015-03-31/functions/{function}/invocations"))
            .header(CONTENT_TYPE, "application/json")
            .header("x-amz-invocation-type", "RequestResponse")
            .header("x-amz-date", "20250101T000000Z")
            .header(AUTHORIZATION, UNVERIFIED)
            .body(Full::new(payload))
            .map_err(|error| unreachable(&error))?;
        let response = self.client.send(request).await.map_err(|error| unreachable(&error))?;
        let request_id = header(response.headers(), "x-amzn-requestid")
            .map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned);
        if response.status().is_success() {
            let failed = response.headers().contains_key("x-amz-function-error");
            Ok(Invocation {
                request_id,
                payload: response.into_body(),
                failed,
            })
        } else {
            Err(refused(&response, &request_id))
        }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// An error of the service: its name stands in a header, before a colon, or in the body.
fn refused(response: &Response<Bytes>, request_id: &str) -> TaskError {
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    let named = header(response.headers(), "x-amzn-errortype").or_else(|| body["__type"].as_str());
    let name = named
        .and_then(|name| name.split(':').next())
        .unwrap_or("ServiceException");
    let message = body["Message"].as_str().or_else(|| body["message"].as_str());
    let status = response.status().as_u16();
    let cause = sdk::cause(message.unwrap_or_default(), "AWSLambda", status, name, request_id);
    TaskError::new(format!("Lambda.{name}"), cause)
}

fn unreachable(error: &dyn std::error::Error) -> TaskError {
    let cause = format!("Unable to execute HTTP request: {}", innermost(error));
    TaskError::new("Lambda.SdkClientException", cause)
}
