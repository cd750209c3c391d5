//! The states that only work on their payload: Pass, Choice, Succeed, Fail.

use serde_json::Value;

use super::{Execution, Visit};
use crate::Event;
use crate::definition::{Body, ChoiceBody, FailBody, Next, PassBody, ResultPlace, State, Text};
use crate::failure::{Failure, NO_CHOICE_MATCHED};

impl Execution<'_> {
    /// A state's output and what follows.
    pub(super) fn step(&self, visit: &Visit<'_>, raw: Value, context: &Value) -> Result<(Value, Next), Failure> {
        let state = visit.state;
        match &state.body {
            Body::Pass(pass) => Ok((self.pass(state, pass, raw, context)?, pass.next)),
            Body::Choice(choice) => {
                let data = state.input.take("InputPath", raw, context)?;
                self.inspect(|seen| &mut seen.after_input_path, &data);
                let next = self.choose(visit, choice, &data, context)?;
                Ok((state.filtered(data, context)?, Next::State(next)))
            }
            Body::Succeed => {
                let data = state.input.take("InputPath", raw, context)?;
                self.inspect(|seen| &mut seen.after_input_path, &data);
                Ok((state.filtered(data, context)?, Next::End))
            }
            Body::Fail(fail) => {
                self.inspect(|seen| &mut seen.after_input_path, &raw);
                Err(run_fail(fail, &raw, context)?)
            }
            // These take time, and so have functions of their own.
            Body::Task(_) | Body::Wait(_) | Body::Parallel(_) | Body::Map(_) => {
                Err(Failure::runtime("A state was stepped over."))
            }
        }
    }

    fn pass(&self, state: &State, pass: &PassBody, mut raw: Value, context: &Value) -> Result<Value, Failure> {
        let hands_on = pass.result.is_none() && pass.parameters.is_none() && pass.place == ResultPlace::Everything;
        if hands_on && self.probe.is_none() {
            let data = state.input.take("InputPath", raw, context)?;
            return state.filtered(data, context);
        }
        let result = if let Some(result) = &pass.result {
            self.inspect(|seen| &mut seen.result, result);
            result.clone()
        } else {
            let effective = state.input.view("InputPath", &raw, context)?;
            self.inspect(|seen| &mut seen.after_input_path, &effective);
            let result = match &pass.parameters {
                Some(template) => template.evaluate(&effective, context)?,
                None => effective.into_owned(),
            };
            self.inspect(|seen| &mut seen.after_parameters, &result);
            result
        };
        self.inspect(|seen| &mut seen.after_result_selector, &result);
        pass.place.put(result, &mut raw)?;
        self.inspect(|seen| &mut seen.after_result_path, &raw);
        state.measured(state.output.take("OutputPath", raw, context)?)
    }

    fn choose(&self, visit: &Visit<'_>, choice: &ChoiceBody, data: &Value, context: &Value) -> Result<usize, Failure> {
        let mut taken = choice.default.map(|next| (None, next));
        for (index, (rule, next)) in choice.rules.iter().enumerate() {
            if rule.matches(data, context)? {
                taken = Some((Some(index), *next));
                break;
            }
        }
        let (rule, next) = taken.ok_or_else(|| {
            Failure::found(
                NO_CHOICE_MATCHED,
                "No choice rule matched the input, and there is no Default.",
            )
        })?;
        self.tell(
            visit.line,
            &Event::ChoiceTaken {
                state: &visit.state.name,
                rule,
                next: visit.graph.name(next),
            },
        );
        Ok(next)
    }
}

fn run_fail(fail: &FailBody, raw: &Value, context: &Value) -> Result<Failure, Failure> {
    let text = |text: &Text| match text {
        Text::Literal(text) => Ok(text.clone()),
        Text::Dynamic(field, dynamic) => match dynamic.evaluate(field, raw, context)? {
            Value::String(text) => Ok(text),
            _ => Err(Failure::runtime(format!("The field '{field}' must give a string."))),
        },
    };
    Ok(Failure::reported(text(&fail.error)?, text(&fail.cause)?))
}
