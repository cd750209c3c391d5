//! Reading a payload by a path.

use serde_json::Value;

use super::{Path, Root, Segment};
use crate::limits::{Allowance, MAX_PAYLOAD_BYTES, Oversize};

/// How many values a path may look at that names no single place: more than a payload can have. Local only: each `..` or
/// `[0,0]` multiplies them.
const MAX_STEPS: usize = MAX_PAYLOAD_BYTES;

/// Why a path gives nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unselected {
    /// A definite path leads nowhere.
    Missing,
    /// An indefinite one finds, or looks at, too much.
    Excess(Oversize),
}

/// What a path found.
#[derive(Debug, PartialEq)]
pub(crate) enum Selected<'v> {
    /// The value at the one place that a definite path names.
    One(&'v Value),
    /// What an indefinite path found, in order; it may be nothing.
    Many(Vec<&'v Value>),
}

impl Selected<'_> {
    /// The value of its own that a state goes on with.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::One(value) => value.clone(),
            Self::Many(values) => Value::Array(values.into_iter().cloned().collect()),
        }
    }
}

impl Path {
    /// What the path finds, from `data` or `context`.
    ///
    /// # Errors
    /// A definite path leads nowhere, an indefinite one too far.
    pub(crate) fn select<'v>(&self, data: &'v Value, context: &'v Value) -> Result<Selected<'v>, Unselected> {
        let root = match self.root {
            Root::Data => data,
            Root::Context => context,
        };
        if self.definite {
            let found = self.segments.iter().try_fold(root, step);
            return found.map(Selected::One).ok_or(Unselected::Missing);
        }
        let mut search = Search {
            found: Vec::new(),
            allowance: Allowance::for_any(),
            steps: 0,
        };
        search.collect(root, &self.segments).map_err(Unselected::Excess)?;
        Ok(Selected::Many(search.found))
    }

    /// As [`select`](Self::select), but takes the value out of `data` rather than cloning it where it can.
    pub(crate) fn take(&self, data: Value, context: &Value) -> Result<Value, Unselected> {
        if !self.definite || self.root == Root::Context {
            return self.select(&data, context).map(Selected::into_value);
        }
        self.take_one(data).ok_or(Unselected::Missing)
    }

    /// The value at the place that the path names.
    fn take_one(&self, mut data: Value) -> Option<Value> {
        let mut place = &mut data;
        for segment in &self.segments {
            place = match (segment, place) {
                (Segment::Field(name), Value::Object(fields)) => fields.get_mut(name)?,
                (Segment::Index(index), Value::Array(items)) => {
                    let at = resolve(*index, items.len())?;
                    items.get_mut(at)?
                }
                _ => return None,
            };
        }
        Some(place.take())
    }
}

fn step<'v>(value: &'v Value, segment: &Segment) -> Option<&'v Value> {
    match (segment, value) {
        (Segment::Field(name), Value::Object(fields)) => fields.get(name),
        (Segment::Index(index), Value::Array(items)) => items.get(resolve(*index, items.len())?),
        _ => None,
    }
}

/// An index counted from the start; none when a negative one reaches before it.
fn resolve(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// An indefinite path on its way.
struct Search<'v> {
    found: Vec<&'v Value>,
    allowance: Allowance,
    steps: usize,
}

impl<'v> Search<'v> {
    fn collect(&mut self, value: &'v Value, segments: &[Segment]) -> Result<(), Oversize> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Oversize::Steps);
        }
        let Some((segment, rest)) = segments.split_first() else {
            self.allowance.spend(value)?;
            self.found.push(value);
            return Ok(());
        };
        match (segment, value) {
            (Segment::Field(_) | Segment::Index(_), _) => {
                step(value, segment).map_or(Ok(()), |next| self.collect(next, rest))
            }
            (Segment::Fields(names), Value::Object(fields)) => {
                let mut found = names.iter().filter_map(|name| fields.get(name));
                found.try_for_each(|next| self.collect(next, rest))
            }
            (Segment::Indexes(indexes), Value::Array(items)) => {
                let mut found = indexes
                    .iter()
                    .filter_map(|index| items.get(resolve(*index, items.len())?));
                found.try_for_each(|next| self.collect(next, rest))
            }
            (Segment::Slice(from, to), Value::Array(items)) => {
                let mut found = slice(items, *from, *to).iter();
                found.try_for_each(|next| self.collect(next, rest))
            }
            (Segment::Wildcard, Value::Array(items)) => items.iter().try_for_each(|next| self.collect(next, rest)),
            (Segment::Wildcard, Value::Object(fields)) => fields.values().try_for_each(|next| self.collect(next, rest)),
            (Segment::Filter(test), Value::Array(items)) => {
                let mut kept = items.iter().filter(|item| test.holds(item));
                kept.try_for_each(|next| self.collect(next, rest))
            }
            (Segment::Filter(test), Value::Object(_)) if test.holds(value) => self.collect(value, rest),
            (Segment::Descent, _) => self.descend(value, rest),
            _ => Ok(()),
        }
    }

    fn descend(&mut self, value: &'v Value, rest: &[Segment]) -> Result<(), Oversize> {
        self.collect(value, rest)?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|next| self.descend(next, rest)),
            Value::Object(fields) => fields.values().try_for_each(|next| self.descend(next, rest)),
            _ => Ok(()),
        }
    }
}

fn slice(items: &[Value], from: Option<i64>, to: Option<i64>) -> &[Value] {
    let clamp = |bound: i64| resolve(bound, items.len()).unwrap_or(0).min(items.len());
    let (from, to) = (from.map_or(0, clamp), to.map_or(items.len(), clamp));
    items.get(from..to).unwrap_or(&[])
}
