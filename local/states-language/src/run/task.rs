//! Task states: attempts, time-outs, results.

use futures_util::future::{Either, select};
use serde_json::Value;

use super::Execution;
use super::recovery::{Attempts, catcher};
use crate::context::Context;
use crate::definition::{Graph, Next, ResultPlace, State, TaskBody};
use crate::failure::{Failure, TIMEOUT};
use crate::{Event, TaskRequest, limits};

impl Execution<'_> {
    /// A Task's output and what follows, after as many attempts as its retriers allow.
    pub(super) async fn task(
        &self,
        state: &State,
        task: &TaskBody,
        mut raw: Value,
        context: &mut Context,
        entered: u64,
        graph: &Graph,
    ) -> Result<(Value, Next), Failure> {
        let mut attempts = Attempts::new(&task.retry);
        loop {
            let attempt = self
                .attempt(state, task, &mut raw, context.value(), attempts.retry_count)
                .await;
            let Err(failure) = attempt.and_then(|result| task.place.put(result, &mut raw)) else {
                let output = state.output.take("OutputPath", raw, context.value())?;
                return Ok((state.measured(output)?, task.next));
            };
            let failure = failure.placed(&state.name, entered);
            let Failure { error, cause, .. } = &failure;
            let Some(retry) = attempts.next(&failure) else {
                let Some((index, catcher)) = catcher(&task.catch, &failure) else {
                    return Err(failure);
                };
                let next = graph.name(catcher.next);
                self.tell(&Event::Caught {
                    state: &state.name,
                    catcher: index,
                    error,
                    cause,
                    next,
                });
                catcher.place.put(failure.output(), &mut raw)?;
                return Ok((state.measured(raw)?, Next::State(catcher.next)));
            };
            self.tell(&Event::Retried {
                state: &state.name,
                retrier: retry.retrier,
                error,
                cause,
                retry_count: attempts.retry_count,
                wait: retry.wait,
            });
            self.clock.sleep(retry.wait).await;
            context.count_retry(attempts.retry_count);
        }
    }

    /// One attempt: from the raw input to the result that `ResultPath` places.
    async fn attempt(
        &self,
        state: &State,
        task: &TaskBody,
        raw: &mut Value,
        context: &Value,
        retry_count: u32,
    ) -> Result<Value, Failure> {
        let parameters = parameters(state, task, raw, context)?;
        let (name, resource) = (state.name.as_str(), task.resource.as_str());
        self.tell(&Event::TaskScheduled {
            state: name,
            resource,
            parameters: &parameters,
            timeout: task.timeout,
        });
        self.tell(&Event::TaskStarted { state: name, resource });
        let request = TaskRequest {
            resource,
            parameters,
            state: name,
            execution: self.id,
            retry_count,
            timeout: task.timeout,
        };
        let work = self.tasks.run(request);
        let result = match task.timeout {
            None => work.await,
            Some(timeout) => match select(work, self.clock.sleep(timeout)).await {
                Either::Left((result, _)) => result,
                Either::Right(((), _)) => {
                    self.tell(&Event::TaskTimedOut {
                        state: name,
                        resource,
                        error: TIMEOUT,
                        cause: "",
                    });
                    return Err(Failure::reported(TIMEOUT, ""));
                }
            },
        };
        let measured = result
            .map_err(Failure::from)
            .and_then(|result| match limits::check(&result) {
                Ok(()) => Ok(result),
                Err(oversize) => Err(Failure::oversize(resource, oversize)),
            });
        match measured {
            Ok(output) => {
                self.tell(&Event::TaskSucceeded {
                    state: name,
                    resource,
                    output: &output,
                });
                match &task.selector {
                    Some(selector) => selector.evaluate(&output, context),
                    None => Ok(output),
                }
            }
            Err(failure) => {
                let Failure { error, cause, .. } = &failure;
                self.tell(&Event::TaskFailed {
                    state: name,
                    resource,
                    error,
                    cause,
                });
                Err(failure)
            }
        }
    }
}

/// What a Task is given. The raw input is taken rather than cloned when nothing needs it any more.
fn parameters(state: &State, task: &TaskBody, raw: &mut Value, context: &Value) -> Result<Value, Failure> {
    let Some(template) = &task.parameters else {
        let is_last_use = task.retry.is_empty() && task.catch.is_empty() && task.place == ResultPlace::Everything;
        return if is_last_use {
            state.input.take("InputPath", raw.take(), context)
        } else {
            state
                .input
                .view("InputPath", raw, context)
                .map(std::borrow::Cow::into_owned)
        };
    };
    let effective = state.input.view("InputPath", raw, context)?;
    let parameters = template.evaluate(&effective, context)?;
    match limits::check(&parameters) {
        Ok(()) => Ok(parameters),
        Err(oversize) => Err(Failure::oversize_input(&state.name, oversize)),
    }
}
