//! One invocation: check, call, classify.

use breaker::clock::Timestamp;
use policy::Params;
use policy::url::{Template, Unfilled};

use crate::answer::{Answer, CallResult};
use crate::classification::{Kind, live};
use crate::client::Client;
use crate::event::CallPartner;
use crate::message;
use function::error::Error;

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
        Err(no_answer) => message::unanswered(no_answer, call),
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
