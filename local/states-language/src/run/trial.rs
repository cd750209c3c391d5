//! A single state, tried out: it runs as in an execution, but once, watched, and with its work mocked where that is
//! asked for.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use super::line::Line;
use super::recovery::{Attempts, catcher};
use super::{Execution, Visit};
use crate::context::Context;
use crate::definition::{Body, Effort, Graph, Next, State};
use crate::failure::Failure;
use crate::{
    Clock, ErrorDetails, Inspection, Mock, NoObserver, Start, StateTest, TaskError, TaskRequest, Tasks, TestStatus,
    Tested,
};

/// What a tested state is given instead of its work, and what is seen of it.
#[derive(Debug)]
pub(super) struct Probe {
    mock: Option<Mock>,
    seen: Mutex<Inspection>,
}

impl Probe {
    pub(super) fn seen(&self) -> MutexGuard<'_, Inspection> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the branches of a Parallel or Map come to.
    pub(super) fn mocked(&self) -> Result<Value, Failure> {
        match &self.mock {
            Some(Mock::Result(result)) => Ok(result.clone()),
            Some(Mock::Error { error, cause }) => Err(Failure::reported(error, cause).of_branch()),
            // Refused before the test.
            None => Err(Failure::runtime("The state was not mocked.")),
        }
    }
}

/// A mocked Task's work.
struct Mocked<'m>(&'m Mock);

#[async_trait]
impl Tasks for Mocked<'_> {
    async fn run(&self, _task: TaskRequest<'_>) -> Result<Value, TaskError> {
        match self.0 {
            Mock::Result(result) => Ok(result.clone()),
            Mock::Error { error, cause } => Err(TaskError::new(error, cause)),
        }
    }
}

impl Execution<'_> {
    /// Notes what a tested state's payload is at this step.
    pub(super) fn inspect(&self, step: impl FnOnce(&mut Inspection) -> &mut Option<Value>, value: &Value) {
        if let Some(probe) = self.probe {
            *step(&mut probe.seen()) = Some(value.clone());
        }
    }
}

/// Runs one state of a graph, once.
pub(crate) async fn trial(
    graph: &Graph,
    state: &State,
    test: StateTest,
    tasks: &dyn Tasks,
    clock: &dyn Clock,
) -> Tested {
    let StateTest {
        input,
        context,
        mock,
        retry_count,
    } = test;
    let probe = Probe {
        mock,
        seen: Mutex::new(Inspection {
            input: Some(input.clone()),
            ..Inspection::default()
        }),
    };
    let mut context = match context {
        Some(context) => Context::given(context),
        None => Context::new(&Start::new(input.clone()), clock.now(), true),
    };
    if !context.has_state() {
        context.enter_state(&state.name, clock.now());
        context.count_retry(retry_count);
    }
    let mocked = probe.mock.as_ref().map(Mocked);
    let execution = Execution {
        id: "",
        tasks: mocked.as_ref().map_or(tasks, |mocked| mocked),
        clock,
        observer: &NoObserver,
        listens: false,
        events: AtomicU64::new(0),
        event_limit: u64::MAX,
        probe: Some(&probe),
    };
    let line = Line::after(0);
    let visit = Visit {
        graph,
        state,
        line: &line,
        entered: 0,
    };
    let mut tested = execution.tried(&visit, input, &context, retry_count).await;
    tested.inspection = std::mem::take(&mut *probe.seen());
    tested
}

impl Execution<'_> {
    async fn tried(&self, visit: &Visit<'_>, input: Value, context: &Context, retry_count: u32) -> Tested {
        let state = visit.state;
        let ended = match (&state.body, state.effort()) {
            (_, Some(effort)) => return self.tried_effort(visit, effort, input, context, retry_count).await,
            (Body::Wait(wait), None) => self.wait(state, wait, input, context.value()).await,
            _ => self.step(visit, input, context.value()),
        };
        match ended {
            Ok((output, next)) => succeeded(visit.graph, output, next),
            Err(failure) => failed(TestStatus::Failed, failure.in_state(&state.name)),
        }
    }

    async fn tried_effort(
        &self,
        visit: &Visit<'_>,
        effort: &Effort,
        raw: Value,
        context: &Context,
        retry_count: u32,
    ) -> Tested {
        let state = visit.state;
        let mut data = raw;
        let attempt = self.attempt(visit, effort, &mut data, context, retry_count).await;
        let placed = attempt.and_then(|result| effort.place.put(result, &mut data));
        let failure = match placed {
            Ok(()) => {
                self.inspect(|seen| &mut seen.after_result_path, &data);
                let output = state.output.take("OutputPath", data, context.value());
                match output.and_then(|output| state.measured(output)) {
                    Ok(output) => return succeeded(visit.graph, output, effort.next),
                    Err(failure) => return failed(TestStatus::Failed, failure.in_state(&state.name)),
                }
            }
            Err(failure) => failure.in_state(&state.name),
        };
        let details = |details: ErrorDetails| {
            if let Some(probe) = self.probe {
                probe.seen().error_details = Some(details);
            }
        };
        if let Some(retry) = Attempts::after(&effort.retry, retry_count).next(&failure) {
            details(ErrorDetails {
                retry_index: Some(retry.retrier),
                retry_backoff_interval_seconds: Some(retry.wait.as_secs()),
                ..ErrorDetails::default()
            });
            return failed(TestStatus::Retriable, failure);
        }
        let Some((index, catcher)) = catcher(&effort.catch, &failure) else {
            return failed(TestStatus::Failed, failure);
        };
        details(ErrorDetails {
            catch_index: Some(index),
            ..ErrorDetails::default()
        });
        match catcher
            .place
            .put(failure.output(), &mut data)
            .and_then(|()| state.measured(data))
        {
            Ok(output) => Tested {
                output: Some(output),
                next_state: Some(visit.graph.name(catcher.next).to_owned()),
                ..failed(TestStatus::CaughtError, failure)
            },
            Err(failure) => failed(TestStatus::Failed, failure.in_state(&state.name)),
        }
    }
}

fn succeeded(graph: &Graph, output: Value, next: Next) -> Tested {
    let next_state = match next {
        Next::State(index) => Some(graph.name(index).to_owned()),
        Next::End => None,
    };
    Tested {
        status: TestStatus::Succeeded,
        output: Some(output),
        error: None,
        cause: None,
        next_state,
        inspection: Inspection::default(),
    }
}

fn failed(status: TestStatus, failure: Failure) -> Tested {
    Tested {
        status,
        output: None,
        error: Some(failure.error),
        cause: Some(failure.cause),
        next_state: None,
        inspection: Inspection::default(),
    }
}
