//! One outcome: counted, concluded or passed over, as the breaker decides.

use breaker::handover::{RecordOutcome, RecordedOutcome};
use breaker::recording::{Recorded, Recording};
use circuit_table::Table;
use function::clock::now;
use function::error::Error;
use serde_json::Value;

/// Records an outcome and says what is to be announced.
///
/// # Errors
/// [`Error::BadPayload`], or [`Error::StoreFailed`]: what was to be written may have been, and is not tried again.
pub async fn handle(event: Value, table: &Table) -> Result<RecordedOutcome, Error> {
    let event: RecordOutcome = function::payload::read(event)?;
    let execution = event.execution.clone();
    let call = event.into_call().map_err(|malformed| Error::BadPayload {
        what: malformed.to_string(),
    })?;
    let Some((policy, call)) = call else {
        return Ok(Recorded::Nothing.into());
    };
    let name = policy.circuit.clone();
    let recorded = table
        .drive(&name, Recording::new(policy, call), now)
        .await
        .map_err(|source| Error::StoreFailed {
            circuit: name.clone(),
            source: source.into(),
        })?;
    let epoch = recorded.transition().map(|transition| transition.epoch);
    tracing::info!(
        circuit = name,
        execution,
        recorded = recorded.as_str(),
        epoch,
        "outcome recorded"
    );
    Ok(recorded.into())
}
