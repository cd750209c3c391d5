//! One request for the lease: decided on the item that the workflow read, written at most twice.

use breaker::acquisition::Acquisition;
use breaker::handover::{AcquireProbe, Lease};
use circuit_table::Table;
use function::clock::now;
use function::error::Error;
use serde_json::Value;

/// Answers whether this execution is the probe.
///
/// # Errors
/// [`Error::BadPayload`], or [`Error::StoreFailed`]: the lease may be granted all the same, and then runs out by itself.
pub async fn handle(event: Value, table: &Table) -> Result<Lease, Error> {
    let AcquireProbe { policy, circuit, token } = function::payload::read(event)?;
    let name = policy.circuit.clone();
    let acquisition = Acquisition::new(policy, circuit.item.unwrap_or_default().into(), token.clone());
    let acquired = table
        .drive(&name, acquisition, now)
        .await
        .map_err(|source| Error::StoreFailed {
            circuit: name.clone(),
            source: source.into(),
        })?;
    tracing::info!(
        circuit = name,
        answer = acquired.answer.as_str(),
        epoch = acquired.item.epoch(),
        "lease asked for"
    );
    Ok(Lease::new(acquired, token))
}
