//! A Lambda function that stands in for one of ours where a case needs another: it does what `STAND_IN` says, each time.

use std::future::pending;

use anyhow::Context;
use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use serde::Deserialize;
use serde_json::Value;

/// What it does with each invocation.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    Gives(Value),
    Fails(String),
    Exits,
    Hangs,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let part = std::env::var("STAND_IN").context("STAND_IN says what to do")?;
    let part: Part = serde_json::from_str(&part)?;
    let play = |_: LambdaEvent<Value>| play(part.clone());
    lambda_runtime::run(service_fn(play)).await
}

async fn play(part: Part) -> Result<Value, Diagnostic> {
    match part {
        Part::Gives(value) => Ok(value),
        Part::Fails(error_type) => Err(Diagnostic {
            error_type,
            error_message: "as the case wants it".to_owned(),
        }),
        Part::Exits => std::process::exit(7),
        Part::Hangs => pending().await,
    }
}
