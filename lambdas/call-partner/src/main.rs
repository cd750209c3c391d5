//! Calls a partner once, within one deadline, and classifies what came of it.
//!
//! The policy comes with each event and says where the call goes; a request only fills in parameters, which are checked
//! here again. What counts as the partner's failure is in [`classification`], and nothing else of this function decides
//! anything about the breaker.

mod answer;
mod classification;
mod client;
mod event;
mod fault;
mod handler;
mod idempotency;
mod message;
mod request;
mod response;
mod retry;
mod room;
mod secrets;
mod tls;

#[cfg(test)]
mod tests;

use std::env;
use std::time::Instant;

use function::clock::now;
use function::error::Error;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;

use crate::answer::CallResult;
use crate::client::Client;
use crate::event::CallPartner;
use crate::handler::Caller;
use crate::secrets::{Secrets, Store};

/// Names a file that takes the place of Secrets Manager and Parameter Store, where there is no AWS.
const SECRETS_FILE: &str = "SECRETS_FILE";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    function::log::start(env::var("RUST_LOG").ok().as_deref()).map_err(|error| error.to_string())?;
    // An error means that a provider is installed already: there is only this one in the program.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Roots are read here, before the first call waits for them.
    let caller = Caller {
        client: Client::new(tls::trusting_the_system())?,
        secrets: Secrets::new(Store::new(env::var_os(SECRETS_FILE).map(Into::into))),
    };
    let invoke = |event: LambdaEvent<Value>| invoke(event.payload, &caller);
    lambda_runtime::run(service_fn(invoke)).await
}

/// A failed invocation is logged by the runtime.
async fn invoke(event: Value, caller: &Caller) -> Result<CallResult, Error> {
    let started = Instant::now();
    let event: CallPartner = function::payload::read(event)?;
    let result = handler::handle(&event, caller, now()).await?;
    let circuit = event.policy.circuit.as_str();
    let (reason, kind) = (result.outcome.reason.as_str(), result.outcome.kind.as_deref());
    let status = result.answer.as_ref().map(|answer| answer.status);
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(circuit, reason, kind, status, ms, "partner called");
    Ok(result)
}
