//! The system, as a child process.

use std::{
    collections::VecDeque,
    env,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde::Deserialize;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, BufReader},
    process::{Child, Command},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

const START: Duration = Duration::from_secs(20);
const FAREWELL: Duration = Duration::from_secs(10);
const LINES_KEPT: usize = 20;

/// A running `stepbreaker-local`.
pub struct System {
    child: Child,
    ready: Option<oneshot::Receiver<Addresses>>,
    readers: [JoinHandle<()>; 2],
    last_lines: Arc<Mutex<VecDeque<String>>>,
}

/// The line that the system prints once it can be called.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Addresses {
    pub front_door: String,
    pub aws: String,
}

/// The system that was built together with this program.
pub fn beside_this_program() -> anyhow::Result<PathBuf> {
    let program = env::current_exe()?.with_file_name("stepbreaker-local");
    if !program.is_file() {
        bail!("{} is not there: `make demo` builds it", program.display());
    }
    Ok(program)
}

impl System {
    /// Starts the system on free ports, with these circuits.
    pub fn spawn(program: &Path, circuits: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .arg("--circuits")
            .arg(circuits)
            .args(["--port", "0", "--aws-port", "0", "--log-format", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The way out that is left when the demo itself fails.
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("can't start {}", program.display()))?;
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        let (found, ready) = oneshot::channel();
        let stdout = child.stdout.take().context("the system has no output")?;
        let stderr = child.stderr.take().context("the system has no error output")?;
        let readers = [
            tokio::spawn(read(stdout, Arc::clone(&last_lines), Some(found))),
            tokio::spawn(read(stderr, Arc::clone(&last_lines), None)),
        ];
        Ok(Self {
            child,
            ready: Some(ready),
            readers,
            last_lines,
        })
    }

    /// Waits until the system can be called.
    pub async fn ready(&mut self) -> anyhow::Result<Addresses> {
        let ready = self.ready.take().context("it was waited for already")?;
        match timeout(START, ready).await {
            Ok(Ok(addresses)) => Ok(addresses),
            Err(_) => bail!("the system was not ready within {START:?}"),
            // Its output is closed: most likely it has ended, and says how.
            Ok(Err(_)) => match timeout(Duration::from_secs(1), self.child.wait()).await {
                Ok(ended) => bail!("the system ended before it was ready: {}", ended?),
                Err(_) => bail!("the system closed its output before it was ready"),
            },
        }
    }

    /// Ends the system, which ends its own children; gives the last lines that it wrote.
    pub async fn stop(mut self) -> String {
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) {
            // It may have ended just now; then there is nothing to tell it.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if timeout(FAREWELL, self.child.wait()).await.is_err() {
            eprintln!("demo: the system did not end within {FAREWELL:?} and is killed");
            let _ = self.child.kill().await;
        }
        for reader in &mut self.readers {
            // A grandchild that holds the pipe open must not hold the demo.
            let _ = timeout(Duration::from_secs(1), reader).await;
        }
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }
}

/// Reads what the system writes, so that it never has to wait; keeps the last lines, and finds the one that says it is ready.
async fn read(
    output: impl AsyncRead + Unpin,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    mut found: Option<oneshot::Sender<Addresses>>,
) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Ok(addresses) = serde_json::from_str(&line)
            && let Some(found) = found.take()
        {
            // Nobody waits for it any more only when the demo is ending.
            let _ = found.send(addresses);
        }
        let mut kept = last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LINES_KEPT {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}
