//! `States.Array…`.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::{Misuse, argument, array, integer};

/// The longest array that `States.ArrayRange` makes.
const MAX_RANGE_ITEMS: usize = 1000;

pub(super) fn contains(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    Ok(array(arguments, 1)?.contains(argument(arguments, 2)).into())
}

pub(super) fn get_item(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let items = array(arguments, 1)?;
    let item = usize::try_from(integer(arguments, 2)?)
        .ok()
        .and_then(|index| items.get(index));
    item.cloned().ok_or(Misuse::Range {
        position: 2,
        wanted: "an index of the array",
    })
}

pub(super) fn length(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    Ok(array(arguments, 1)?.len().into())
}

pub(super) fn partition(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let items = array(arguments, 1)?;
    let size = usize::try_from(integer(arguments, 2)?).ok().filter(|size| *size > 0);
    let size = size.ok_or(Misuse::Range {
        position: 2,
        wanted: "a whole number greater than 0",
    })?;
    Ok(items.chunks(size).map(|chunk| Value::Array(chunk.to_vec())).collect())
}

/// From the first to the last number, both inclusive, by the step.
pub(super) fn range(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let (first, last, step) = (integer(arguments, 1)?, integer(arguments, 2)?, integer(arguments, 3)?);
    if step == 0 {
        return Err(Misuse::Range {
            position: 3,
            wanted: "other than 0",
        });
    }
    let steps = (i128::from(last) - i128::from(first)) / i128::from(step);
    if steps >= MAX_RANGE_ITEMS as i128 {
        return Err(Misuse::TooLong { limit: MAX_RANGE_ITEMS });
    }
    let towards = |number: &i64| if step > 0 { *number <= last } else { *number >= last };
    let numbers = std::iter::successors(Some(first), |number| number.checked_add(step)).take_while(towards);
    Ok(numbers.map(Value::from).collect())
}

/// The first of each of equal items, in order.
pub(super) fn unique(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    // A set, so that a long array does not take the square of its length.
    let mut seen = HashSet::new();
    let kept = array(arguments, 1)?.iter().filter(|item| seen.insert(*item));
    Ok(kept.cloned().collect())
}
