//! The command itself, from its ready line to its end.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use stepbreaker_local::Config;

use crate::common::http::post;
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
    let mut child = command(config, &["--log-format", "json"]).spawn().unwrap();
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
        assert!(Instant::now() < deadline, "it did not end");
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

#[test]
fn a_person_is_told_where_to_call() {
    let files = tempfile::tempdir().unwrap();
    let mut child = command(&config(files.path()), &[]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = String::new();
    for line in lines.by_ref() {
        said += &line;
        said.push('\n');
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for part in [
        "Stepbreaker is ready.",
        "GET /do/{do}",
        "/do/a\n",
        "curl http://127.0.0.1:",
        "/circuits/tested",
        "AWS_ENDPOINT_URL=http",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains('\x1b'), "no colours off a terminal");
}
