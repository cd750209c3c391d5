//! `call`: one synchronous execution, printed as the front door would answer.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use aws_sdk_sfn::Client;
use aws_sdk_sfn::operation::start_sync_execution::StartSyncExecutionOutput;
use aws_sdk_sfn::types::{HistoryEvent, SyncExecutionStatus};
use policy::{Params, body};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::circuits::Circuits;
use crate::connection::Connection;
use crate::error::CommandError;
use crate::machine::Machine;
use crate::options::{CallOptions, ConnectionOptions};
use crate::text::{printable, printable_lines};

const FELL_BACK: u8 = 5;
const FAILED: u8 = 6;

/// Calls a circuit once.
///
/// # Errors
/// The circuit is not deployed, or Step Functions refused the start.
pub(crate) async fn call(connection: &ConnectionOptions, options: &CallOptions) -> Result<ExitCode, CommandError> {
    let connected = Connection::open(connection).await?;
    let circuits = Circuits::find(&connected, connection.table.as_deref()).await?;
    let machine = circuits.deployed(&options.circuit)?;
    let request = (connected.executions().start_sync_execution())
        .state_machine_arn(&machine.arn)
        .input(input(machine, options)?.to_string());
    let answer = request.send().await;
    let ended = answer.map_err(|error| CommandError::service("StartSyncExecution", &error))?;
    let answer = Answer::of(&ended);
    answer.print(options.verbose)?;
    if options.verbose {
        let states = states(&connected.step_functions(), &ended.execution_arn).await?;
        let mut err = std::io::stderr().lock();
        for line in states {
            writeln!(err, "{line}")?;
        }
    }
    Ok(answer.exit_code())
}

/// The input as the front door makes it: what does not match is said in `invalid`, and not handed on.
fn input(machine: &Machine, options: &CallOptions) -> Result<Value, CommandError> {
    let mut params = BTreeMap::new();
    for (name, value) in &options.params {
        if params.insert(name, value).is_some() {
            return Err(CommandError::Configuration {
                found: format!("parameter {} is given more than once", printable(name)),
                allowed: "allowed: each parameter once".to_owned(),
            });
        }
    }
    let params = json!(params);
    // A policy of another version may say it in another way: then the execution finds out for itself.
    let declared = serde_json::from_value(machine.policy["params"].clone()).ok();
    if let Some(Err(error)) = declared.and_then(|declared| Some(Params::compile(&declared).ok()?.check(&params))) {
        return Ok(json!({ "params": {}, "invalid": error.to_string() }));
    }
    Ok(
        match (machine.policy["call"]["body"]["maxBytes"].as_u64(), &options.body) {
            (None, None) => json!({ "params": params }),
            (None, Some(_)) => json!({ "params": {}, "invalid": "body is not supported: a call has parameters only" }),
            (Some(max_bytes), given) => {
                let given: Value = given.clone().unwrap_or_default().into();
                match body::check(&given, max_bytes) {
                    Ok(_) => json!({ "params": params, "body": given }),
                    Err(error) => json!({ "params": {}, "invalid": error.to_string() }),
                }
            }
        },
    )
}

/// What the customer gets.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    reason: String,
    body: String,
    /// Why there is no better one; for the person here, never for a customer.
    why: Option<String>,
}

/// An execution's output.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    status: u16,
    reason: String,
    content_type: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: String,
}

impl Answer {
    fn of(ended: &StartSyncExecutionOutput) -> Self {
        let failed = |status, message: &str, why: Option<String>| Self {
            status,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            reason: "failed".to_owned(),
            body: json!({ "message": message }).to_string(),
            why,
        };
        let why = || {
            let told = [ended.error.as_deref(), ended.cause.as_deref()];
            let told: Vec<_> = told.into_iter().flatten().map(printable).collect();
            (!told.is_empty()).then(|| told.join(": "))
        };
        match ended.status {
            SyncExecutionStatus::Succeeded => {
                let output = ended.output.as_deref().unwrap_or_default();
                match serde_json::from_str::<Output>(output) {
                    Ok(output) => Self::answered(output),
                    Err(error) => failed(
                        502,
                        "The request could not be completed",
                        Some(format!("the execution's output is no answer: {error}")),
                    ),
                }
            }
            SyncExecutionStatus::TimedOut => failed(504, "The request took too long", why()),
            _ => failed(502, "The request could not be completed", why()),
        }
    }

    fn answered(output: Output) -> Self {
        let mut headers: Vec<_> = output.headers.into_iter().collect();
        headers.extend(output.content_type.map(|value| ("content-type".to_owned(), value)));
        Self {
            status: output.status,
            headers,
            reason: output.reason,
            body: output.body,
            why: None,
        }
    }

    fn print(&self, verbose: bool) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        let status = http::StatusCode::from_u16(self.status).ok();
        let words = status.and_then(|status| status.canonical_reason()).unwrap_or_default();
        writeln!(out, "{}", format!("HTTP/1.1 {} {words}", self.status).trim_end())?;
        for (name, value) in &self.headers {
            writeln!(out, "{}: {}", printable(name), printable(value))?;
        }
        writeln!(out, "x-circuit: {}\n", printable(&self.reason))?;
        // Byte for byte, unless a terminal would act on it.
        if out.is_terminal() {
            writeln!(out, "{}", printable_lines(&self.body))?;
        } else {
            out.write_all(self.body.as_bytes())?;
            if !self.body.ends_with('\n') {
                writeln!(out)?;
            }
        }
        out.flush()?;
        if let (Some(why), true) = (&self.why, verbose) {
            writeln!(std::io::stderr(), "{why}")?;
        }
        Ok(())
    }

    fn exit_code(&self) -> ExitCode {
        match self.reason.as_str() {
            "live" => ExitCode::SUCCESS,
            "failed" => FAILED.into(),
            _ => FELL_BACK.into(),
        }
    }
}

/// The states that an execution passed, and how long it was in each.
async fn states(client: &Client, execution: &str) -> Result<Vec<String>, CommandError> {
    let mut events = Vec::new();
    let mut token = None;
    loop {
        let request = (client.get_execution_history())
            .execution_arn(execution)
            .include_execution_data(false)
            .set_next_token(token);
        let page = match request.send().await {
            Ok(page) => page,
            // AWS keeps no history of an EXPRESS execution but in its log.
            Err(error) if error.as_service_error().is_some() => {
                return Ok(vec![format!(
                    "The states that it passed are in the machine's log only: {execution}"
                )]);
            }
            Err(error) => return Err(CommandError::service("GetExecutionHistory", &error)),
        };
        events.extend(page.events);
        token = page.next_token;
        if token.is_none() {
            return Ok(passed(&events));
        }
    }
}

fn passed(events: &[HistoryEvent]) -> Vec<String> {
    let at = |event: &HistoryEvent| event.timestamp.to_millis().unwrap_or_default();
    let began = events.first().map(at).unwrap_or_default();
    let ended = events.last().map(at).unwrap_or_default();
    let entered: Vec<_> = events
        .iter()
        .filter_map(|event| Some((event.state_entered_event_details.as_ref()?.name.as_str(), at(event))))
        .collect();
    let left = entered.iter().skip(1).map(|(_, at)| *at).chain([ended]);
    let mut lines: Vec<_> = entered
        .iter()
        .zip(left)
        .map(|((name, at), left)| format!("{:>6} ms  {:<28} {} ms", at - began, printable(name), left - at))
        .collect();
    lines.push(format!("{:>6} ms  the end", ended - began));
    lines
}
