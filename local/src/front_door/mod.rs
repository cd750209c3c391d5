//! The front door: what customers call. It behaves as the deployed API Gateway does, product.md says how.
//!
//! - The policies' routes, and `POST /circuits/NAME/calls` with `{"params": {…}, "body": "…"}`, start the circuit's machine as
//!   StartSyncExecution does. The status is the output's `status`, the body its `body`, `x-circuit` its `reason`;
//!   its `headers` are the partner's that the policy passes on.
//! - `GET /circuits/NAME` shows what is stored of a circuit as plain values; an absent item is a closed circuit.
//! - `GET /healthz`.
//! - Anything else, a known path with another method too, is a 404 (API Gateway can't tell the two apart either).
//!
//! What is refused before an execution or fails in it is `{"message", "requestId"}`, and holds nothing of its data.

mod answer;
mod call;
mod query;
mod routes;
mod stored;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode};
use hyper::body::Incoming;
use policy::Segment;
use serde_json::{Map, Value};

use crate::circuits::{Circuit, Route};
use crate::dynamodb::DynamoDb;
use crate::http::{BodyError, Reply, read, reply, segments};
use crate::step_functions::{INPUT_LIMIT, StepFunctions};

use answer::{Refusal, refuse};
use call::Asked;
use routes::{Destination, Routes};

/// The front door of all circuits.
#[derive(Clone, Debug)]
pub(crate) struct FrontDoor(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    routes: Routes,
    step_functions: Arc<StepFunctions>,
    dynamodb: Arc<DynamoDb>,
    table: String,
}

impl FrontDoor {
    pub(crate) fn new(
        circuits: Vec<Circuit>,
        step_functions: Arc<StepFunctions>,
        dynamodb: Arc<DynamoDb>,
        table: String,
    ) -> Self {
        Self(Arc::new(Inner {
            routes: Routes::new(circuits),
            step_functions,
            dynamodb,
            table,
        }))
    }

    /// Answers one request.
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Reply {
        let began = Instant::now();
        let request_id = uuid::Uuid::new_v4().to_string();
        let method = request.method().clone();
        let (label, mut reply) = self.0.dispatch(request, &request_id).await;
        if let Ok(id) = HeaderValue::from_str(&request_id) {
            reply.headers_mut().insert("x-amzn-requestid", id);
        }
        let circuit = reply
            .headers()
            .get("x-circuit")
            .and_then(|reason| reason.to_str().ok())
            .unwrap_or_default();
        let (status, ms) = (
            reply.status().as_u16(),
            u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        );
        // The route, never the path: that holds parameters.
        tracing::info!(target: "front_door", %method, route = label, status, circuit, ms, "answered");
        reply
    }
}

impl Inner {
    /// The answer, with the route's name for the log.
    async fn dispatch(&self, request: Request<Incoming>, request_id: &str) -> (String, Reply) {
        let Ok(path) = segments(request.uri().path()) else {
            return ("malformed path".to_owned(), refuse(Refusal::MalformedPath, request_id));
        };
        match self.routes.find(request.method(), &path) {
            Destination::Health => (
                "/healthz".to_owned(),
                reply(StatusCode::OK, "application/json", r#"{"status":"ok"}"#),
            ),
            Destination::Route(circuit, route) => {
                let reply = match asked_by_route(circuit, route, path, request).await {
                    Ok(asked) => self.call(circuit, asked, request_id).await,
                    Err(refusal) => refuse(refusal, request_id),
                };
                (route.path.clone(), reply)
            }
            Destination::Calls(circuit) => {
                let reply = match asked_by_name(circuit, request).await {
                    Ok(asked) => self.call(circuit, asked, request_id).await,
                    Err(refusal) => refuse(refusal, request_id),
                };
                (format!("/circuits/{}/calls", circuit.name), reply)
            }
            Destination::Stored(circuit) => {
                let label = format!("/circuits/{}", circuit.name);
                (
                    label,
                    stored::show(&self.dynamodb, &self.table, &circuit.name, request_id).await,
                )
            }
            Destination::Nowhere => ("no route".to_owned(), refuse(Refusal::NotFound, request_id)),
        }
    }

    async fn call(&self, circuit: &Circuit, asked: Asked, request_id: &str) -> Reply {
        let input = call::input(circuit, asked);
        // What matched is short, so only a machine that was changed or deleted through the AWS port is refused.
        match self.step_functions.start_sync(&circuit.machine_arn, None, input).await {
            Ok(finished) => answer::of(&finished, &circuit.name, request_id),
            Err(error) => {
                tracing::error!(circuit = circuit.name, %error, "the start was refused");
                refuse(Refusal::NotStarted, request_id)
            }
        }
    }
}

fn path_params(segments: &[Segment], path: Vec<String>) -> Map<String, Value> {
    let named = segments.iter().zip(path).filter_map(|(segment, value)| match segment {
        Segment::Parameter(name) => Some((name.clone(), value.into())),
        Segment::Literal(_) => None,
    });
    named.collect()
}

async fn asked_by_route(
    circuit: &Circuit,
    route: &Route,
    path: Vec<String>,
    request: Request<Incoming>,
) -> Result<Asked, Refusal> {
    let mut params = path_params(&route.segments, path);
    params.extend(query::params(request.uri().query(), &route.query)?);
    // The body of a request that only asks means nothing (RFC 9110, 9.3.1), so it is not read.
    let body = match route.method {
        "GET" | "HEAD" => Bytes::new(),
        _ => body_of(request).await?,
    };
    call::asked_by_route(circuit, params, &body)
}

async fn asked_by_name(circuit: &Circuit, request: Request<Incoming>) -> Result<Asked, Refusal> {
    call::asked(circuit, &body_of(request).await?)
}

async fn body_of(request: Request<Incoming>) -> Result<Bytes, Refusal> {
    match read(request.into_body(), INPUT_LIMIT).await {
        Ok(body) => Ok(body),
        Err(BodyError::TooLarge { .. }) => Err(Refusal::TooLarge),
        Err(BodyError::Broken) => Err(Refusal::BadBody("the body ended early".to_owned())),
    }
}
