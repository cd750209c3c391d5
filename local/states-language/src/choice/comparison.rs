//! A comparison of one value.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};
use time::OffsetDateTime;

use super::{Form, Pattern, Relation};
use crate::failure::Failure;
use crate::path::Path;
use crate::timestamp;

/// What a rule demands of the value of its variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Comparison {
    String(Relation, String),
    Numeric(Relation, Number),
    Timestamp(Relation, OffsetDateTime),
    Boolean(bool),
    /// The other value stands at a path.
    Path(Form, Relation, Path),
    Matches(Pattern),
    IsNull(bool),
    IsNumeric(bool),
    IsString(bool),
    IsBoolean(bool),
    IsTimestamp(bool),
}

impl Comparison {
    /// Whether `value` is as demanded; `read` gives the value at a path.
    pub(super) fn holds<'v>(
        &self,
        value: &Value,
        read: impl FnOnce(&Path) -> Result<Cow<'v, Value>, Failure>,
    ) -> Result<bool, Failure> {
        Ok(match self {
            Self::String(relation, other) => value
                .as_str()
                .is_some_and(|text| relation.holds(text.cmp(other.as_str()))),
            Self::Numeric(relation, other) => number(value).is_some_and(|number| relates(*relation, number, other)),
            Self::Timestamp(relation, other) => instant(value).is_some_and(|at| relation.holds(at.cmp(other))),
            Self::Boolean(other) => value.as_bool() == Some(*other),
            Self::Path(form, relation, path) => compare(*form, *relation, value, read(path)?.as_ref()),
            Self::Matches(pattern) => value.as_str().is_some_and(|text| pattern.matches(text)),
            Self::IsNull(expected) => value.is_null() == *expected,
            Self::IsNumeric(expected) => value.is_number() == *expected,
            Self::IsString(expected) => value.is_string() == *expected,
            Self::IsBoolean(expected) => value.is_boolean() == *expected,
            Self::IsTimestamp(expected) => instant(value).is_some() == *expected,
        })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(_, _, path) => Some(path),
            _ => None,
        }
    }
}

fn compare(form: Form, relation: Relation, left: &Value, right: &Value) -> bool {
    match form {
        Form::String => left
            .as_str()
            .zip(right.as_str())
            .is_some_and(|(left, right)| relation.holds(left.cmp(right))),
        Form::Numeric => number(left)
            .zip(number(right))
            .is_some_and(|(left, right)| relates(relation, left, right)),
        Form::Timestamp => instant(left)
            .zip(instant(right))
            .is_some_and(|(left, right)| relation.holds(left.cmp(&right))),
        Form::Boolean => left
            .as_bool()
            .zip(right.as_bool())
            .is_some_and(|(left, right)| left == right),
    }
}

fn number(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn instant(value: &Value) -> Option<OffsetDateTime> {
    timestamp::parse(value.as_str()?)
}

fn relates(relation: Relation, left: &Number, right: &Number) -> bool {
    order(left, right).is_some_and(|ordering| relation.holds(ordering))
}

/// Whole numbers are compared exactly, over the whole range of both signs; anything else as floating point.
fn order(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}
