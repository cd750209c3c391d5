//! The operations on executions.

use serde_json::{Map, Value, json};

use states_language::Outcome;
use states_language::history::{Details, History};
use time::OffsetDateTime;

use super::machines::{describe_definition, included_data};
use super::request::{Request, epoch_seconds};
use crate::step_functions::execution::{Execution, Status, Stop};
use crate::step_functions::service::read_input;
use crate::step_functions::{Arns, StepFunctions, StepFunctionsError, token};

/// How many executions a page holds when nobody says.
const PAGE: usize = 100;
/// The most characters of what somebody says who stops an execution, and of a trace header.
const ERROR_CHARS: usize = 256;
const CAUSE_CHARS: usize = 32_768;
const TRACE_HEADER_CHARS: usize = 256;

pub(super) async fn start_sync(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("stateMachineArn")?;
    let text = request.text("input")?.unwrap_or("{}");
    let input = read_input(text)?;
    let metadata_only = !included_data(request)?;
    let trace_header = request.short_text("traceHeader", TRACE_HEADER_CHARS)?;
    let name = request.text("name")?.map(str::to_owned);
    let finished = sfn.start_sync_as(arn, name, input, Some(text.to_owned())).await?;
    let (status, mut fields) = (Status::of(&finished.outcome), describe_outcome(&finished.outcome));
    let included = json!({ "included": !metadata_only });
    let mut answer = Map::new();
    answer.insert("executionArn".to_owned(), finished.arn.into());
    let machine_arn = arn.split('#').next().unwrap_or(arn);
    answer.insert("stateMachineArn".to_owned(), machine_arn.into());
    answer.insert("name".to_owned(), finished.name.into());
    answer.insert("startDate".to_owned(), epoch_seconds(finished.started_at));
    answer.insert("stopDate".to_owned(), epoch_seconds(finished.stopped_at));
    answer.insert("status".to_owned(), status.as_str().into());
    if metadata_only {
        fields.retain(|(name, _)| *name != "output");
    } else {
        answer.insert("input".to_owned(), text.into());
    }
    answer.insert("inputDetails".to_owned(), included.clone());
    answer.insert("outputDetails".to_owned(), included);
    answer.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    if let Some(header) = trace_header {
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
    request.short_text("traceHeader", TRACE_HEADER_CHARS)?;
    let input = request.text("input")?.unwrap_or("{}").to_owned();
    let execution = sfn.start(arn, request.text("name")?.map(str::to_owned), input)?;
    Ok(json!({ "executionArn": execution.arn, "startDate": epoch_seconds(execution.started_at) }))
}

pub(super) fn describe(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let execution = sfn.execution(request.required("executionArn")?)?;
    let all_data = included_data(request)?;
    let mut described = outline(&execution);
    described["redriveCount"] = 0.into();
    described["redriveStatus"] = "NOT_REDRIVABLE".into();
    let included = json!({ "included": all_data });
    described["inputDetails"] = included.clone();
    let history = execution.history(sfn.region());
    if all_data {
        let input = execution.input.clone().or_else(|| {
            history.with_events(|events| match events.first().and_then(|event| event.details.as_ref()) {
                Some(Details::ExecutionStarted(started)) => started.input.clone(),
                _ => None,
            })
        });
        described["input"] = input.into();
    }
    let mut set = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            described[name] = text.into();
        }
    };
    match end(&history) {
        Some(Details::ExecutionSucceeded(succeeded)) => {
            if all_data {
                set("output", succeeded.output);
            }
            described["outputDetails"] = included;
        }
        Some(
            Details::ExecutionFailed(failed) | Details::ExecutionTimedOut(failed) | Details::ExecutionAborted(failed),
        ) if all_data => {
            set("error", failed.error);
            set("cause", failed.cause);
        }
        _ => {}
    }
    Ok(described)
}

/// What a history says of the execution's end, if it has come to it.
fn end(history: &History) -> Option<Details> {
    history.with_events(|events| events.last().and_then(|event| event.details.clone()))
}

/// One that has ended already is left as it is: *local only*, AWS does not say.
pub(super) async fn stop(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("executionArn")?;
    // No EXPRESS execution can be stopped, here or there.
    Arns::check_execution(arn, true)?;
    let error = request.short_text("error", ERROR_CHARS)?.unwrap_or_default();
    let cause = request.short_text("cause", CAUSE_CHARS)?.unwrap_or_default();
    let execution = sfn.execution(arn)?;
    let stop = Stop {
        error: error.to_owned(),
        cause: cause.to_owned(),
    };
    execution.stop(stop).await;
    let at = execution.ended().map_or_else(OffsetDateTime::now_utc, |end| end.at);
    Ok(json!({ "stopDate": epoch_seconds(at) }))
}

pub(super) fn list(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    if request.has("mapRunArn") {
        return Err(StepFunctionsError::constraint(
            "mapRunArn",
            "there are no map runs here",
        ));
    }
    let arn = request.required("stateMachineArn")?;
    let machine = sfn.machines.find(arn)?;
    if !sfn.keeps(machine.spec.kind) {
        return Err(StepFunctionsError::MachineTypeNotSupported);
    }
    if request.has("redriveFilter") {
        let constraint = "Member must be null unless mapRunArn is given";
        return Err(StepFunctionsError::constraint("redriveFilter", constraint));
    }
    let status = request.text("statusFilter")?.map(Status::named).transpose()?;
    let list = format!("executions {}", machine.arn);
    let after = match token::read(&list, request.text("nextToken")?)? {
        None => None,
        Some(position) => {
            let (at, arn) = position.split_once(' ').ok_or(StepFunctionsError::InvalidToken)?;
            let at = at.parse().map_err(|_| StepFunctionsError::InvalidToken)?;
            Some((at, arn.to_owned()))
        }
    };
    let (page, more) = sfn
        .executions
        .list(&machine.arn, status, after.as_ref(), request.page(PAGE)?);
    let executions: Vec<_> = page.iter().map(|execution| outline(execution)).collect();
    let mut listed = json!({ "executions": executions });
    if let Some((at, arn)) = more {
        listed["nextToken"] = token::give(&list, &format!("{at} {arn}")).into();
    }
    Ok(listed)
}

pub(super) fn describe_machine(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let execution = sfn.execution(request.required("executionArn")?)?;
    let machine = &execution.machine;
    let mut described = json!({
        "stateMachineArn": machine.arn,
        "name": machine.spec.name,
        "updateDate": epoch_seconds(machine.updated_at),
    });
    describe_definition(machine, included_data(request)?, &mut described);
    Ok(described)
}

/// What lists and descriptions of executions have in common.
fn outline(execution: &Execution) -> Value {
    let mut outline = json!({
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine.arn,
        "name": execution.name,
        "status": execution.status().as_str(),
        "startDate": epoch_seconds(execution.started_at),
    });
    if let Some(end) = execution.ended() {
        outline["status"] = end.status.as_str().into();
        outline["stopDate"] = epoch_seconds(end.at);
    }
    outline
}

/// What belongs to an outcome: output, or error and cause.
fn describe_outcome(outcome: &Outcome) -> Vec<(&'static str, Value)> {
    match outcome {
        Outcome::Succeeded { output } => vec![("output", output.to_string().into())],
        Outcome::Failed { error, cause } | Outcome::TimedOut { error, cause } => {
            let fields = [("error", error), ("cause", cause)].into_iter();
            let told = fields.filter(|(_, text)| !text.is_empty());
            told.map(|(name, text)| (name, text.as_str().into())).collect()
        }
        _ => Vec::new(),
    }
}
