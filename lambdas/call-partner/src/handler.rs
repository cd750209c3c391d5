//! One invocation: check, call, classify.

use std::collections::BTreeMap;
use std::time::Duration;

use breaker::clock::Timestamp;
use policy::url::{Template, Unfilled};
use policy::{Body, Params, body};
use tokio::time::Instant;

use crate::answer::{Answer, CallResult};
use crate::classification::{End, Kind, live};
use crate::client::{Client, Terms};
use crate::event::CallPartner;
use crate::secrets::Secrets;
use crate::{message, request, room};
use function::error::Error;

/// What a probe's lease must have left when its call is over: clocks agree to a second (the protocol's *Decisions*).
const LEASE_SPARE_MS: u64 = 1_000;

/// What the function has from one invocation to the next.
#[derive(Debug)]
pub struct Caller {
    /// The way to the partner.
    pub client: Client,
    /// What the partner knows us by.
    pub secrets: Secrets,
}

/// Calls the partner once, unless the request or the lease forbids it.
///
/// # Errors
/// [`Error::BadPayload`]: the policy in the event can't be used.
pub async fn handle(event: &CallPartner, caller: &Caller, now: Timestamp) -> Result<CallResult, Error> {
    let call = &event.policy.call;
    let deadline = Instant::now() + Duration::from_millis(call.timeout_ms);
    let params = Params::compile(&event.policy.params).map_err(bad_policy)?;
    let url = Template::parse(&call.url).map_err(bad_policy)?;
    // A front door has checked them too; somebody who starts executions directly has none.
    let values = match params.check(&event.params) {
        Ok(values) => values,
        Err(invalid) => return Ok(refused(&invalid.to_string())),
    };
    let url = match url.fill(&values) {
        Ok(url) => url,
        // All declared parameters are there, so it is the policy that forgot one.
        Err(unfilled @ Unfilled::Missing { .. }) => return Err(bad_policy(unfilled)),
        Err(unfilled) => return Ok(refused(&unfilled.to_string())),
    };
    let body = match body(event, &values)? {
        Ok(body) => body,
        Err(invalid) => return Ok(refused(&invalid.to_string())),
    };
    let lease_until = event.lease_until()?;
    if lease_until.is_some_and(|until| now.plus_ms(call.timeout_ms + LEASE_SPARE_MS) >= until) {
        let message = "the probe's lease is too short by now for a call";
        return Ok(uncalled(Kind::ProbeLate, message.to_owned()));
    }
    let mut request = request::build(call, &url, body, event.execution.as_deref())?;
    match caller.secrets.headers(&call.secret_headers, now, deadline).await {
        Ok(headers) => request.headers_mut().extend(headers),
        Err(none) => return Ok(uncalled(Kind::Secret, none.to_string())),
    }
    let terms = Terms {
        deadline,
        // A lease is for one call.
        retries: if lease_until.is_some() { 0 } else { call.retries },
        room: room::for_answer(event),
    };
    Ok(match caller.client.send(request, call, terms, now).await {
        Ok(answer) => CallResult {
            outcome: live(),
            answer: Some(answer),
        },
        Err(no_answer) => {
            if let (Kind::Credentials, End::Answered(401, _)) = (no_answer.kind, no_answer.end) {
                caller.secrets.doubt(&call.secret_headers).await;
            }
            message::unanswered(no_answer, call)
        }
    })
}

/// The body to send, or why the customer's can't be.
fn body(
    event: &CallPartner,
    values: &BTreeMap<String, String>,
) -> Result<Result<Option<String>, policy::InvalidBody>, Error> {
    Ok(match &event.policy.call.body {
        None => Ok(None),
        Some(Body::Template(template)) => Ok(Some(body::fill(template, values).map_err(bad_policy)?)),
        Some(Body::Pass { max_bytes }) => body::check(&event.body, *max_bytes).map(|text| Some(text.to_owned())),
    })
}

fn bad_policy(error: impl std::fmt::Display) -> Error {
    Error::BadPayload {
        what: format!("policy: {error}"),
    }
}

/// Nothing was called, and the customer falls back.
fn uncalled(kind: Kind, message: String) -> CallResult {
    CallResult {
        outcome: kind.outcome(message),
        answer: None,
    }
}

/// The request can't be used: a 400 that says why.
fn refused(message: &str) -> CallResult {
    CallResult {
        answer: Some(Answer::message(400, message)),
        ..uncalled(Kind::Invalid, message.to_owned())
    }
}
