//! Routes of our own: what the functions' processes do, and what was put on the event bus.

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;

use super::AwsPort;
use crate::http::{Reply, json as json_reply};

pub(super) const PREFIX: &str = "/_local/";

/// `GET /_local/lambda`: every function and its processes. `GET /_local/events`: the events that are kept, oldest first;
/// `DELETE` forgets them.
pub(super) fn answer(port: &AwsPort, request: &Request<Incoming>) -> Reply {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/_local/lambda") => json_reply(StatusCode::OK, &json!({ "functions": port.lambda.report() })),
        (&Method::GET, "/_local/events") => {
            let events = json!({ "events": port.events.list(), "dropped": port.events.dropped() });
            json_reply(StatusCode::OK, &events)
        }
        (&Method::DELETE, "/_local/events") => {
            port.events.clear();
            json_reply(StatusCode::OK, &json!({ "events": [], "dropped": 0 }))
        }
        _ => json_reply(
            StatusCode::NOT_FOUND,
            &json!({ "message": "There are /_local/lambda and /_local/events" }),
        ),
    }
}
