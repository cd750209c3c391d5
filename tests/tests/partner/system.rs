//! The system as a program of its own, so that everything that it writes can be read.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A running system; it is killed when it is dropped.
pub struct System {
    child: Child,
    ready: Value,
    directory: TempDir,
}

/// What came back: everything as text, as it came.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| *found == name).map_or("", |(_, value)| value)
    }
}

fn binary() -> PathBuf {
    let executable = std::env::current_exe().unwrap();
    let binary = executable
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("stepbreaker-local");
    assert!(
        binary.is_file(),
        "{} is missing; build it with `cargo build --bins`",
        binary.display()
    );
    binary
}

impl System {
    /// Starts it with these policies, these secrets and the most talkative log.
    pub fn start(policies: &[Value], secrets: &Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("circuits")).unwrap();
        for policy in policies {
            let name = format!("circuits/{}.json", policy["circuit"].as_str().unwrap());
            std::fs::write(at(&name), policy.to_string()).unwrap();
        }
        std::fs::write(at("secrets.json"), secrets.to_string()).unwrap();
        let mut child = Command::new(binary())
            .args(["--port", "0", "--aws-port", "0", "--log-format", "json", "--circuits"])
            .arg(at("circuits"))
            .env("RUST_LOG", "trace")
            .env("SECRETS_FILE", at("secrets.json"))
            .stdout(Stdio::piped())
            .stderr(File::create(at("log")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready = serde_json::from_str(&line).unwrap_or_else(|_| {
            let log = std::fs::read_to_string(at("log")).unwrap();
            panic!("it did not start: {}", &log[log.len().saturating_sub(2_000)..])
        });
        Self {
            child,
            ready,
            directory,
        }
    }

    /// What all of its processes wrote so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.directory.path().join("log")).unwrap()).into_owned()
    }

    /// A request to the front door, with the path as it is.
    pub async fn ask(&self, method: &str, path: &str, body: &[u8]) -> Reply {
        send(self.ready["frontDoor"].as_str().unwrap(), method, path, "", body).await
    }

    /// A call by name.
    pub async fn call(&self, circuit: &str, input: &Value) -> Reply {
        let path = format!("/circuits/{circuit}/calls");
        self.ask("POST", &path, input.to_string().as_bytes()).await
    }

    /// A path of the AWS port.
    pub async fn local(&self, path: &str) -> Reply {
        send(self.ready["aws"].as_str().unwrap(), "GET", path, "", b"").await
    }

    /// An operation of one of AWS's JSON protocols.
    pub async fn aws(&self, target: &str, parameters: &Value) -> Reply {
        let headers = format!(
            "content-type: application/x-amz-json-1.0\r\nx-amz-target: {target}\r\nx-amz-date: 20250101T000000Z\r\n\
             authorization: AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0\r\n"
        );
        let body = parameters.to_string();
        send(
            self.ready["aws"].as_str().unwrap(),
            "POST",
            "/",
            &headers,
            body.as_bytes(),
        )
        .await
    }

    pub fn machine(&self, circuit: &str) -> String {
        let circuits = self.ready["circuits"].as_array().unwrap();
        let found = circuits.iter().find(|found| found["circuit"] == circuit).unwrap();
        found["stateMachineArn"].as_str().unwrap().to_owned()
    }

    pub fn table(&self) -> &str {
        self.ready["table"].as_str().unwrap()
    }

    /// Waits for the end of an execution: its description, as it came.
    pub async fn ended(&self, execution: &Value) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let described = self
                .aws(
                    "AWSStepFunctions.DescribeExecution",
                    &json!({ "executionArn": execution }),
                )
                .await;
            if !described.body.contains("\"RUNNING\"") {
                return described.body;
            }
            assert!(Instant::now() < deadline, "{execution} still runs");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Starts an execution directly: its status, and its output, or its error.
    pub async fn start_sync(&self, circuit: &str, input: &Value) -> (String, Value) {
        let start = json!({ "stateMachineArn": self.machine(circuit), "input": input.to_string() });
        let reply = self.aws("AWSStepFunctions.StartSyncExecution", &start).await;
        let described: Value = serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{reply:?}"));
        let output = described["output"]
            .as_str()
            .map(|text| serde_json::from_str(text).unwrap());
        (
            described["status"]
                .as_str()
                .unwrap_or_else(|| panic!("{described}"))
                .to_owned(),
            output.unwrap_or(described["error"].clone()),
        )
    }
}

impl Drop for System {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client's library would mend a path that has dots in it, so the request is written by hand.
async fn send(base: &str, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
    let host = base.strip_prefix("http://").unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.unwrap();
    let reply = String::from_utf8(reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    Reply {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
