//! `States.Format` and `States.StringSplit`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use super::{Misuse, text};

/// Replaces each `{}` of the template, in which `\{`, `\}`, `\'` and `\\` stand for themselves.
pub(super) fn format(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let template = text(arguments, 1)?;
    let mut values = arguments.iter().skip(1);
    let mut formatted = String::with_capacity(template.len());
    let mut chars = template.chars();
    while let Some(found) = chars.next() {
        match found {
            '\\' => formatted.push(
                chars
                    .next()
                    .filter(|next| is_escapable(*next))
                    .ok_or(Misuse::Template)?,
            ),
            '{' => {
                if chars.next() != Some('}') {
                    return Err(Misuse::Template);
                }
                match values.next().ok_or(Misuse::Placeholders)?.as_ref() {
                    Value::String(value) => formatted.push_str(value),
                    // Writing to a String does not fail.
                    other => drop(write!(formatted, "{other}")),
                }
            }
            '}' => return Err(Misuse::Template),
            other => formatted.push(other),
        }
    }
    if values.next().is_some() {
        Err(Misuse::Placeholders)
    } else {
        Ok(formatted.into())
    }
}

/// Whether a backslash may stand before it.
pub(super) fn is_escapable(found: char) -> bool {
    matches!(found, '\'' | '\\' | '{' | '}')
}

/// Splits at each of the delimiter's characters; empty parts are left out.
pub(super) fn split(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let (whole, delimiters) = (text(arguments, 1)?, text(arguments, 2)?);
    Ok(whole
        .split(|found| delimiters.contains(found))
        .filter(|part| !part.is_empty())
        .collect())
}
