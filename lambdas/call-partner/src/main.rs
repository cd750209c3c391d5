//! Calls a partner once, within one deadline, and classifies what came of it.
//!
//! The policy comes with each event and says where the call goes; a request only fills in parameters, which are checked
//! here again. What counts as the partner's failure is in [`classification`], and nothing else of this function decides
//! anything about the breaker.

mod answer;
mod classification;
mod client;
mod error;
mod event;
mod fault;
mod handler;
mod log;

#[cfg(test)]
mod tests;

use std::env;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use breaker::clock::Timestamp;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;

use crate::answer::CallResult;
use crate::client::Client;
use crate::error::Error;
use crate::event::CallPartner;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    log::start(env::var("RUST_LOG").ok().as_deref())?;
    // An error means that a provider is installed already: there is only this one in the program.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::new()?;
    let invoke = |event: LambdaEvent<Value>| invoke(event.payload, &client);
    lambda_runtime::run(service_fn(invoke)).await
}

async fn invoke(event: Value, client: &Client) -> Result<CallResult, Error> {
    let started = Instant::now();
    let event = CallPartner::read(event).inspect_err(|error| tracing::error!(%error, "bad payload"))?;
    let circuit = event.policy.circuit.as_str();
    let result = handler::handle(&event, client, now()).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    match &result {
        Ok(CallResult { outcome, answer }) => {
            let status = answer.as_ref().map(|answer| answer.status);
            let (reason, kind) = (outcome.reason.as_str(), outcome.kind.as_deref());
            tracing::info!(circuit, reason, kind, status, ms, "partner called");
        }
        Err(error) => tracing::error!(circuit, %error, ms, "bad payload"),
    }
    result
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
