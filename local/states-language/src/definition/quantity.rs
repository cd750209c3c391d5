//! Numbers that a definition gives, or lets a state read from its input: `TimeoutSeconds` and `TimeoutSecondsPath`.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::fields::Fields;
use super::report::Report;
use crate::path::Path;

/// A whole number, given or read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Quantity {
    Given(u32),
    Read {
        /// The field's name, which ends in `Path`.
        field: String,
        path: Path,
        least: u32,
        most: u32,
    },
}

impl Quantity {
    /// The field `name`, or the one with `Path` added; both at once are refused.
    pub(super) fn parse(
        fields: &mut Fields,
        name: &str,
        range: RangeInclusive<u32>,
        report: &mut Report,
    ) -> Option<Self> {
        let by_path = format!("{name}Path");
        if fields.has(name) && fields.has(&by_path) {
            report.schema(fields.location(), format!("must not hold both {name} and {by_path}"));
        }
        fields.warn_of_path(name, report);
        let given = fields.whole(name, range.clone(), report).map(Self::Given);
        let read = reference(fields, &by_path, report).map(|path| Self::Read {
            field: by_path,
            path,
            least: *range.start(),
            most: *range.end(),
        });
        given.or(read)
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Given(_) => None,
            Self::Read { path, .. } => Some(path),
        }
    }

    pub(crate) fn given(&self) -> Option<u32> {
        match self {
            Self::Given(number) => Some(*number),
            Self::Read { .. } => None,
        }
    }
}

/// A path that names one place, from the input or the context object.
pub(super) fn reference(fields: &mut Fields, name: &str, report: &mut Report) -> Option<Path> {
    let location = fields.at(name);
    let value = fields.take(name)?;
    let Value::String(text) = value else {
        report.schema(&location, "must be a reference path");
        return None;
    };
    let problem = match Path::parse(&text) {
        Ok(path) if path.is_definite() => return Some(path),
        Ok(_) => "must name a single place: only names and indexes".to_owned(),
        Err(error) => error.to_string(),
    };
    report.schema(&location, format!("Value is not a Reference Path: {text:?} {problem}"));
    None
}
