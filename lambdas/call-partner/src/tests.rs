//! The handler against real loopback sockets: what a partner can do to a call, and what comes of it.

// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

mod answers;
mod anything;
mod behaviours;
mod certificates;
mod encodings;
mod faults;
mod partner;
mod requests;
mod secrets;
mod secure;
mod sending;

use serde_json::{Value, json};

use crate::client::Client;
use crate::event::CallPartner;
use crate::handler::{Caller, handle};
use crate::secrets::{Secrets, Store};
use crate::tls;
use breaker::clock::Timestamp;
use function::error::Error;

/// The time-out of a call that is not meant to need it: a busy machine must not make a failure of it.
const PATIENCE_MS: u64 = 8_000;

/// The time-out of a call that is to run into it.
const TIMEOUT_MS: u64 = 300;

/// How much later an answer may come than the time-out, on a busy machine.
const LATE_MS: u64 = 1_500;

fn caller() -> Caller {
    let _ = rustls::crypto::ring::default_provider().install_default();
    caller_with(tls::trusting_the_system())
}

fn caller_with(tls: rustls::ClientConfig) -> Caller {
    Caller {
        client: Client::new(tls).unwrap(),
        secrets: Secrets::new(Store::new(None)),
    }
}

/// An event for a call of this URL.
fn event(url: &str) -> Value {
    json!({
        "policy": {
            "circuit": "stock",
            "params": {"isbn": ".{1,200}"},
            "call": {"method": "GET", "url": url, "headers": {}, "timeoutMs": PATIENCE_MS, "maxResponseBytes": 1000}
        },
        "params": {"isbn": "9783161484100"},
        "circuit": {}
    })
}

/// The same event with the short time-out.
fn hasty(mut event: Value) -> Value {
    event["policy"]["call"]["timeoutMs"] = json!(TIMEOUT_MS);
    event
}

fn event_for(partner: &partner::Partner) -> Value {
    event(&format!("http://{}/stock/{{isbn}}", partner.address))
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-30T12:00:00.000Z").unwrap()
}

async fn invoke_with(caller: &Caller, event: Value) -> Result<Value, Error> {
    invoke_at(caller, event, now()).await
}

async fn invoke_at(caller: &Caller, event: Value, now: Timestamp) -> Result<Value, Error> {
    let result = handle(&function::payload::read::<CallPartner>(event)?, caller, now).await?;
    Ok(serde_json::to_value(result).unwrap())
}

async fn invoke(event: Value) -> Result<Value, Error> {
    invoke_with(&caller(), event).await
}

/// Asserts verdict, reason and kind, and returns the answer.
#[track_caller]
fn assert_outcome(result: &Value, verdict: &str, reason: &str, kind: Option<&str>) {
    let outcome = &result["outcome"];
    let found = (
        outcome["verdict"].as_str(),
        outcome["reason"].as_str(),
        outcome["kind"].as_str(),
    );
    assert_eq!(found, (Some(verdict), Some(reason), kind), "{result}");
    assert_eq!(outcome["message"].is_string(), kind.is_some(), "{result}");
    let answered = match reason {
        "live" => true,
        "unsupported-response" => result["answer"]["status"] == 502,
        "invalid" => result["answer"]["status"] == 400,
        _ => false,
    };
    assert_eq!(result.get("answer").is_some(), answered, "{result}");
}
