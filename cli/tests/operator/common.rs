//! A local system with one circuit, its partner, and the command.

use std::future::Future;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use scripted_partner::{Partner, Script};
use serde_json::{Value, json};
use stepbreaker_local::{Config, System};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

pub const CIRCUIT: &str = "wholesaler-stock";
pub const CALL: [&str; 3] = ["call", CIRCUIT, "isbn=9783161484100"];
const LIMIT: Duration = Duration::from_secs(30);

/// Waits until the condition gives something.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut condition: impl FnMut() -> F) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = condition().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {LIMIT:?} for: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What a run of the command came to.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// That it ended so; gives what it said.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// The whole system, the partner of its one circuit, and a home without any configuration of AWS.
pub struct Stage {
    pub system: System,
    pub partner: Partner,
    home: TempDir,
}

/// Two failures open it, for longer than any test takes; a call may take long.
pub fn policy(partner: &Partner) -> Value {
    json!({
        "circuit": CIRCUIT,
        "params": { "isbn": "[0-9]{13}" },
        "call": { "url": partner.url("/stock/{isbn}"), "timeoutMs": 15_000 },
        "trip": { "failures": 2, "windowMs": 600_000 },
        "open": { "forMs": 600_000 },
        "fallback": { "body": { "deliveryDays": null } },
    })
}

impl Stage {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(change: impl FnOnce(&mut Value)) -> Self {
        let partner = Partner::start(Script::default()).unwrap();
        let home = tempfile::tempdir().unwrap();
        let circuits = home.path().join("circuits");
        std::fs::create_dir(&circuits).unwrap();
        let mut policy = policy(&partner);
        change(&mut policy);
        std::fs::write(circuits.join(format!("{CIRCUIT}.json")), policy.to_string()).unwrap();
        let system = System::start(Config::new(circuits))
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Self { system, partner, home }
    }

    pub fn play(&self, script: &Value) {
        self.partner
            .set(serde_json::from_value::<Script>(script.clone()).unwrap());
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The environment of a person who works with the local system.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("HOME", self.home().display().to_string()),
            ("USER", "ana".to_owned()),
            ("AWS_ENDPOINT_URL", self.system.aws_url()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ]
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepbreaker"));
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    pub async fn run(&self, arguments: &[&str]) -> Said {
        Said::of(&self.command(arguments).output().await.unwrap())
    }

    /// `status --json` of the circuit.
    pub async fn standing(&self) -> Value {
        self.run(&["status", CIRCUIT, "--json"]).await.ended(0).json()
    }

    /// Opens it as two failures do.
    pub async fn trip(&self) {
        self.play(&json!([{ "answer": { "status": 503 } }]));
        for _ in 0..2 {
            self.run(&CALL).await.ended(5);
        }
        assert_eq!(self.standing().await["state"], "open");
    }

    /// One operation of DynamoDB on the table of circuits.
    pub async fn dynamodb(&self, operation: &str, mut request: Value) -> Value {
        request["TableName"] = self.system.table().into();
        aws(
            &self.system.aws_url(),
            &format!("DynamoDB_20120810.{operation}"),
            &request,
        )
        .await
    }

    /// The item of a circuit; null where there is none.
    pub async fn item(&self, circuit: &str) -> Value {
        let key = json!({ "circuit": { "S": circuit } });
        self.dynamodb("GetItem", json!({ "Key": key, "ConsistentRead": true }))
            .await["Item"]
            .take()
    }

    pub async fn put(&self, mut item: Value) {
        if item["circuit"].is_null() {
            item["circuit"] = json!({ "S": CIRCUIT });
        }
        self.dynamodb("PutItem", json!({ "Item": item })).await;
    }
}

/// One operation of an AWS JSON protocol, as `Service.Operation`.
pub async fn aws(base: &str, target: &str, body: &Value) -> Value {
    let host = base.strip_prefix("http://").unwrap();
    let body = body.to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/x-amz-json-1.0\r\n\
         x-amz-target: {target}\r\nx-amz-date: 20250101T000000Z\r\nauthorization: AWS4-HMAC-SHA256 \
         Credential=a/20250101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{target}: {answer}");
    serde_json::from_str(body).unwrap()
}

/// A circuit's epoch as it is stored.
pub fn epoch(item: &Value) -> u64 {
    item["epoch"]["N"].as_str().unwrap().parse().unwrap()
}
