//! States whose work can fail: attempts, retries, catchers.

use serde_json::Value;

use super::recovery::{Attempts, catcher};
use super::{Execution, Visit};
use crate::Event;
use crate::context::Context;
use crate::definition::{Body, Effort, Next, ResultPlace, State};
use crate::failure::Failure;
use crate::limits;

impl Execution<'_> {
    /// A state's output and what follows, after as many attempts as its retriers allow.
    pub(super) async fn effort(
        &self,
        visit: &Visit<'_>,
        effort: &Effort,
        mut raw: Value,
        context: &mut Context,
    ) -> Result<(Value, Next), Failure> {
        let state = visit.state;
        let mut attempts = Attempts::new(&effort.retry);
        loop {
            let attempt = self
                .attempt(visit, effort, &mut raw, context, attempts.retry_count)
                .await;
            let Err(failure) = attempt.and_then(|result| effort.place.put(result, &mut raw)) else {
                let output = state.output.take("OutputPath", raw, context.value())?;
                return Ok((state.measured(output)?, effort.next));
            };
            let failure = failure.placed(&state.name, visit.entered);
            let Failure { error, cause, .. } = &failure;
            let Some(retry) = attempts.next(&failure) else {
                let Some((index, catcher)) = catcher(&effort.catch, &failure) else {
                    return Err(failure);
                };
                self.tell(
                    visit.line,
                    &Event::Caught {
                        state: &state.name,
                        catcher: index,
                        error,
                        cause,
                        next: visit.graph.name(catcher.next),
                    },
                );
                catcher.place.put(failure.output(), &mut raw)?;
                return Ok((state.measured(raw)?, Next::State(catcher.next)));
            };
            self.tell(
                visit.line,
                &Event::Retried {
                    state: &state.name,
                    retrier: retry.retrier,
                    error,
                    cause,
                    retry_count: attempts.retry_count,
                    wait: retry.wait,
                },
            );
            self.clock.sleep(retry.wait).await;
            context.count_retry(attempts.retry_count);
        }
    }

    /// One attempt: from the raw input to the result that `ResultPath` places.
    pub(super) async fn attempt(
        &self,
        visit: &Visit<'_>,
        effort: &Effort,
        raw: &mut Value,
        context: &Context,
        retry_count: u32,
    ) -> Result<Value, Failure> {
        let result = match &visit.state.body {
            Body::Task(task) => self.task(visit, task, raw, context.value(), retry_count).await?,
            Body::Parallel(parallel) => self.parallel(visit, parallel, raw, context).await?,
            Body::Map(map) => self.map(visit, map, raw, context).await?,
            // Only these three have an effort.
            _ => return Err(Failure::runtime("The state has no work to do.")),
        };
        self.inspect(|seen| &mut seen.result, &result);
        let selected = match &effort.selector {
            Some(selector) => selector.evaluate(&result, context.value())?,
            None => result,
        };
        self.inspect(|seen| &mut seen.after_result_selector, &selected);
        Ok(selected)
    }

    /// What a state's work is given. The raw input is taken rather than cloned when nothing needs it any more.
    pub(super) fn parameters(
        &self,
        state: &State,
        effort: &Effort,
        raw: &mut Value,
        context: &Value,
    ) -> Result<Value, Failure> {
        let Some(template) = &effort.parameters else {
            let is_last_use =
                effort.retry.is_empty() && effort.catch.is_empty() && effort.place == ResultPlace::Everything;
            let parameters = if is_last_use {
                state.input.take("InputPath", raw.take(), context)?
            } else {
                state.input.view("InputPath", raw, context)?.into_owned()
            };
            self.inspect(|seen| &mut seen.after_input_path, &parameters);
            self.inspect(|seen| &mut seen.after_parameters, &parameters);
            return Ok(parameters);
        };
        let effective = state.input.view("InputPath", raw, context)?;
        self.inspect(|seen| &mut seen.after_input_path, &effective);
        let parameters = template.evaluate(&effective, context)?;
        self.inspect(|seen| &mut seen.after_parameters, &parameters);
        match limits::check(&parameters) {
            Ok(()) => Ok(parameters),
            Err(oversize) => Err(Failure::oversize_input(&state.name, oversize)),
        }
    }
}
