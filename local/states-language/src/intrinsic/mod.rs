//! Intrinsic functions: `States.Format('{}', $.name)`, compiled once and evaluated per state.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html>

mod array;
mod encoding;
mod format;
mod function;
mod json;
mod math;
mod parser;

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

pub(crate) use function::Function;
pub(crate) use parser::SyntaxError;

use crate::failure::{Failure, INTRINSIC_FAILURE};
use crate::limits::Allowance;
use crate::path::{Path, Selected, Unselected};
use crate::template;

/// A call of an intrinsic function, kept with its text for messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    text: String,
    function: Function,
    arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    Literal(Value),
    Path(Path),
    Call(Call),
}

impl Call {
    /// Parses a whole field's text.
    pub(crate) fn parse(text: &str) -> Result<Self, SyntaxError> {
        parser::parse(text)
    }

    pub(crate) fn function(&self) -> Function {
        self.function
    }

    /// Every path among the arguments, nested ones included.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        self.arguments
            .iter()
            .flat_map(|argument| match argument {
                Argument::Literal(_) => Vec::new(),
                Argument::Path(path) => vec![path],
                Argument::Call(call) => call.paths(),
            })
            .collect()
    }

    /// The function's value.
    pub(crate) fn evaluate(&self, data: &Value, context: &Value) -> Result<Value, Failure> {
        let excess =
            |what: &str, oversize| Failure::excess(&format!("What the function '{}' {what}", self.text), oversize);
        let mut arguments = Vec::with_capacity(self.arguments.len());
        let mut allowance = Allowance::for_few();
        for argument in &self.arguments {
            let argument = match argument {
                Argument::Literal(value) => Cow::Borrowed(value),
                Argument::Call(call) => Cow::Owned(call.evaluate(data, context)?),
                Argument::Path(path) => match path.select(data, context) {
                    Ok(Selected::One(value)) => Cow::Borrowed(value),
                    Ok(many) => Cow::Owned(many.into_value()),
                    Err(Unselected::Excess(oversize)) => return Err(template::excess(path, oversize)),
                    Err(Unselected::Missing) => {
                        return Err(Failure::runtime(format!(
                            "The function '{}' had the following error: The JsonPath argument for the field '{path}' \
                             could not be found in the input.",
                            self.text
                        )));
                    }
                },
            };
            allowance
                .spend(&argument)
                .map_err(|oversize| excess("is given", oversize))?;
            arguments.push(argument);
        }
        let value = self.function.call(arguments).map_err(|misuse| {
            Failure::found(
                INTRINSIC_FAILURE,
                format!("The function '{}' had the following error: {misuse}.", self.text),
            )
        })?;
        let spent = Allowance::for_any().spend(&value);
        spent.map_err(|oversize| excess("gives", oversize))?;
        Ok(value)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Arguments that a function does not take. The texts name positions and types, never values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misuse {
    #[error("argument {position} must be {wanted}")]
    Type { position: usize, wanted: &'static str },
    #[error("argument {position} must be {wanted}")]
    Range { position: usize, wanted: &'static str },
    #[error("the number of arguments does not match the occurrences of {{}} in the template")]
    Placeholders,
    #[error("the template holds an invalid escape sequence or an unescaped brace")]
    Template,
    #[error("argument 1 is not valid JSON")]
    Json,
    #[error("argument 1 is not valid base64 of UTF-8 text")]
    Base64,
    #[error("the array would have more than {limit} items")]
    TooLong { limit: usize },
}

type Arguments<'v> = Vec<Cow<'v, Value>>;

fn text<'v>(arguments: &'v [Cow<'_, Value>], position: usize) -> Result<&'v str, Misuse> {
    argument(arguments, position).as_str().ok_or(Misuse::Type {
        position,
        wanted: "a string",
    })
}

fn array<'v>(arguments: &'v [Cow<'_, Value>], position: usize) -> Result<&'v Vec<Value>, Misuse> {
    argument(arguments, position).as_array().ok_or(Misuse::Type {
        position,
        wanted: "an array",
    })
}

/// A whole number; others are rounded, as AWS documents it.
fn integer(arguments: &[Cow<'_, Value>], position: usize) -> Result<i64, Misuse> {
    let wrong = Misuse::Type {
        position,
        wanted: "a number",
    };
    let Value::Number(number) = argument(arguments, position) else {
        return Err(wrong);
    };
    if let Some(integer) = number.as_i64() {
        return Ok(integer);
    }
    let rounded = number
        .as_f64()
        .map(f64::round)
        .filter(|rounded| rounded.abs() < 9e15)
        .ok_or(wrong)?;
    #[allow(clippy::cast_possible_truncation, reason = "checked to lie well within an i64")]
    Ok(rounded as i64)
}

/// The argument at a position counted from 1; null past the last, which the arity checked at creation rules out.
fn argument<'v>(arguments: &'v [Cow<'_, Value>], position: usize) -> &'v Value {
    arguments.get(position - 1).map_or(&Value::Null, |value| value.as_ref())
}

#[cfg(test)]
mod tests;
