//! `States.MathAdd` and `States.MathRandom`.

use std::borrow::Cow;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;

use super::{Misuse, integer};

pub(super) fn add(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let number = |position| {
        integer(arguments, position).and_then(|number| {
            i32::try_from(number).map_err(|_| Misuse::Range {
                position,
                wanted: "between -2147483648 and 2147483647",
            })
        })
    };
    Ok((i64::from(number(1)?) + i64::from(number(2)?)).into())
}

/// A number from the start, inclusive, to the end, exclusive. The same seed gives the same number, though not the
/// one that AWS gives for it.
pub(super) fn random(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let (start, end) = (integer(arguments, 1)?, integer(arguments, 2)?);
    if start >= end {
        return Err(Misuse::Range {
            position: 2,
            wanted: "greater than argument 1",
        });
    }
    let number = if arguments.len() == 3 {
        StdRng::seed_from_u64(integer(arguments, 3)?.cast_unsigned()).random_range(start..end)
    } else {
        rand::random_range(start..end)
    };
    Ok(number.into())
}
