//! The operations on executions.

use serde_json::{Map, Value, json};

use super::request::{Request, epoch_seconds};
use crate::step_functions::arn::Arns;
use crate::step_functions::execution::describe as describe_outcome;
use crate::step_functions::service::read_input;
use crate::step_functions::{StepFunctions, StepFunctionsError};

pub(super) async fn start_sync(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("stateMachineArn")?;
    let text = request.text("input")?.unwrap_or("{}");
    let input = read_input(text)?;
    let metadata_only = match request.text("includedData")? {
        None | Some("ALL_DATA") => false,
        Some("METADATA_ONLY") => true,
        Some(_) => {
            let constraint = "Member must satisfy enum value set: [ALL_DATA, METADATA_ONLY]";
            let problem = format!("Value at 'includedData' failed to satisfy constraint: {constraint}");
            return Err(StepFunctionsError::Validation { problem });
        }
    };
    let finished = sfn
        .start_sync(arn, request.text("name")?.map(str::to_owned), input)
        .await?;
    let (status, mut fields) = describe_outcome(&finished.outcome);
    let included = json!({ "included": !metadata_only });
    let mut answer = Map::new();
    answer.insert("executionArn".to_owned(), finished.arn.into());
    answer.insert("stateMachineArn".to_owned(), arn.into());
    answer.insert("name".to_owned(), finished.name.into());
    answer.insert("startDate".to_owned(), epoch_seconds(finished.started_at));
    answer.insert("stopDate".to_owned(), epoch_seconds(finished.stopped_at));
    answer.insert("status".to_owned(), status.into());
    if metadata_only {
        fields.retain(|(name, _)| *name != "output");
    } else {
        answer.insert("input".to_owned(), text.into());
    }
    answer.insert("inputDetails".to_owned(), included.clone());
    answer.insert("outputDetails".to_owned(), included);
    answer.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    if let Some(header) = request.text("traceHeader")? {
        answer.insert("traceHeader".to_owned(), header.into());
    }
    // Billed by 100 ms begun, and by 64 MB.
    let took = (finished.stopped_at - finished.started_at).whole_milliseconds().max(0);
    let billed = i64::try_from(((took + 99) / 100).max(1) * 100).unwrap_or(i64::MAX);
    let billing = json!({ "billedMemoryUsedInMB": 64, "billedDurationInMilliseconds": billed });
    answer.insert("billingDetails".to_owned(), billing);
    Ok(Value::Object(answer))
}

pub(super) fn start(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("stateMachineArn")?;
    let input = request.text("input")?.unwrap_or("{}").to_owned();
    let execution = sfn.start(arn, request.text("name")?.map(str::to_owned), input)?;
    Ok(json!({ "executionArn": execution.arn, "startDate": epoch_seconds(execution.started_at) }))
}

pub(super) fn describe(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("executionArn")?;
    Arns::check_execution(arn)?;
    let execution = sfn.executions.find(arn);
    let execution = execution.ok_or_else(|| StepFunctionsError::ExecutionDoesNotExist { arn: arn.to_owned() })?;
    let mut described = json!({
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine_arn,
        "name": execution.name,
        "status": "RUNNING",
        "startDate": epoch_seconds(execution.started_at),
        "input": execution.input,
        "inputDetails": { "included": true },
        "redriveCount": 0,
        "redriveStatus": "NOT_REDRIVABLE",
    });
    if let Some(end) = execution.ended() {
        let (status, fields) = describe_outcome(&end.outcome);
        described["status"] = status.into();
        described["stopDate"] = epoch_seconds(end.at);
        for (name, value) in fields {
            described[name] = value;
            if name == "output" {
                described["outputDetails"] = json!({ "included": true });
            }
        }
    }
    Ok(described)
}
