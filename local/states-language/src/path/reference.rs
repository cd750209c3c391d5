//! Where a result goes: `ResultPath`.

use serde_json::{Map, Value};

use super::{Path, PathError, Root, Segment};

/// A path that can name a single place only, which need not exist yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferencePath(Path);

/// The place that a reference path names can't be made: on its way stands a value that is no object, or an array
/// without that index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The step that could not be taken.
    pub(crate) step: String,
}

impl ReferencePath {
    /// Parses the text of a `ResultPath`.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        let path = Path::parse(text)?;
        if path.root == Root::Context {
            return Err(PathError::Context);
        }
        let single = |segment: &Segment| matches!(segment, Segment::Field(_) | Segment::Index(0..));
        if path.segments.iter().all(single) {
            Ok(Self(path))
        } else {
            Err(PathError::NotReference)
        }
    }

    /// Whether it is `$`: the result replaces everything.
    pub(crate) fn is_identity(&self) -> bool {
        self.0.is_identity()
    }

    /// Puts `value` at this place of `data`, making the objects on the way that are missing; an array's item must
    /// exist. Refused, it leaves `data` as it was, because a catcher goes on with it.
    pub(crate) fn insert(&self, data: &mut Value, value: Value) -> Result<(), Mismatch> {
        self.fits(data)?;
        let mut place = data;
        for segment in &self.0.segments {
            let next = match (segment, place) {
                (Segment::Field(name), Value::Object(fields)) => {
                    Some(fields.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new())))
                }
                (Segment::Index(index), Value::Array(items)) => {
                    usize::try_from(*index).ok().and_then(|index| items.get_mut(index))
                }
                _ => None,
            };
            place = next.ok_or_else(|| mismatch(segment))?;
        }
        *place = value;
        Ok(())
    }

    fn fits(&self, data: &Value) -> Result<(), Mismatch> {
        let mut place = Some(data);
        for segment in &self.0.segments {
            place = match (segment, place) {
                (Segment::Field(name), Some(Value::Object(fields))) => fields.get(name),
                (Segment::Field(_), None) => None,
                (Segment::Index(index), Some(Value::Array(items))) => {
                    let item = usize::try_from(*index).ok().and_then(|index| items.get(index));
                    Some(item.ok_or_else(|| mismatch(segment))?)
                }
                _ => return Err(mismatch(segment)),
            };
        }
        Ok(())
    }
}

fn mismatch(segment: &Segment) -> Mismatch {
    Mismatch {
        step: match segment {
            Segment::Field(name) => name.clone(),
            Segment::Index(index) => index.to_string(),
            other => format!("{other:?}"),
        },
    }
}

impl std::fmt::Display for ReferencePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
