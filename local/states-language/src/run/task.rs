//! Task states: one attempt, its time-out, its result.

use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::Value;

use super::{Execution, Visit};
use crate::definition::{Quantity, TaskBody};
use crate::failure::{Failure, TIMEOUT};
use crate::{Event, TaskRequest, limits};

impl Execution<'_> {
    /// The result of one attempt, before `ResultSelector`.
    pub(super) async fn task(
        &self,
        visit: &Visit<'_>,
        task: &TaskBody,
        raw: &mut Value,
        context: &Value,
        retry_count: u32,
    ) -> Result<Value, Failure> {
        let timeout = seconds(visit, task.timeout_s.as_ref(), raw, context)?;
        let heartbeat = seconds(visit, task.heartbeat_s.as_ref(), raw, context)?;
        let parameters = self.parameters(visit.state, &task.effort, raw, context)?;
        let (name, resource) = (visit.state.name.as_str(), task.resource.as_str());
        self.tell(
            visit.line,
            &Event::TaskScheduled {
                state: name,
                resource,
                parameters: &parameters,
                timeout,
                heartbeat,
            },
        );
        self.tell(visit.line, &Event::TaskStarted { state: name, resource });
        let request = TaskRequest {
            resource,
            parameters,
            state: name,
            execution: self.id,
            retry_count,
            timeout,
        };
        let work = self.tasks.run(request);
        let result = match timeout {
            None => work.await,
            Some(timeout) => match select(work, self.clock.sleep(timeout)).await {
                Either::Left((result, _)) => result,
                Either::Right(((), _)) => {
                    self.tell(
                        visit.line,
                        &Event::TaskTimedOut {
                            state: name,
                            resource,
                            error: TIMEOUT,
                            cause: "",
                        },
                    );
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
        match &measured {
            Ok(output) => self.tell(
                visit.line,
                &Event::TaskSucceeded {
                    state: name,
                    resource,
                    output,
                },
            ),
            Err(Failure { error, cause, .. }) => self.tell(
                visit.line,
                &Event::TaskFailed {
                    state: name,
                    resource,
                    error,
                    cause,
                },
            ),
        };
        measured
    }
}

/// A time-out or heartbeat; one that is read comes from the input as `InputPath` filters it.
fn seconds(
    visit: &Visit<'_>,
    quantity: Option<&Quantity>,
    raw: &Value,
    context: &Value,
) -> Result<Option<Duration>, Failure> {
    let seconds = match quantity {
        None => return Ok(None),
        Some(Quantity::Given(seconds)) => *seconds,
        Some(read) => read.value(&*visit.state.input.view("InputPath", raw, context)?, context)?,
    };
    Ok(Some(Duration::from_secs(seconds.into())))
}
