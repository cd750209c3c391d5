//! Records what came of a call; every transition of the breaker that a call causes.

mod handler;

use breaker::handover::RecordedOutcome;
use circuit_table::Table;
use function::error::Error;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    function::log::start(std::env::var("RUST_LOG").ok().as_deref())?;
    let table = Table::new(circuit_table::connect().await, function::environment::circuits_table()?);
    lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| invoke(event.payload, &table))).await
}

async fn invoke(event: Value, table: &Table) -> Result<RecordedOutcome, Error> {
    let recorded = handler::handle(event, table).await;
    recorded.inspect_err(function::log::failure)
}
