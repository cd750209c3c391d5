//! The host: functions by name, invocations, and what they all do now.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::function::Function;
use super::invocation::Job;
use super::process::Activity;
use super::supervisor::Launcher;
use super::{FunctionSpec, Invocation, InvokeError, PAYLOAD_LIMIT, Surroundings};

/// How long [`LambdaHost::stop`] waits for killed processes to be gone.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// A local Lambda. Dropping it ends every process, [`Self::stop`] also waits for that.
#[derive(Debug)]
pub struct LambdaHost {
    functions: RwLock<BTreeMap<String, Arc<Function>>>,
    launcher: Arc<Launcher>,
    stop: watch::Sender<bool>,
}

/// A function, for whoever looks on.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// Its time-out in milliseconds.
    pub timeout_ms: u128,
    /// How many invocations may run at once.
    pub max_concurrency: usize,
    /// Its processes, oldest first.
    pub processes: Vec<ProcessReport>,
}

/// A process, for whoever looks on.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessReport {
    /// The operating system's id.
    pub pid: u32,
    /// What it does.
    pub state: ProcessState,
    /// The invocation that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProcessState {
    /// It has not asked for work yet.
    Starting,
    /// It waits for work.
    Idle,
    /// It works on an invocation.
    Busy,
}

impl LambdaHost {
    /// A host without functions.
    #[must_use]
    pub fn new(surroundings: Surroundings) -> Self {
        let (stop, stopped) = watch::channel(false);
        let living = watch::Sender::new(0);
        let launcher = Launcher {
            surroundings,
            stop: stopped,
            living,
            ids: AtomicU64::new(0),
        };
        Self {
            functions: RwLock::default(),
            launcher: Arc::new(launcher),
            stop,
        }
    }

    /// Adds a function; nothing is started before its first invocation. One of the same name is replaced for
    /// invocations to come.
    pub fn add(&self, spec: FunctionSpec) {
        let arn = self.launcher.surroundings.arn(&spec.name);
        let function = Arc::new(Function::new(spec, arn));
        let mut functions = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        functions.insert(function.spec.name.clone(), function);
    }

    /// Runs a function once and waits for its answer. `function` is a name or an ARN, with or without a qualifier.
    ///
    /// It is safe to drop the future: the process finishes on its own, or is killed at its time-out.
    ///
    /// # Errors
    /// What Lambda itself refuses. An error of the function is an [`Invocation`] with `failed`.
    pub async fn invoke(&self, function: &str, payload: Bytes) -> Result<Invocation, InvokeError> {
        let function = self.function(function)?;
        if payload.len() > PAYLOAD_LIMIT {
            return Err(InvokeError::TooLarge { size: payload.len() });
        }
        let stopped = || InvokeError::Service {
            function: function.spec.name.clone(),
            reason: "the local Lambda has stopped".to_owned(),
        };
        if *self.stop.borrow() {
            return Err(stopped());
        }
        let (job, answer) = Job::new(payload);
        self.launcher.dispatch(&function, job);
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// The processes that work on an invocation of the function now (and have taken it), by the operating system's id;
    /// empty for an unknown function.
    #[must_use]
    pub fn busy_processes(&self, function: &str) -> Vec<u32> {
        let Ok(function) = self.function(function) else {
            return Vec::new();
        };
        let processes = function.processes();
        let busy = |activity| matches!(activity, Activity::Busy { taken_at: Some(_), .. });
        processes
            .iter()
            .filter(|process| busy(process.activity()))
            .map(|process| process.pid)
            .collect()
    }

    /// All functions, by name, with what their processes do.
    #[must_use]
    pub fn report(&self) -> Vec<FunctionReport> {
        let functions: Vec<_> = self
            .functions
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect();
        functions.iter().map(|function| report(function)).collect()
    }

    /// Kills every process and waits until they are gone. Invocations under way fail; later ones are refused.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        let mut living = self.launcher.living.subscribe();
        let _ = tokio::time::timeout(STOP_LIMIT, living.wait_for(|living| *living == 0)).await;
    }

    fn function(&self, name: &str) -> Result<Arc<Function>, InvokeError> {
        let functions = self.functions.read().unwrap_or_else(PoisonError::into_inner);
        let found = functions.get(short_name(name)).cloned();
        found.ok_or_else(|| InvokeError::NotFound {
            arn: self.launcher.surroundings.arn(short_name(name)),
        })
    }
}

/// The name in `NAME`, `NAME:QUALIFIER`, `ACCOUNT:function:NAME`, and `arn:aws:lambda:REGION:ACCOUNT:function:NAME[:…]`.
fn short_name(function: &str) -> &str {
    let rest = function.split_once("function:").map_or(function, |(_, rest)| rest);
    rest.split(':').next().unwrap_or(rest)
}

fn report(function: &Function) -> FunctionReport {
    let processes = function.processes().into_iter().map(|process| {
        let (state, request_id) = match process.activity() {
            Activity::Starting => (ProcessState::Starting, None),
            Activity::Idle { .. } => (ProcessState::Idle, None),
            Activity::Busy { request_id, .. } => (ProcessState::Busy, Some(request_id)),
        };
        ProcessReport {
            pid: process.pid,
            state,
            request_id,
        }
    });
    FunctionReport {
        name: function.spec.name.clone(),
        timeout_ms: function.spec.timeout.as_millis(),
        max_concurrency: function.spec.max_concurrency,
        processes: processes.collect(),
    }
}
