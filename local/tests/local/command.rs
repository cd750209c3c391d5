//! The command itself, from its ready line to its end.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use stepbreaker_local::Config;

use crate::common::http::{get, post};
use crate::common::system::{circuits, config};
use crate::common::{eventually, is_alive};

struct Running {
    child: Child,
    ready: Value,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(config: &Config, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepbreaker-local"));
    command
        .args(["--port", "0", "--aws-port", "0"])
        .arg("--circuits")
        .arg(circuits(config));
    command.arg("--lambdas").arg(config.lambdas.as_ref().unwrap());
    command.arg("--definition").arg(config.definition.as_ref().unwrap());
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

fn run(config: &Config) -> Running {
    start(&mut command(config, &["--log-format", "json"]))
}

/// With the log that nobody asked to be another one, in a file.
fn run_with_log(config: &Config, log: &Path) -> Running {
    let mut command = command(config, &["--log-format", "json"]);
    command.env_remove("RUST_LOG").env_remove("SECRETS_FILE");
    start(command.stderr(File::create(log).unwrap()))
}

fn start(command: &mut Command) -> Running {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    Running {
        ready: serde_json::from_str(&line).unwrap(),
        child,
    }
}

fn wait(child: &mut Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

async fn child_of(running: &Running) -> u32 {
    let door = running.ready["frontDoor"].as_str().unwrap();
    let answer = post(door, "/circuits/tested/calls", r#"{"params":{"do":"echo"}}"#).await;
    u32::try_from(answer.json()["Payload"]["pid"].as_u64().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_the_command_and_every_child() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let files = tempfile::tempdir().unwrap();
        let mut running = run(&config(files.path()));
        let child = child_of(&running).await;
        assert!(is_alive(child));
        kill(Pid::from_raw(running.child.id().cast_signed()), signal).unwrap();
        assert!(wait(&mut running.child).success(), "{signal}");
        assert!(!is_alive(child), "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn children_do_not_outlive_a_command_that_was_killed() {
    let files = tempfile::tempdir().unwrap();
    let mut running = run(&config(files.path()));
    let child = child_of(&running).await;
    running.child.kill().unwrap();
    wait(&mut running.child);
    // It waits for work on a connection that is closed now.
    eventually("the child to end", || async { (!is_alive(child)).then_some(()) }).await;
}

#[test]
fn a_signal_ends_a_start_that_waits() {
    let files = tempfile::tempdir().unwrap();
    let config = config(files.path());
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut child = command(&config, &["--dynamodb-endpoint", &endpoint]).spawn().unwrap();
        let _asked = silent.accept().unwrap();
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        assert!(wait(&mut child).success(), "{signal}");
    }
}

#[test]
fn the_command_refuses_with_one_line_and_status_2() {
    let files = tempfile::tempdir().unwrap();
    let config = config(files.path());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepbreaker-local"));
    command
        .args(["--aws-port", "0", "--port", &port])
        .arg("--circuits")
        .arg(circuits(&config));
    command.arg("--lambdas").arg(config.lambdas.as_ref().unwrap());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(wait(&mut child).code(), Some(2));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let expected = format!(
        "stepbreaker-local: --port {port}: the port is in use; choose another one, or 0 for any that is free\n"
    );
    assert_eq!(said, expected);

    let mut child = self::command(&config, &[]).env("RUST_LOG", "a=b=c").spawn().unwrap();
    assert_eq!(wait(&mut child).code(), Some(2));
}

/// Starts the command, and reads what it tells a person.
fn announced(config: &Config) -> (Child, String) {
    let mut child = command(config, &[]).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = String::new();
    for line in lines {
        said += &line;
        said.push('\n');
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    (child, said)
}

#[test]
fn a_person_is_told_where_to_call() {
    let files = tempfile::tempdir().unwrap();
    let (mut child, said) = announced(&config(files.path()));
    child.kill().unwrap();
    child.wait().unwrap();
    for part in [
        "Stepbreaker is ready.",
        "GET /do/{do}",
        "/do/a\n",
        "curl http://127.0.0.1:",
        "/circuits/tested",
        "AWS_ENDPOINT_URL=http",
        "start-sync-execution wants --endpoint-url http://localhost:",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains('\x1b'), "no colours off a terminal");
}

#[test]
fn each_printed_call_is_one_that_its_circuit_takes() {
    let files = tempfile::tempdir().unwrap();
    let config = config(files.path());
    let pass = |max_bytes: u64| json!({ "pass": true, "maxBytes": max_bytes });
    let text = json!({ "content-type": "text/x;by=o'clock" });
    for (circuit, route, call) in [
        (
            "head",
            json!({ "method": "HEAD", "path": "/head/{do}" }),
            json!({ "method": "HEAD" }),
        ),
        (
            "queried",
            json!({ "path": "/queried", "query": ["do", "copies"] }),
            json!({}),
        ),
        (
            "posted",
            json!({ "method": "POST", "path": "/posted/{do}", "query": ["copies"] }),
            json!({ "method": "POST", "body": pass(2) }),
        ),
        (
            "put",
            json!({ "method": "PUT", "path": "/put/{do}" }),
            json!({ "method": "PUT", "headers": text, "body": pass(1) }),
        ),
        (
            "filled",
            json!({ "method": "PATCH", "path": "/filled/{do}" }),
            json!({ "method": "PATCH", "body": { "template": { "do": "{do}" } } }),
        ),
        (
            "deleted",
            json!({ "method": "DELETE", "path": "/deleted/{do}" }),
            json!({ "method": "DELETE" }),
        ),
        ("named", Value::Null, json!({ "method": "POST", "body": pass(20) })),
    ] {
        let mut policy = json!({
            "circuit": circuit, "route": route, "params": { "do": "[a-z]{1,9}" }, "call": call, "fallback": { "body": null },
        });
        let copies = if route["query"].to_string().contains("copies") {
            "&copies={copies}"
        } else {
            ""
        };
        policy["call"]["url"] = format!("http://127.0.0.1:1/x?do={{do}}{copies}").into();
        if !copies.is_empty() {
            policy["params"]["copies"] = "[0-9]".into();
        }
        if route.is_null() {
            policy.as_object_mut().unwrap().remove("route");
        }
        fs::write(circuits(&config).join(format!("{circuit}.json")), policy.to_string()).unwrap();
    }
    let (mut child, said) = announced(&config);
    let calls: Vec<_> = said
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("curl "))
        .collect();
    let answers: Vec<_> = calls.iter().map(|call| (*call, status(call))).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(calls.len(), 2 * 8, "two for each circuit: {said}");
    let wrong: Vec<_> = answers.iter().filter(|(_, status)| status != "200").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a shell gets for such a line.
fn status(call: &str) -> String {
    let line = format!("{call} --silent --show-error --max-time 10 --output /dev/null --write-out '%{{http_code}}'");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let (status, problem) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    format!("{status}{problem}")
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_of_a_function_is_in_the_log_that_nobody_asked_for() {
    let files = tempfile::tempdir().unwrap();
    let log = files.path().join("log");
    let running = run_with_log(&config(files.path()), &log);
    let door = running.ready["frontDoor"].as_str().unwrap();
    assert_eq!(get(door, "/do/warn").await.status, 200);
    let lines = eventually("the last of the function's lines", || async {
        let text = fs::read_to_string(&log).unwrap();
        text.contains("a line of trouble")
            .then(|| text.lines().map(str::to_owned).collect::<Vec<_>>())
    })
    .await;
    for (level, message) in [("WARN", "a line for everybody"), ("ERROR", "a line of trouble")] {
        let line = lines.iter().find(|line| line.contains(message)).unwrap();
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["level"], &line["target"]), (&json!(level), &json!("lambda")));
        assert_eq!(line["function"], "call-partner-tested");
    }
    let curious = lines.iter().find(|line| line.contains("a line for the curious"));
    assert_eq!(curious, None);
}

/// A circuit that needs two secrets.
fn secretive(directory: &Path) -> Config {
    let config = config(directory);
    let file = circuits(&config).join("tested.json");
    let mut policy: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    policy["call"]["secretHeaders"] = json!({
        "authorization": { "secret": "wholesaler/api", "field": "token" },
        "x-shop": { "parameter": "/wholesaler/shop" },
    });
    fs::write(file, policy.to_string()).unwrap();
    config
}

#[test]
fn a_secret_that_is_not_there_is_named_at_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let config = secretive(directory.path());
    let (log, secrets) = (directory.path().join("log"), directory.path().join("secrets.json"));
    let warnings = |secrets: Option<&Path>| -> Vec<Value> {
        let mut command = command(&config, &["--log-format", "json"]);
        command.env_remove("RUST_LOG").env_remove("SECRETS_FILE");
        command.envs(secrets.map(|file| ("SECRETS_FILE", file)));
        drop(start(command.stderr(File::create(&log).unwrap())));
        let text = fs::read_to_string(&log).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines
            .filter(|line: &Value| line["level"] == "WARN" && line["header"].is_string())
            .collect()
    };
    let assert_named = |line: &Value, header: &str, parts: [&str; 2]| {
        assert_eq!((&line["circuit"], &line["header"]), (&json!("tested"), &json!(header)));
        let message = line["message"].as_str().unwrap();
        assert!(parts.iter().all(|part| message.contains(part)), "{parts:?}: {message}");
    };

    let unset = warnings(None);
    assert_eq!(unset.len(), 2, "{unset:?}");
    assert_named(
        &unset[0],
        "authorization",
        ["secret \"wholesaler/api\"", "SECRETS_FILE is not set"],
    );
    assert_named(
        &unset[1],
        "x-shop",
        ["parameter \"/wholesaler/shop\"", "SECRETS_FILE is not set"],
    );

    fs::write(
        &secrets,
        json!({ "wholesaler/api": { "token": "planted" } }).to_string(),
    )
    .unwrap();
    let lacking = warnings(Some(&secrets));
    assert_eq!(lacking.len(), 1, "{lacking:?}");
    assert_named(
        &lacking[0],
        "x-shop",
        ["parameter \"/wholesaler/shop\"", "SECRETS_FILE has no such name"],
    );

    let whole = json!({ "wholesaler/api": { "token": "planted" }, "/wholesaler/shop": "planted" });
    fs::write(&secrets, whole.to_string()).unwrap();
    assert_eq!(warnings(Some(&secrets)), Vec::<Value>::new());
}

#[test]
fn a_secrets_file_that_can_not_be_used_is_refused_where_a_policy_needs_it() {
    let directory = tempfile::tempdir().unwrap();
    let config = secretive(directory.path());
    let file = directory.path().join("secrets.json");
    let refusal = || {
        let mut command = command(&config, &[]);
        let mut child = command
            .env("SECRETS_FILE", &file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        assert_eq!(wait(&mut child).code(), Some(2));
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    };
    let start = format!("stepbreaker-local: SECRETS_FILE {}: ", file.display());
    let missing = refusal();
    assert!(
        missing.starts_with(&start) && missing.contains("No such file"),
        "{missing}"
    );
    for text in ["planted", "[\"planted\"]"] {
        fs::write(&file, text).unwrap();
        let malformed = refusal();
        assert!(
            malformed.starts_with(&format!("{start}no JSON object, allowed: ")),
            "{malformed}"
        );
        assert!(!malformed.contains("planted"), "{malformed}");
    }

    let other = tempfile::tempdir().unwrap();
    let unneeded = self::config(other.path());
    let mut command = command(&unneeded, &["--log-format", "json"]);
    drop(self::start(command.env("SECRETS_FILE", "/nowhere.json")));
}

#[test]
fn the_help_names_the_variables_that_stand_for_no_option() {
    let help = Command::new(env!("CARGO_BIN_EXE_stepbreaker-local"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for name in ["SECRETS_FILE", "RUST_LOG", "NO_COLOR"] {
        assert!(help.contains(&format!("\n  {name} ")), "{help}");
    }
}
