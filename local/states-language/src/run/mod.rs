//! Running: one execution, state by state.

mod pause;
mod payload;
mod recovery;
mod step;
mod task;

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::Value;

use crate::context::Context;
use crate::definition::{Body, Graph, Next};
use crate::failure::{Failure, TIMEOUT};
use crate::limits;
use crate::{Clock, Event, Machine, Observer, Outcome, Start, Tasks};

/// After how many states an execution lets others run: one that never waits would otherwise keep a thread for itself,
/// and its own time limit from being noticed.
const STATES_PER_TURN: u32 = 64;

/// Runs one execution to its end.
///
/// Dropping the future stops the execution, a Task under way included. Executions share nothing: any number may run at
/// once on one [`Machine`].
pub async fn run(
    machine: &Machine,
    start: Start,
    tasks: &dyn Tasks,
    clock: &dyn Clock,
    observer: &dyn Observer,
) -> Outcome {
    let definition = machine.definition();
    let started = start.start_time.unwrap_or_else(|| clock.now());
    let mut context = Context::new(&start, started, definition.reads_execution_input);
    let execution = Execution {
        id: &start.execution_id,
        tasks,
        clock,
        observer,
        events: AtomicU64::new(0),
    };
    execution.tell(&Event::ExecutionStarted {
        input: &start.input,
        role_arn: &start.role_arn,
    });
    let own_limit = definition.timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
    let limit = own_limit.into_iter().chain(start.time_limit).min();

    let result = match limits::check(&start.input) {
        Err(oversize) => Err(Failure::oversize_input(&start.execution_name, oversize)),
        Ok(()) => {
            let walk = pin!(execution.walk(&definition.graph, start.input, &mut context));
            match limit {
                None => walk.await,
                Some(limit) => match select(walk, clock.sleep(limit)).await {
                    Either::Left((result, _)) => result,
                    Either::Right(((), _)) => {
                        execution.tell(&Event::ExecutionTimedOut {
                            error: TIMEOUT,
                            cause: "",
                        });
                        return Outcome::TimedOut {
                            error: TIMEOUT.to_owned(),
                            cause: String::new(),
                        };
                    }
                },
            }
        }
    };
    match result {
        Ok(output) => {
            execution.tell(&Event::ExecutionSucceeded { output: &output });
            Outcome::Succeeded { output }
        }
        Err(Failure { error, cause, .. }) => {
            execution.tell(&Event::ExecutionFailed {
                error: &error,
                cause: &cause,
            });
            Outcome::Failed { error, cause }
        }
    }
}

/// What the states of one execution share.
struct Execution<'a> {
    id: &'a str,
    tasks: &'a dyn Tasks,
    clock: &'a dyn Clock,
    observer: &'a dyn Observer,
    /// How many events of AWS's history there were.
    events: AtomicU64,
}

impl Execution<'_> {
    /// Tells the observer, and returns the id that the event has in AWS's history.
    fn tell(&self, event: &Event<'_>) -> u64 {
        self.observer.event(self.clock.now(), event);
        if event.is_in_history() {
            self.events.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            self.events.load(Ordering::Relaxed)
        }
    }

    /// Runs a graph from its start to one of its ends, and gives the last state's output.
    async fn walk(&self, graph: &Graph, input: Value, context: &mut Context) -> Result<Value, Failure> {
        let mut data = input;
        let mut next = Next::State(graph.start);
        let mut states = 0u32;
        while let Next::State(index) = next {
            let Some(state) = graph.states.get(index) else {
                // A definition's targets are indexes of its own states.
                return Err(Failure::runtime("The next state does not exist."));
            };
            states = states.wrapping_add(1);
            if states.is_multiple_of(STATES_PER_TURN) {
                pause::let_others_run().await;
            }
            let entered = self.tell(&Event::StateEntered {
                state: &state.name,
                kind: state.kind(),
                input: &data,
            });
            if state.reads_context {
                context.enter_state(&state.name, self.clock.now());
            }
            let result = match &state.body {
                Body::Task(task) => self.task(state, task, data, context, entered, graph).await,
                _ => self.step(state, data, context.value(), graph),
            };
            (data, next) = result.map_err(|failure| failure.placed(&state.name, entered))?;
            self.tell(&Event::StateExited {
                state: &state.name,
                kind: state.kind(),
                output: &data,
            });
        }
        Ok(data)
    }
}
