//! The way to a DynamoDB endpoint.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::DynamoDbError;
use crate::http::{BodyError, Client, Endpoint, Reply, innermost, read, reply};

/// DynamoDB takes requests of 16 MB.
const BODY_LIMIT: usize = 16 * 1024 * 1024;
const JSON: &str = "application/x-amz-json-1.0";
/// A local endpoint looks at the form of a signature and never at its truth.
const UNVERIFIED: &str = "AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, \
                          SignedHeaders=host;x-amz-date;x-amz-target, Signature=0";

/// A pool of connections to one endpoint.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    endpoint: Endpoint,
}

impl Connection {
    /// Checks the endpoint's form; connects later.
    pub(super) fn to(endpoint: &str) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(),
            endpoint: Endpoint::parse(endpoint)?,
        })
    }

    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint.text
    }

    /// One operation.
    pub(super) async fn call(&self, operation: &str, parameters: &Value) -> Result<Value, DynamoDbError> {
        let request = Request::post(self.endpoint.root.clone())
            .header(CONTENT_TYPE, JSON)
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("x-amz-date", "20250101T000000Z")
            .header(AUTHORIZATION, UNVERIFIED)
            .body(Full::new(Bytes::from(parameters.to_string())))
            .map_err(unreachable)?;
        let response = self.client.send(request).await.map_err(unreachable)?;
        let value: Value = serde_json::from_slice(response.body()).map_err(unreachable)?;
        if response.status().is_success() {
            Ok(value)
        } else {
            Err(refused(&response, &value))
        }
    }

    /// Hands a request on.
    pub(super) async fn forward(&self, request: Request<Incoming>) -> Reply {
        let (mut head, body) = request.into_parts();
        let body = match read(body, BODY_LIMIT).await {
            Ok(body) => body,
            Err(BodyError::TooLarge { .. }) => return failed(StatusCode::PAYLOAD_TOO_LARGE, "RequestTooLarge"),
            Err(BodyError::Broken) => return failed(StatusCode::BAD_REQUEST, "SerializationException"),
        };
        without_hops(&mut head.headers);
        let path = head
            .uri
            .into_parts()
            .path_and_query
            .map_or_else(|| "/".to_owned(), |path| path.to_string());
        let Ok(uri) = format!("{}{path}", self.endpoint.text).parse() else {
            return failed(StatusCode::BAD_REQUEST, "UnknownOperationException");
        };
        head.uri = uri;
        match self.client.send(Request::from_parts(head, Full::new(body))).await {
            Ok(response) => {
                let (mut head, body) = response.into_parts();
                without_hops(&mut head.headers);
                Response::from_parts(head, Full::new(body))
            }
            Err(error) => {
                tracing::warn!(%error, "DynamoDB does not answer");
                failed(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable")
            }
        }
    }
}

/// Removes what belongs to one connection, and what is set again for the next.
fn without_hops(headers: &mut HeaderMap) {
    const EXPECT: HeaderName = http::header::EXPECT;
    for name in [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT] {
        headers.remove(name);
    }
}

fn failed(status: StatusCode, name: &str) -> Reply {
    let body = json!({ "__type": format!("com.amazon.coral.service#{name}"), "message": "" });
    reply(status, JSON, body.to_string())
}

fn unreachable(error: impl std::error::Error) -> DynamoDbError {
    DynamoDbError::Unreachable {
        reason: innermost(&error),
    }
}

fn refused(response: &Response<Bytes>, body: &Value) -> DynamoDbError {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let id = response
        .headers()
        .get("x-amzn-requestid")
        .and_then(|id| id.to_str().ok());
    DynamoDbError::Refused {
        name: body["__type"]
            .as_str()
            .map_or_else(|| "InternalFailure".to_owned(), short_name),
        message: text(&body["message"])
            .or_else(|| text(&body["Message"]))
            .unwrap_or_default(),
        status: response.status().as_u16(),
        request_id: id.map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned),
    }
}

/// `ConditionalCheckFailedException` of `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`.
pub(super) fn short_name(error_type: &str) -> String {
    error_type.rsplit('#').next().unwrap_or(error_type).to_owned()
}
