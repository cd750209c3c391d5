//! A function and its pool of processes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::InvokeError;
use super::invocation::Job;
use super::process::Process;

/// What a function is.
#[derive(Clone, Debug)]
pub struct FunctionSpec {
    /// Its name: `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// The executable, as Lambda's `bootstrap`.
    pub executable: PathBuf,
    /// Arguments of the executable; Lambda gives none.
    pub arguments: Vec<String>,
    /// How long one invocation may take before its process is killed.
    pub timeout: Duration,
    /// What the function is told of its memory, in MB; nothing enforces it here.
    pub memory_mb: u32,
    /// How many invocations may run at once; one more is answered 429.
    pub max_concurrency: usize,
    /// Variables of this function alone.
    pub variables: Vec<(String, String)>,
}

/// A function with its processes.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) spec: FunctionSpec,
    pub(super) arn: String,
    pool: Mutex<Pool>,
}

/// Every process is in `live` from its start to its end, and also in `idle` while it has no invocation.
#[derive(Debug, Default)]
struct Pool {
    live: HashMap<u64, Arc<Process>>,
    idle: Vec<Arc<Process>>,
    /// Processes that are being started: they count against the limit already.
    starting: usize,
}

impl Function {
    pub(super) fn new(spec: FunctionSpec, arn: String) -> Self {
        Self {
            spec,
            arn,
            pool: Mutex::default(),
        }
    }

    /// Gives the job to the process that was used last, or refuses it at the limit. Gives it back when a process has to be
    /// started for it: room for that is reserved then.
    pub(super) fn place(&self, mut job: Job) -> Option<Job> {
        loop {
            let mut pool = self.pool();
            let Some(process) = pool.idle.pop() else {
                if pool.live.len() + pool.starting < self.spec.max_concurrency {
                    pool.starting += 1;
                    return Some(job);
                }
                drop(pool);
                let (function, limit) = (self.spec.name.clone(), self.spec.max_concurrency);
                job.refuse(InvokeError::TooManyRequests { function, limit });
                return None;
            };
            drop(pool);
            // It may have died since it became idle: then the next one.
            match process.assign(job) {
                Ok(()) => return None,
                Err(refused) => job = refused,
            }
        }
    }

    /// A process exists now, in the room that was reserved for it.
    pub(super) fn started(&self, process: &Arc<Process>) {
        let mut pool = self.pool();
        pool.starting -= 1;
        pool.live.insert(process.id, Arc::clone(process));
    }

    /// The process for which room was reserved could not be started.
    pub(super) fn not_started(&self) {
        self.pool().starting -= 1;
    }

    /// A process has answered and can take the next invocation.
    pub(super) fn release(&self, process: &Arc<Process>) {
        let mut pool = self.pool();
        if pool.live.contains_key(&process.id) {
            pool.idle.push(Arc::clone(process));
        }
    }

    /// Takes a process out of the idle ones, to end it. False when it isn't idle.
    pub(super) fn retire(&self, process: &Process) -> bool {
        let mut pool = self.pool();
        let before = pool.idle.len();
        pool.idle.retain(|idle| idle.id != process.id);
        pool.idle.len() < before
    }

    /// A process has ended.
    pub(super) fn ended(&self, process: &Process) {
        let mut pool = self.pool();
        pool.live.remove(&process.id);
        pool.idle.retain(|idle| idle.id != process.id);
    }

    /// The processes that exist, oldest first.
    pub(super) fn processes(&self) -> Vec<Arc<Process>> {
        let mut processes: Vec<_> = self.pool().live.values().cloned().collect();
        processes.sort_by_key(|process| process.id);
        processes
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // Nothing under this lock can leave the pool half changed.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
