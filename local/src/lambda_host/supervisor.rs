//! What starts a process, watches over it and ends it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, Command};
use tokio::sync::watch;

use super::function::Function;
use super::invocation::Job;
use super::process::{Activity, Process};
use super::runtime_api::RuntimeApi;
use super::{InvokeError, Surroundings, log};
use crate::http::{StopReceiver, serve, stopped};

/// How long a process may take until it asks for work. Lambda gives the same
/// (<https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html>), and then starts over; here the
/// invocation fails with `Sandbox.Timedout`.
const INIT_LIMIT: Duration = Duration::from_secs(10);

/// How long a process is kept without work.
const IDLE_LIMIT: Duration = Duration::from_secs(300);

/// Starts processes, for all functions of a host.
#[derive(Debug)]
pub(super) struct Launcher {
    pub(super) surroundings: Surroundings,
    pub(super) stop: StopReceiver,
    /// How many processes exist.
    pub(super) living: watch::Sender<usize>,
    pub(super) ids: AtomicU64,
}

impl Launcher {
    /// Sees to it that some process of the function works on the job, or that it is refused.
    pub(super) fn dispatch(self: &Arc<Self>, function: &Arc<Function>, job: Job) {
        if let Some(job) = function.place(job) {
            // Starting a process takes about a millisecond of the thread, and it must not be half done when the caller
            // gives up.
            let (launcher, function) = (Arc::clone(self), Arc::clone(function));
            tokio::task::spawn_blocking(move || launcher.launch(function, job));
        }
    }

    fn launch(self: Arc<Self>, function: Arc<Function>, job: Job) {
        match self.start(&function) {
            Ok((child, pid, listener)) => {
                let id = self.ids.fetch_add(1, Ordering::Relaxed);
                let process = Arc::new(Process::new(id, pid, job));
                function.started(&process);
                tracing::debug!(function = function.spec.name, pid, "process started");
                self.living.send_modify(|living| *living += 1);
                let supervisor = Supervisor {
                    launcher: self,
                    function,
                    process,
                    child,
                };
                tokio::spawn(supervisor.run(listener));
            }
            Err(error) => {
                function.not_started();
                let (function, reason) = (function.spec.name.clone(), error.to_string());
                tracing::error!(function, %error, "process could not be started");
                job.refuse(InvokeError::Service { function, reason });
            }
        }
    }

    fn start(&self, function: &Function) -> io::Result<(Child, u32, tokio::net::TcpListener)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let spec = &function.spec;
        let mut child = Command::new(&spec.executable)
            .args(&spec.arguments)
            .env_clear()
            .envs(self.surroundings.of(spec, listener.local_addr()?))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C on the terminal reaches the host alone, which then ends its children, and what
            // a child starts ends with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().ok_or_else(|| io::Error::other("it ended at once"))?;
        if let Some(pipe) = child.stdout.take() {
            tokio::spawn(log::forward(pipe, spec.name.clone(), pid));
        }
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(log::forward(pipe, spec.name.clone(), pid));
        }
        Ok((child, pid, tokio::net::TcpListener::from_std(listener)?))
    }
}

/// Owns one child until its end.
struct Supervisor {
    launcher: Arc<Launcher>,
    function: Arc<Function>,
    process: Arc<Process>,
    child: Child,
}

/// Why a process ends.
enum End {
    Exited(Option<ExitStatus>),
    TimedOut(Job, Duration),
    Idle,
    Stopped,
}

impl Supervisor {
    async fn run(mut self, listener: tokio::net::TcpListener) {
        let api = RuntimeApi {
            function: Arc::clone(&self.function),
            process: Arc::clone(&self.process),
        };
        let handler = move |request| api.clone().answer(request);
        let server = tokio::spawn(serve(listener, self.launcher.stop.clone(), handler));
        let end = self.watch().await;
        server.abort();
        // The whole group, and also after an exit: a child's own children go with it.
        let _ = killpg(Pid::from_raw(self.process.pid.cast_signed()), Signal::SIGKILL);
        self.function.ended(&self.process);
        self.settle(end);
        let _ = self.child.wait().await;
        self.launcher.living.send_modify(|living| *living -= 1);
    }

    /// Until there is a reason to end the process.
    async fn watch(&mut self) -> End {
        let started = Instant::now();
        let timeout = self.function.spec.timeout;
        let mut stop = self.launcher.stop.clone();
        loop {
            let until = match self.process.activity() {
                Activity::Starting => started + INIT_LIMIT,
                Activity::Idle { .. } | Activity::Busy { .. } => self
                    .process
                    .deadline(timeout)
                    .unwrap_or_else(|| Instant::now() + IDLE_LIMIT),
            };
            tokio::select! {
                status = self.child.wait() => return End::Exited(status.ok()),
                () = stopped(&mut stop) => return End::Stopped,
                () = self.process.wait_for_work() => {}
                () = tokio::time::sleep_until(until.into()) => if let Some(end) = self.due(timeout) {
                    return end;
                },
            }
        }
    }

    /// What the passing of time means for the process now.
    fn due(&self, timeout: Duration) -> Option<End> {
        match self.process.activity() {
            Activity::Starting => Some(match self.process.abandon() {
                Some(job) => End::TimedOut(job, INIT_LIMIT),
                None => End::Idle,
            }),
            Activity::Busy { .. } => self.process.overdue(timeout).map(|job| End::TimedOut(job, timeout)),
            Activity::Idle { since } => {
                (since.elapsed() >= IDLE_LIMIT && self.function.retire(&self.process)).then_some(End::Idle)
            }
        }
    }

    /// Answers whoever waits for the process that has ended.
    fn settle(&self, end: End) {
        let (function, pid) = (&self.function.spec.name, self.process.pid);
        let left = self.process.bury();
        match end {
            End::TimedOut(job, after) => {
                tracing::warn!(
                    function,
                    pid,
                    request_id = job.request_id,
                    ?after,
                    "killed at its time-out"
                );
                job.time_out(after);
            }
            End::Exited(status) => {
                let how = status.map_or_else(|| "Runtime exited".to_owned(), how);
                tracing::warn!(function, pid, busy = left.is_some(), "{how}");
                match left {
                    Some((job, true)) => self.launcher.dispatch(&self.function, job),
                    Some((job, false)) => job.exit(&how),
                    None => {}
                }
            }
            End::Idle => match left {
                Some((job, _)) => self.launcher.dispatch(&self.function, job),
                None => tracing::debug!(function, pid, "ended after a long time without work"),
            },
            // The job is dropped: its caller learns that the host has stopped.
            End::Stopped => {}
        }
    }
}

/// How a process ended, in Lambda's words.
fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal().map(Signal::try_from)) {
        (Some(0), _) => "Runtime exited without providing a reason".to_owned(),
        (Some(code), _) => format!("Runtime exited with error: exit status {code}"),
        (None, Some(Ok(Signal::SIGKILL))) => "Runtime exited with error: signal: killed".to_owned(),
        (None, Some(Ok(Signal::SIGABRT))) => "Runtime exited with error: signal: aborted".to_owned(),
        (None, Some(Ok(Signal::SIGSEGV))) => "Runtime exited with error: signal: segmentation fault".to_owned(),
        (None, Some(Ok(signal))) => format!("Runtime exited with error: signal: {signal}"),
        (None, _) => "Runtime exited".to_owned(),
    }
}
