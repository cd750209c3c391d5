//! What the command says when the system can be called.

use std::io::Write;

use serde_json::json;
use stepbreaker_local::{CircuitInfo, System};

use super::LogFormat;
use super::log::colours;

/// Says that the system is ready: a block for a person, or one line of JSON.
pub(crate) fn announce(system: &System, format: LogFormat) {
    let mut out = std::io::stdout().lock();
    let written = match format {
        LogFormat::Text => {
            let bold = if colours(&std::io::stdout()) {
                ("\x1b[1m", "\x1b[0m")
            } else {
                ("", "")
            };
            writeln!(out, "{}", block(system, bold))
        }
        LogFormat::Json => writeln!(out, "{}", line(system)),
    };
    // Whoever started it may not care to read.
    let _ = written.and_then(|()| out.flush());
}

fn line(system: &System) -> serde_json::Value {
    let circuits = system.circuits().iter().map(|circuit| {
        let route = circuit
            .route
            .as_ref()
            .map(|(method, path)| json!({ "method": method, "path": path }));
        json!({ "circuit": circuit.name, "stateMachineArn": circuit.machine_arn, "route": route })
    });
    json!({
        "event": "ready",
        "frontDoor": system.front_door_url(),
        "aws": system.aws_url(),
        "stepFunctionsLocal": system.step_functions_local_url(),
        "dynamodb": system.dynamodb_url(),
        "table": system.table(),
        "circuits": circuits.collect::<Vec<_>>(),
    })
}

fn block(system: &System, (bold, plain): (&str, &str)) -> String {
    let aws = system.aws_url();
    let mut block = format!("{bold}Stepbreaker is ready.{plain}\n\n");
    let front_door = system.front_door_url();
    let circuits: String = system
        .circuits()
        .iter()
        .map(|circuit| circuit_block(circuit, &front_door))
        .collect();
    if !circuits.is_empty() {
        block += &format!("  front door   {front_door}\n");
    }
    block += &format!("  AWS          {aws}   (Step Functions, DynamoDB, Lambda)\n");
    if let Some(url) = system.step_functions_local_url() {
        block += &format!("  SFN Local    {url}   (the same, where Step Functions Local would be)\n");
    }
    if !circuits.is_empty() {
        let table = system.table();
        block += &format!("  table        {table}\n\n{bold}Circuits{plain}\n{circuits}");
    }
    let region = system.region();
    block += &format!(
        "\n{bold}For AWS SDKs and the CLI{plain}\n  \
         export AWS_ENDPOINT_URL={aws} AWS_REGION={region} AWS_DEFAULT_REGION={region} AWS_ACCESS_KEY_ID=local \
         AWS_SECRET_ACCESS_KEY=local\n\n\
         Ctrl-C stops it."
    );
    block
}

fn circuit_block(circuit: &CircuitInfo, front_door: &str) -> String {
    let name = &circuit.name;
    let call = match &circuit.route {
        Some((method, path)) => {
            let flag = if method == "HEAD" { "--head" } else { "--include" };
            let filled = circuit.example.iter().fold(path.clone(), |path, (parameter, value)| {
                path.replace(&format!("{{{parameter}}}"), value)
            });
            format!("{method} {path}\n      curl {flag} {front_door}{filled}")
        }
        None => {
            let body = json!({ "params": circuit.example });
            format!(
                "POST /circuits/{name}/calls\n      curl --include {front_door}/circuits/{name}/calls --data '{body}'"
            )
        }
    };
    format!("  {name}\n    {call}\n      curl {front_door}/circuits/{name}\n")
}
