//! Filters: `[?(@.price < 10 && @.stock)]`.
//!
//! A comparison of values of different types is false, also `!=`'s opposite: values of different types are unequal. A
//! path that leads nowhere compares as nothing at all: only `!=` holds.

use std::cmp::Ordering;

use serde_json::Value;

use super::parser::{Cursor, PathError};
use super::{Path, Root, Segment};

/// What an item must be to be kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    /// The path leads somewhere.
    Exists(Path),
    Compare(Operand, Comparator, Operand),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Literal(Value),
    /// From the item: `@.name`.
    Item(Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparator {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Longest first: `<=` begins with `<`.
const COMPARATORS: [(&str, Comparator); 6] = [
    ("==", Comparator::Equal),
    ("!=", Comparator::Unequal),
    ("<=", Comparator::AtMost),
    (">=", Comparator::AtLeast),
    ("<", Comparator::Less),
    (">", Comparator::Greater),
];

/// How deep parentheses and negations may be nested.
const MAX_DEPTH: usize = 32;

impl Test {
    pub(super) fn holds(&self, item: &Value) -> bool {
        match self {
            Self::Any(tests) => tests.iter().any(|test| test.holds(item)),
            Self::All(tests) => tests.iter().all(|test| test.holds(item)),
            Self::Not(test) => !test.holds(item),
            Self::Exists(path) => find(path, item).is_some(),
            Self::Compare(left, comparator, right) => match (left.value(item), right.value(item)) {
                (Some(left), Some(right)) => comparator.holds(left, right),
                _ => *comparator == Comparator::Unequal,
            },
        }
    }
}

impl Operand {
    fn value<'v>(&'v self, item: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Literal(value) => Some(value),
            Self::Item(path) => find(path, item),
        }
    }
}

fn find<'v>(path: &Path, item: &'v Value) -> Option<&'v Value> {
    match path.select(item, &Value::Null) {
        Ok(super::Selected::One(value)) => Some(value),
        // A filter's paths are definite.
        Ok(super::Selected::Many(_)) | Err(_) => None,
    }
}

impl Comparator {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::Number(left), Value::Number(right)) => left
                .as_f64()
                .zip(right.as_f64())
                .and_then(|(left, right)| left.partial_cmp(&right)),
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            _ => None,
        };
        match self {
            Self::Equal => order.map_or(left == right, Ordering::is_eq),
            Self::Unequal => order.map_or(left != right, Ordering::is_ne),
            Self::Less => order.is_some_and(Ordering::is_lt),
            Self::AtMost => order.is_some_and(Ordering::is_le),
            Self::Greater => order.is_some_and(Ordering::is_gt),
            Self::AtLeast => order.is_some_and(Ordering::is_ge),
        }
    }
}

/// Parses what stands between `[?(` and `)]`.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Test, PathError> {
    any(cursor, 0)
}

fn any(cursor: &mut Cursor<'_>, depth: usize) -> Result<Test, PathError> {
    series(cursor, "||", depth, all, Test::Any)
}

fn all(cursor: &mut Cursor<'_>, depth: usize) -> Result<Test, PathError> {
    series(cursor, "&&", depth, one, Test::All)
}

fn series(
    cursor: &mut Cursor<'_>,
    between: &str,
    depth: usize,
    operand: fn(&mut Cursor<'_>, usize) -> Result<Test, PathError>,
    join: fn(Vec<Test>) -> Test,
) -> Result<Test, PathError> {
    let mut tests = vec![operand(cursor, depth)?];
    cursor.skip_blanks();
    while cursor.take_text(between) {
        tests.push(operand(cursor, depth)?);
        cursor.skip_blanks();
    }
    Ok(if tests.len() == 1 {
        tests.swap_remove(0)
    } else {
        join(tests)
    })
}

fn one(cursor: &mut Cursor<'_>, depth: usize) -> Result<Test, PathError> {
    if depth > MAX_DEPTH {
        return Err(PathError::FilterDepth);
    }
    cursor.skip_blanks();
    if cursor.take('!') {
        return Ok(Test::Not(Box::new(one(cursor, depth + 1)?)));
    }
    if cursor.take('(') {
        let test = any(cursor, depth + 1)?;
        cursor.skip_blanks();
        return if cursor.take(')') {
            Ok(test)
        } else {
            Err(PathError::Unclosed)
        };
    }
    let left = operand(cursor)?;
    cursor.skip_blanks();
    let comparator = COMPARATORS
        .into_iter()
        .find_map(|(text, comparator)| cursor.take_text(text).then_some(comparator));
    match (comparator, left) {
        (Some(comparator), left) => Ok(Test::Compare(left, comparator, operand(cursor)?)),
        (None, Operand::Item(path)) if matches!(cursor.peek(), Some(')' | '&' | '|')) => Ok(Test::Exists(path)),
        (None, _) => Err(match cursor.peek() {
            None => PathError::Unclosed,
            Some(_) => PathError::FilterOperator { found: cursor.word() },
        }),
    }
}

fn operand(cursor: &mut Cursor<'_>) -> Result<Operand, PathError> {
    cursor.skip_blanks();
    match cursor.peek() {
        Some('@') => {
            cursor.bump();
            let before = cursor.rest();
            let segments = cursor.segments(true)?;
            if !segments
                .iter()
                .all(|segment| matches!(segment, Segment::Field(_) | Segment::Index(_)))
            {
                return Err(PathError::FilterPath);
            }
            let used = before.len() - cursor.rest().len();
            let text = before.get(..used).unwrap_or_default();
            Ok(Operand::Item(Path::new(&format!("@{text}"), Root::Data, segments)))
        }
        Some('$') => Err(PathError::FilterRoot),
        Some('\'' | '"') => Ok(Operand::Literal(cursor.quoted()?.into())),
        Some(_) => {
            let word = cursor.word();
            let literal = serde_json::from_str::<Value>(&word).ok();
            literal
                .filter(|literal| !literal.is_string())
                .map(Operand::Literal)
                .ok_or(PathError::FilterOperand { found: word })
        }
        None => Err(PathError::Unclosed),
    }
}
