//! Choice rules, compiled once and tested against a state's input.
//!
//! A comparison of values of other types than the operator's is false. And and Or stop at the first operand that
//! decides, as AWS's own examples need it.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/state-choice.html>

mod comparison;
mod operator;
mod pattern;

use serde_json::Value;

pub(crate) use comparison::Comparison;
pub(crate) use operator::{Form, Operator, Relation};
pub(crate) use pattern::Pattern;

use crate::failure::Failure;
use crate::path::{Path, Selected, Unselected};
use crate::template::excess;

/// A rule, without where it leads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    And(Vec<Rule>),
    Or(Vec<Rule>),
    Not(Box<Rule>),
    Test { variable: Path, comparison: Comparison },
    IsPresent { variable: Path, expected: bool },
}

impl Rule {
    /// Whether the rule matches. A path that leads nowhere fails the execution, except for `IsPresent`.
    pub(crate) fn matches(&self, data: &Value, context: &Value) -> Result<bool, Failure> {
        match self {
            Self::And(rules) => {
                for rule in rules {
                    if !rule.matches(data, context)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Or(rules) => {
                for rule in rules {
                    if rule.matches(data, context)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Not(rule) => Ok(!rule.matches(data, context)?),
            Self::IsPresent { variable, expected } => Ok(is_present(variable, data, context)? == *expected),
            Self::Test { variable, comparison } => {
                let value = read(variable, data, context)?;
                comparison.holds(value.as_ref(), |path| read(path, data, context))
            }
        }
    }

    /// Every path that it reads.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::And(rules) | Self::Or(rules) => rules.iter().flat_map(Self::paths).collect(),
            Self::Not(rule) => rule.paths(),
            Self::IsPresent { variable, .. } => vec![variable],
            Self::Test { variable, comparison } => std::iter::once(variable).chain(comparison.path()).collect(),
        }
    }
}

fn is_present(path: &Path, data: &Value, context: &Value) -> Result<bool, Failure> {
    match path.select(data, context) {
        Ok(Selected::One(_)) => Ok(true),
        Ok(Selected::Many(found)) => Ok(!found.is_empty()),
        Err(Unselected::Missing) => Ok(false),
        Err(Unselected::Excess(oversize)) => Err(excess(path, oversize)),
    }
}

fn read<'v>(path: &Path, data: &'v Value, context: &'v Value) -> Result<std::borrow::Cow<'v, Value>, Failure> {
    match path.select(data, context) {
        Ok(Selected::One(value)) => Ok(std::borrow::Cow::Borrowed(value)),
        Ok(many) => Ok(std::borrow::Cow::Owned(many.into_value())),
        Err(Unselected::Excess(oversize)) => Err(excess(path, oversize)),
        Err(Unselected::Missing) => Err(Failure::runtime(format!(
            "Invalid path '{path}': The choice state's condition path references an invalid value."
        ))),
    }
}

#[cfg(test)]
mod tests;
