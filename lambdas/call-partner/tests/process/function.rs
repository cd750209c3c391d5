//! The function's process, and Lambda's runtime API for it
//! (<https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>).

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use crate::server::{answer, serve};

/// Longer than any invocation of a test may take.
const WITHIN: Duration = Duration::from_secs(20);

/// A running function; it is killed when it is dropped.
pub struct Function {
    child: Child,
    events: mpsc::UnboundedSender<Value>,
    results: mpsc::UnboundedReceiver<Value>,
    directory: TempDir,
}

impl Function {
    /// Starts it with these variables and the most talkative log.
    pub async fn start(variables: &[(&str, String)]) -> Self {
        let (events, waiting) = mpsc::unbounded_channel::<Value>();
        let (send, results) = mpsc::unbounded_channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let address = serve(move |request| {
            let (waiting, send) = (Arc::clone(&waiting), send.clone());
            async move {
                if request.line().starts_with("GET ") {
                    let event = waiting.lock().await.recv().await?;
                    let headers = "lambda-runtime-aws-request-id: 8476a536-e9f4-11e8-9739-2dfe598c3fcd\r\n\
                                   lambda-runtime-deadline-ms: 4102444800000\r\n\
                                   lambda-runtime-invoked-function-arn: arn:aws:lambda:eu-central-1:1:function:f\r\n";
                    return Some(answer(200, headers, &event.to_string()));
                }
                let result: Value = serde_json::from_str(&request.body).unwrap_or_default();
                let _ = send.send(result);
                Some(answer(202, "", ""))
            }
        })
        .await;
        let directory = tempfile::tempdir().unwrap();
        let log = |name: &str| Stdio::from(File::create(directory.path().join(name)).unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_call-partner"));
        command
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "call-partner-tested")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")
            .env("AWS_REGION", "eu-central-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("RUST_LOG", "trace")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(log("stdout"))
            .stderr(log("stderr"));
        Self {
            child: command.spawn().unwrap(),
            events,
            results,
            directory,
        }
    }

    /// One invocation.
    pub async fn invoke(&mut self, event: Value) -> Value {
        self.events.send(event).unwrap();
        let result = timeout(WITHIN, self.results.recv()).await;
        result.expect("an answer in time").expect("the runtime API lives")
    }

    /// What it wrote to both of its outputs.
    pub fn log(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.directory.path().join(name)).unwrap();
        read("stdout") + &read("stderr")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.pid().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An event for a call of this URL, whose `{key}` takes anything.
pub fn event(url: &str) -> Value {
    json!({
        "policy": {
            "circuit": "tested",
            "params": {"key": ".{1,200}"},
            "call": {"method": "GET", "url": url, "headers": {}, "timeoutMs": 8_000, "maxResponseBytes": 200_000}
        },
        "params": {"key": "k"},
        "circuit": {},
        "execution": "arn:aws:states:eu-central-1:1:express:circuit-tested:a:b"
    })
}
