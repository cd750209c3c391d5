//! One execution under way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::Value;
use states_language::{NoObserver, Observer, Outcome, Start, SystemClock, Tasks, run};
use time::OffsetDateTime;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Kind;
use super::execution::{End, Execution, Status, Stoppable};
use super::executions::{Executions, Seat};
use super::journal;

/// The longest EXPRESS execution.
const EXPRESS_LIMIT: Duration = Duration::from_secs(300);

/// What an execution runs with.
pub(super) struct Running<T> {
    pub(super) execution: Arc<Execution>,
    pub(super) tasks: T,
    pub(super) observer: Option<Arc<dyn Observer>>,
    /// Where it is kept while it runs and after its end; none if nobody may see it.
    pub(super) executions: Option<Arc<Executions>>,
    /// Hears when it is to stop, if it can be stopped.
    pub(super) stoppable: Option<Stoppable>,
    /// Given back when it has ended.
    pub(super) seat: Seat,
}

/// An execution that whoever started it waits for. It runs in the waiter's own task, which saves waking another thread; when
/// the waiter goes away it goes on in a task of its own.
pub(super) struct Attended(Option<Pin<Box<dyn Future<Output = Option<Outcome>> + Send>>>);

impl Future for Attended {
    type Output = Option<Outcome>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(running) = &mut self.0 else {
            return Poll::Ready(None);
        };
        // A bug of the engine must not take the waiter with it: others of its requests may be under way.
        let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context)));
        let polled = polled.unwrap_or(Poll::Ready(None));
        if polled.is_ready() {
            self.0 = None;
        }
        polled
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if let (Some(running), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(running);
        }
    }
}

impl<T: Tasks + 'static> Running<T> {
    /// Runs it to its end while somebody waits for that, and if need be without. The outcome is none of one that was
    /// stopped, or met a bug.
    pub(super) fn attended(self, input: Value) -> Attended {
        Attended(Some(Box::pin(self.run(input))))
    }

    /// Runs it to its end in a task of its own.
    pub(super) fn spawn(self, input: Value) {
        tokio::spawn(self.run(input));
    }

    async fn run(self, input: Value) -> Option<Outcome> {
        let mut ending = Ending {
            execution: Arc::clone(&self.execution),
            executions: self.executions.clone(),
            end: None,
            _over: None,
            _seat: self.seat,
        };
        let start = start(&self.execution, input);
        let asked = self.stoppable.map(|Stoppable { asked, ended }| {
            ending._over = Some(ended);
            asked
        });
        let outcome = {
            let machine = &self.execution.machine.machine;
            let journal = self.executions.as_ref().map(|_| &self.execution.journal);
            let running = async {
                match (journal, self.observer.as_deref()) {
                    (Some(journal), Some(observer)) => {
                        run(machine, start, &self.tasks, &SystemClock, &(journal, observer)).await
                    }
                    (Some(journal), None) => run(machine, start, &self.tasks, &SystemClock, journal).await,
                    (None, Some(observer)) => run(machine, start, &self.tasks, &SystemClock, observer).await,
                    (None, None) => run(machine, start, &self.tasks, &SystemClock, &NoObserver).await,
                }
            };
            match asked {
                None => Ok(running.await),
                // Its first step comes first: one that is stopped at once has begun too.
                Some(asked) => tokio::select! {
                    biased;
                    outcome = running => Ok(outcome),
                    Ok(stop) = asked => Err(stop),
                },
            }
        };
        let at = OffsetDateTime::now_utc();
        let (status, stop, outcome) = match outcome {
            Ok(outcome) => (Status::of(&outcome), None, Some(outcome)),
            Err(stop) => (Status::Aborted, Some(stop), None),
        };
        ending.end = Some(End { at, status, stop });
        outcome
    }
}

/// Ends an execution when it is dropped, which it also is when the engine panics.
struct Ending {
    execution: Arc<Execution>,
    executions: Option<Arc<Executions>>,
    end: Option<End>,
    /// Whoever waits for the end hears of it when this is dropped, which it is after the end was noted.
    _over: Option<oneshot::Sender<()>>,
    _seat: Seat,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let end = self.end.take().unwrap_or_else(|| End {
            at: OffsetDateTime::now_utc(),
            status: Status::Failed,
            stop: None,
        });
        match &self.executions {
            Some(executions) => executions.end(&self.execution, end),
            None => self.execution.end(end),
        }
    }
}

fn start(execution: &Execution, input: Value) -> Start {
    let spec = &execution.machine.spec;
    let is_express = spec.kind == Kind::Express;
    Start {
        execution_id: execution.arn.clone(),
        execution_name: execution.name.clone(),
        machine_id: execution.machine.arn.clone(),
        machine_name: spec.name.clone(),
        role_arn: spec.role_arn.clone(),
        start_time: Some(execution.started_at),
        time_limit: is_express.then_some(EXPRESS_LIMIT),
        event_limit: (!is_express).then_some(journal::EVENTS),
        ..Start::new(input)
    }
}
