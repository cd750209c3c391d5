//! Reading a payload by a path.

use serde_json::Value;

use super::{Path, Root, Segment};

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
    /// What the path finds, from `data` or `context`; none when a definite path leads nowhere.
    pub(crate) fn select<'v>(&self, data: &'v Value, context: &'v Value) -> Option<Selected<'v>> {
        let root = match self.root {
            Root::Data => data,
            Root::Context => context,
        };
        if self.definite {
            return self.segments.iter().try_fold(root, step).map(Selected::One);
        }
        let mut found = Vec::new();
        collect(root, &self.segments, &mut found);
        Some(Selected::Many(found))
    }

    /// As [`select`](Self::select), but takes the value out of `data` rather than cloning it where it can.
    pub(crate) fn take(&self, mut data: Value, context: &Value) -> Option<Value> {
        if !self.definite || self.root == Root::Context {
            return self.select(&data, context).map(Selected::into_value);
        }
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

fn collect<'v>(value: &'v Value, segments: &[Segment], found: &mut Vec<&'v Value>) {
    let Some((segment, rest)) = segments.split_first() else {
        found.push(value);
        return;
    };
    match (segment, value) {
        (Segment::Field(_) | Segment::Index(_), _) => {
            if let Some(next) = step(value, segment) {
                collect(next, rest, found);
            }
        }
        (Segment::Fields(names), Value::Object(fields)) => {
            names
                .iter()
                .filter_map(|name| fields.get(name))
                .for_each(|next| collect(next, rest, found));
        }
        (Segment::Indexes(indexes), Value::Array(items)) => {
            indexes
                .iter()
                .filter_map(|index| items.get(resolve(*index, items.len())?))
                .for_each(|next| collect(next, rest, found));
        }
        (Segment::Slice(from, to), Value::Array(items)) => {
            slice(items, *from, *to)
                .iter()
                .for_each(|next| collect(next, rest, found));
        }
        (Segment::Wildcard, Value::Array(items)) => items.iter().for_each(|next| collect(next, rest, found)),
        (Segment::Wildcard, Value::Object(fields)) => fields.values().for_each(|next| collect(next, rest, found)),
        (Segment::Filter(test), Value::Array(items)) => {
            items
                .iter()
                .filter(|item| test.holds(item))
                .for_each(|next| collect(next, rest, found));
        }
        (Segment::Filter(test), Value::Object(_)) if test.holds(value) => collect(value, rest, found),
        (Segment::Descent, _) => descend(value, rest, found),
        _ => {}
    }
}

fn descend<'v>(value: &'v Value, rest: &[Segment], found: &mut Vec<&'v Value>) {
    collect(value, rest, found);
    match value {
        Value::Array(items) => items.iter().for_each(|next| descend(next, rest, found)),
        Value::Object(fields) => fields.values().for_each(|next| descend(next, rest, found)),
        _ => {}
    }
}

fn slice(items: &[Value], from: Option<i64>, to: Option<i64>) -> &[Value] {
    let clamp = |bound: i64| resolve(bound, items.len()).unwrap_or(0).min(items.len());
    let (from, to) = (from.map_or(0, clamp), to.map_or(items.len(), clamp));
    items.get(from..to).unwrap_or(&[])
}
