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
    // The CLI puts `sync-` before the host's name, and `sync-127.0.0.1` is none.
    let by_name = aws.replace("127.0.0.1", "localhost");
    block += &format!(
        "\n{bold}For AWS SDKs and the CLI{plain}\n  \
         export AWS_ENDPOINT_URL={aws} AWS_REGION={region} AWS_DEFAULT_REGION={region} AWS_ACCESS_KEY_ID=local \
         AWS_SECRET_ACCESS_KEY=local\n  \
         aws stepfunctions start-sync-execution wants --endpoint-url {by_name} too, and 127.0.0.1 sync-localhost in \
         /etc/hosts\n\n\
         Ctrl-C stops it."
    );
    block
}

fn circuit_block(circuit: &CircuitInfo, front_door: &str) -> String {
    let name = &circuit.name;
    let call = match &circuit.route {
        Some((method, path)) => {
            format!(
                "{method} {path}\n      {}",
                route_call(circuit, method, path, front_door)
            )
        }
        None => {
            let mut body = json!({ "params": circuit.example });
            if let Some(example) = &circuit.example_body {
                body["body"] = example.text.as_str().into();
            }
            let body = quoted(&body.to_string());
            format!(
                "POST /circuits/{name}/calls\n      curl --include {front_door}/circuits/{name}/calls --data {body}"
            )
        }
    };
    format!("  {name}\n    {call}\n      curl {front_door}/circuits/{name}\n")
}

fn route_call(circuit: &CircuitInfo, method: &str, path: &str, front_door: &str) -> String {
    let flags = match method {
        "GET" => "--include".to_owned(),
        // With `--request HEAD` curl would wait for a body.
        "HEAD" => "--head".to_owned(),
        _ => format!("--include --request {method}"),
    };
    let filled = circuit
        .example
        .iter()
        .fold(path.to_owned(), |path, (parameter, value)| {
            path.replace(&format!("{{{parameter}}}"), value)
        });
    let query: Vec<_> = circuit
        .query
        .iter()
        .filter_map(|name| Some(format!("{name}={}", circuit.example.get(name)?)))
        .collect();
    let url = if query.is_empty() {
        format!("{front_door}{filled}")
    } else {
        // A shell takes ? and & for its own.
        quoted(&format!("{front_door}{filled}?{}", query.join("&")))
    };
    let data = circuit.example_body.as_ref().map(|body| {
        let header = quoted(&format!("content-type: {}", body.content_type));
        format!(" --header {header} --data {}", quoted(&body.text))
    });
    format!("curl {flags} {url}{}", data.unwrap_or_default())
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
