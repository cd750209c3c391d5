//! A Lambda function for tests, written against the bare Runtime API: it does what its payload's `do` says.
//!
//! The executable is the tests' own, started with the name of an ignored test that calls [`run`].

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

/// The name of the ignored test that is the function.
pub const ENTRY: &str = "scripted_function";

/// The executable and its arguments.
pub fn command() -> (PathBuf, Vec<String>) {
    let executable = std::env::current_exe().expect("a test knows its executable");
    let arguments = [ENTRY, "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    (executable, arguments.map(str::to_owned).to_vec())
}

/// Serves invocations until the host closes the connection. Returns at once when no host started it.
pub fn run() {
    let Ok(host) = std::env::var("AWS_LAMBDA_RUNTIME_API") else {
        return;
    };
    if std::env::var("FAIL_INIT").is_ok() {
        let error = json!({ "errorType": "Test.NotConfigured", "errorMessage": "no table" });
        post(&host, "init/error", &error.to_string());
        std::process::exit(1);
    }
    if std::env::var("DIE_IN_INIT").is_ok() {
        std::process::exit(3);
    }
    loop {
        let Some((head, body)) = get(&host, "invocation/next") else {
            return;
        };
        let id = header(&head, "lambda-runtime-aws-request-id");
        let event: Value = serde_json::from_str(&body).expect("payloads are JSON");
        answer(&host, &head, &id, &event);
    }
}

fn answer(host: &str, head: &str, id: &str, event: &Value) {
    let respond = |body: &str| post(host, &format!("invocation/{id}/response"), body);
    match event["do"].as_str().unwrap_or_default() {
        "sleep" => {
            std::thread::sleep(Duration::from_millis(event["ms"].as_u64().unwrap_or_default()));
            respond("\"slept\"");
        }
        "fail" => {
            let error = json!({ "errorType": "Test.Refused", "errorMessage": "as asked" });
            post(host, &format!("invocation/{id}/error"), &error.to_string());
        }
        "fail without a type" => post(host, &format!("invocation/{id}/error"), "{}"),
        "exit" => std::process::exit(7),
        "exit well" => std::process::exit(0),
        "abort" => std::process::abort(),
        "large" => respond(&"x".repeat(event["bytes"].as_u64().unwrap_or_default() as usize)),
        "nonsense" => respond("this is not JSON"),
        "answer, then exit" => {
            respond("\"done\"");
            std::process::exit(0);
        }
        "answer another" => {
            post(
                host,
                "invocation/00000000-0000-0000-0000-000000000000/response",
                "\"stolen\"",
            );
            respond("\"own\"");
        }
        "environment" => {
            let variables: serde_json::Map<String, Value> =
                std::env::vars().map(|(name, value)| (name, value.into())).collect();
            respond(&Value::Object(variables).to_string());
        }
        "warn" => {
            // As the functions write their logs.
            for (level, message) in [
                ("INFO", "a line for the curious"),
                ("WARN", "a line for everybody"),
                ("ERROR", "a line of trouble"),
            ] {
                let line = json!({ "level": level, "message": message });
                writeln!(std::io::stdout(), "{line}").expect("the host reads");
            }
            respond("\"warned\"");
        }
        "headers" => respond(&json!({ "head": head, "pid": std::process::id() }).to_string()),
        "give" => respond(&event["value"].to_string()),
        _ => respond(&json!({ "pid": std::process::id(), "event": event }).to_string()),
    }
}

fn get(host: &str, path: &str) -> Option<(String, String)> {
    exchange(
        host,
        &format!("GET /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"),
    )
}

fn post(host: &str, path: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "POST /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    exchange(host, &(head + body));
}

fn exchange(host: &str, request: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(host).ok()?;
    // The host may answer before it has read a body that is too large.
    let _ = stream.write_all(request.as_bytes());
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut body = String::new();
    reader.read_to_string(&mut body).ok()?;
    Some((head, body))
}

fn header(head: &str, name: &str) -> String {
    let found = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}
