//! `status --watch` into a pipe: a line per change.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;

use crate::common::{CIRCUIT, Stage, eventually};

/// A running `status --watch`, and what it has said.
pub struct Watch {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
    reader: JoinHandle<()>,
}

impl Watch {
    pub fn start(stage: &Stage, more: &[&str]) -> Self {
        let arguments = [&["status", "--watch", "--every", "100ms"], more].concat();
        let mut child = stage.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (said, mut out) = (Arc::clone(&lines), BufReader::new(child.stdout.take().unwrap()).lines());
        let reader = tokio::spawn(async move {
            while let Ok(Some(line)) = out.next_line().await {
                said.lock().unwrap().push(line);
            }
        });
        Self { child, lines, reader }
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Waits until that many lines are there, and the last of them says this.
    pub async fn wait_for(&self, count: usize, text: &str) {
        let what = format!("line {count} with {text:?}");
        eventually(&what, || async {
            self.lines()
                .get(count - 1)
                .map(|line| assert!(line.contains(text), "{what}: {line}"))
        })
        .await;
    }

    /// Ends it as Ctrl-C does; gives all that it said.
    pub async fn end(mut self) -> Vec<String> {
        kill(Pid::from_raw(self.child.id().unwrap().cast_signed()), Signal::SIGINT).unwrap();
        let status = tokio::time::timeout(Duration::from_secs(30), self.child.wait())
            .await
            .unwrap()
            .unwrap();
        assert!(status.success(), "{status}");
        self.reader.await.unwrap();
        self.lines.lock().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_a_state_is_one_line_without_escape_codes() {
    let stage = Stage::start().await;
    let watch = Watch::start(&stage, &[]);
    watch.wait_for(1, "  wholesaler-stock  closed").await;
    stage.trip().await;
    watch.wait_for(2, "  wholesaler-stock  open for ").await;
    stage.run(&["open", CIRCUIT, "--reason", "maintenance"]).await.ended(0);
    watch
        .wait_for(3, "  forced open until lifted, by ana: maintenance")
        .await;
    let lines = watch.end().await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(!lines.concat().contains('\u{1b}'), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_an_object_with_json() {
    let stage = Stage::start().await;
    let watch = Watch::start(&stage, &["--json"]);
    watch.wait_for(1, r#""state":"closed""#).await;
    stage.run(&["close", CIRCUIT]).await.ended(0);
    watch.wait_for(2, r#""forced":{"kind":"CLOSED""#).await;
    for line in watch.end().await {
        let told: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (&told["circuit"], told["at"].is_string()),
            (&json!(CIRCUIT), true),
            "{line}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_goes_down_is_told_and_does_not_end_it() {
    let stage = Stage::start().await;
    let watch = Watch::start(&stage, &[CIRCUIT]);
    watch.wait_for(1, "closed").await;
    stage.system.stop().await;
    watch.wait_for(2, "can't be read").await;
    watch.end().await;
}
