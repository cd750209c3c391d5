//! The little HTTP that every port of the local system shares: serving loopback connections until told to stop, reading
//! bodies within a bound, and one pooled client.

mod body;
mod client;
mod endpoint;
mod path;
mod server;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::Full;

pub(crate) use body::{BodyError, read};
pub(crate) use client::{Client, innermost};
pub(crate) use endpoint::Endpoint;
pub(crate) use path::{is_encoded_properly, segments};
pub(crate) use server::{Server, StopReceiver, serve, stopped};

/// An answer that is complete in memory. All bodies here are bounded, so none needs streaming.
pub(crate) type Reply = Response<Full<Bytes>>;

/// An answer with a body of the given type.
pub(crate) fn reply(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// An answer of JSON.
pub(crate) fn json(status: StatusCode, body: &serde_json::Value) -> Reply {
    reply(status, "application/json", body.to_string())
}
