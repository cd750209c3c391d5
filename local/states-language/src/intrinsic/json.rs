//! `States.StringToJson`, `States.JsonToString`, `States.JsonMerge`.

use std::borrow::Cow;

use serde_json::Value;

use super::{Arguments, Misuse, argument, text};

pub(super) fn to_string(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    Ok(argument(arguments, 1).to_string().into())
}

pub(super) fn from_string(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    serde_json::from_str(text(arguments, 1)?).map_err(|_| Misuse::Json)
}

/// The fields of both objects, the second's where both have one. Deep merging is not something that AWS offers: the
/// third argument must be `false`.
pub(super) fn merge(arguments: Arguments<'_>) -> Result<Value, Misuse> {
    let [first, second, deep] = <[Cow<'_, Value>; 3]>::try_from(arguments).map_err(|_| Misuse::Type {
        position: 3,
        wanted: "present",
    })?;
    if *deep != Value::Bool(false) {
        return Err(Misuse::Range {
            position: 3,
            wanted: "false: only shallow merging is supported",
        });
    }
    let object = |value: Cow<'_, Value>, position| match value.into_owned() {
        Value::Object(fields) => Ok(fields),
        _ => Err(Misuse::Type {
            position,
            wanted: "an object",
        }),
    };
    let mut merged = object(first, 1)?;
    merged.extend(object(second, 2)?);
    Ok(Value::Object(merged))
}
