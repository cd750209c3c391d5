//! One invocation: check, call, classify.

use breaker::clock::Timestamp;
use policy::url::{Template, Unfilled};
use policy::{Call, Params};

use crate::answer::{Answer, CallResult};
use crate::classification::{Body, End, Kind, live};
use crate::client::{Client, NoAnswer};
use crate::error::Error;
use crate::event::CallPartner;

/// What a probe's lease must have left when its call is over: clocks agree to a second (the protocol's *Decisions*).
const LEASE_SPARE_MS: u64 = 1_000;

/// Calls the partner once, unless the parameters or the lease forbid it.
///
/// # Errors
/// [`Error::BadPayload`]: the policy in the event can't be used.
pub async fn handle(event: &CallPartner, client: &Client, now: Timestamp) -> Result<CallResult, Error> {
    let call = &event.policy.call;
    let params = Params::compile(&event.policy.params).map_err(bad_policy)?;
    let url = Template::parse(&call.url).map_err(bad_policy)?;
    // A front door has checked them too; somebody who starts executions directly has none.
    let url = match params.check(&event.params) {
        Err(invalid) => return Ok(refused(&invalid.to_string())),
        Ok(values) => match url.fill(&values) {
            Ok(url) => url,
            // All declared parameters are there, so it is the policy that forgot one.
            Err(unfilled @ Unfilled::Missing { .. }) => return Err(bad_policy(unfilled)),
            Err(unfilled) => return Ok(refused(&unfilled.to_string())),
        },
    };
    if let Some(until) = event.lease_until()?
        && now.plus_ms(call.timeout_ms + LEASE_SPARE_MS) >= until
    {
        let message = "the probe's lease is too short by now for a call";
        return Ok(CallResult {
            outcome: Kind::ProbeLate.outcome(message.to_owned()),
            answer: None,
        });
    }
    let request = Client::request(call, &url)?;
    Ok(match client.send(request, call).await {
        Ok(answer) => CallResult {
            outcome: live(),
            answer: Some(answer),
        },
        Err(no_answer) => unanswered(no_answer, call),
    })
}

fn bad_policy(error: impl std::fmt::Display) -> Error {
    Error::BadPayload {
        what: format!("policy: {error}"),
    }
}

/// A parameter does not match: a 400 that names it.
fn refused(message: &str) -> CallResult {
    CallResult {
        outcome: Kind::Invalid.outcome(message.to_owned()),
        answer: Some(Answer::message(400, message)),
    }
}

/// A call that gave nothing to pass on, in words that hold nothing of the partner's.
fn unanswered(NoAnswer { kind, end }: NoAnswer, call: &Call) -> CallResult {
    let message = match (kind, end) {
        (Kind::Status5xx | Kind::Status429 | Kind::Protocol, End::Answered(status, _)) => {
            format!("the partner answered with status {status}")
        }
        (Kind::Credentials, End::Answered(status, _)) => {
            format!("the partner refused our credentials with status {status}")
        }
        (Kind::Timeout, End::Answered(_, Body::Deadline)) => {
            format!("the partner's answer was not complete within {} ms", call.timeout_ms)
        }
        (Kind::Timeout, _) => format!("the partner did not answer within {} ms", call.timeout_ms),
        (Kind::TooLarge, _) => {
            format!(
                "the partner's answer is larger than {} bytes, or than an execution holds",
                call.max_response_bytes
            )
        }
        (Kind::Dns, _) => "the partner's name has no address".to_owned(),
        (Kind::Connect, _) => "the partner accepts no connection".to_owned(),
        (Kind::Tls, _) => "no secure connection to the partner could be agreed on".to_owned(),
        (Kind::Reset, _) => "the partner closed the connection before it answered".to_owned(),
        (Kind::Body, _) => "the partner closed the connection in the middle of its answer".to_owned(),
        (Kind::Decode, _) => "the partner's answer is not encoded as it says".to_owned(),
        (Kind::NotText, _) => "the partner's answer is not UTF-8 text".to_owned(),
        (Kind::Status5xx | Kind::Status429 | Kind::Credentials | Kind::Protocol, End::Unanswered(_)) => {
            "what the partner sent is no HTTP".to_owned()
        }
        (Kind::Invalid | Kind::ProbeLate, _) => "nothing was called".to_owned(),
    };
    let unsupported = matches!(kind, Kind::TooLarge | Kind::NotText);
    let answer = unsupported.then(|| Answer::message(502, "the partner's answer can't be passed on"));
    CallResult {
        outcome: kind.outcome(message),
        answer,
    }
}
