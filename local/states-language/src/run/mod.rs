//! Running: one execution, state by state.

mod branches;
mod effort;
mod line;
mod pause;
mod payload;
mod recovery;
mod step;
mod task;
mod trial;
mod wait;

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::Value;

use crate::context::Context;
use crate::definition::{Body, Graph, Next, State};
use crate::failure::{Failure, RUNTIME, TIMEOUT};
use crate::limits;
use crate::{Clock, Event, EventIds, Machine, Observer, Outcome, Start, Tasks};
use line::Line;
use trial::Probe;

pub(crate) use trial::trial;

/// After how many states an execution lets others run: one that never waits would otherwise keep a thread for itself,
/// and its own time limit from being noticed.
const STATES_PER_TURN: u32 = 64;

/// Runs one execution to its end.
///
/// Dropping the future stops the execution, its branches and Tasks under way included. Executions share nothing: any number may run at
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
    let mut context = Context::new(&start, started, definition.graph.reads_execution_input);
    let execution = Execution {
        id: &start.execution_id,
        tasks,
        clock,
        observer,
        listens: observer.listens(),
        events: AtomicU64::new(0),
        event_limit: start.event_limit.unwrap_or(u64::MAX),
        probe: None,
    };
    let line = Line::after(0);
    execution.tell(
        &line,
        &Event::ExecutionStarted {
            input: &start.input,
            role_arn: &start.role_arn,
        },
    );
    let own_limit = definition.timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
    let limit = own_limit.into_iter().chain(start.time_limit).min();

    let result = match limits::check(&start.input) {
        Err(oversize) => Err(Failure::oversize_input(&start.execution_name, oversize)),
        Ok(()) => {
            let walk = pin!(execution.walk(&definition.graph, start.input, &mut context, &line));
            match limit {
                None => walk.await,
                Some(limit) => match select(walk, clock.sleep(limit)).await {
                    Either::Left((result, _)) => result,
                    Either::Right(((), _)) => {
                        execution.tell(
                            &line,
                            &Event::ExecutionTimedOut {
                                error: TIMEOUT,
                                cause: "",
                            },
                        );
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
            execution.tell(&line, &Event::ExecutionSucceeded { output: &output });
            Outcome::Succeeded { output }
        }
        Err(Failure { error, cause, .. }) => {
            execution.tell(
                &line,
                &Event::ExecutionFailed {
                    error: &error,
                    cause: &cause,
                },
            );
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
    listens: bool,
    /// How many events of AWS's history there were.
    events: AtomicU64,
    event_limit: u64,
    /// For a test of a single state.
    probe: Option<&'a Probe>,
}

/// A state while it runs.
struct Visit<'v> {
    graph: &'v Graph,
    state: &'v State,
    line: &'v Line,
    /// The id of the event by which it was entered.
    entered: u64,
}

impl Execution<'_> {
    /// Tells the observer, and returns the id that the event has in AWS's history.
    fn tell(&self, line: &Line, event: &Event<'_>) -> u64 {
        let previous_id = line.last();
        let id = if event.is_in_history() {
            let id = self.events.fetch_add(1, Ordering::Relaxed) + 1;
            if event.is_followed() {
                line.follow(id);
            }
            id
        } else {
            self.events.load(Ordering::Relaxed)
        };
        if self.listens {
            self.observer
                .event_with_ids(self.clock.now(), EventIds { id, previous_id }, event);
        }
        id
    }

    /// Runs a graph from its start to one of its ends, and gives the last state's output.
    async fn walk(&self, graph: &Graph, input: Value, context: &mut Context, line: &Line) -> Result<Value, Failure> {
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
            let entered = self.tell(
                line,
                &Event::StateEntered {
                    state: &state.name,
                    kind: state.kind(),
                    input: &data,
                },
            );
            if entered >= self.event_limit {
                return Err(Failure::reported(RUNTIME, self.too_many_events()));
            }
            line.enter(index);
            if state.reads_context {
                context.enter_state(&state.name, self.clock.now());
            }
            let visit = Visit {
                graph,
                state,
                line,
                entered,
            };
            let result = match (&state.body, state.effort()) {
                (_, Some(effort)) => self.effort(&visit, effort, data, context).await,
                (Body::Wait(wait), None) => self.wait(state, wait, data, context.value()).await,
                _ => self.step(&visit, data, context.value()),
            };
            (data, next) = result.map_err(|failure| failure.placed(&state.name, entered))?;
            line.leave();
            self.tell(
                line,
                &Event::StateExited {
                    state: &state.name,
                    kind: state.kind(),
                    output: &data,
                },
            );
        }
        Ok(data)
    }

    fn too_many_events(&self) -> String {
        format!(
            "The execution reached the maximum number of history events ({}).",
            self.event_limit
        )
    }
}
