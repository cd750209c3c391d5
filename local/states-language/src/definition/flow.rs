//! What goes into a state and comes out of it: `InputPath`, `OutputPath`, `ResultPath` and the templates.

use serde_json::Value;

use super::fields::{Fields, looks_like_path};
use super::report::{NO_DOLLAR, Report};
use crate::path::{Path, ReferencePath};
use crate::template::Template;

/// `InputPath` or `OutputPath`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    /// Absent or `$`.
    All,
    /// Null: an empty object instead.
    Nothing,
    Path(Path),
}

impl Filter {
    pub(super) fn parse(fields: &mut Fields, name: &str, report: &mut Report) -> Self {
        match fields.take(name) {
            None => Self::All,
            Some(Value::Null) => Self::Nothing,
            Some(Value::String(text)) => match Path::parse(&text) {
                Ok(path) if path.is_identity() => Self::All,
                Ok(path) => Self::Path(path),
                Err(error) => {
                    report.schema(
                        &fields.at(name),
                        format!("Value is not a valid JSONPath: {text:?} {error}"),
                    );
                    Self::All
                }
            },
            Some(_) => {
                report.schema(&fields.at(name), "must be a path or null");
                Self::All
            }
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::All | Self::Nothing => None,
        }
    }
}

/// `ResultPath`: where a result goes in the state's raw input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ResultPlace {
    /// Absent or `$`: it replaces everything.
    Everything,
    /// Null: nowhere.
    Nowhere,
    At(ReferencePath),
}

impl ResultPlace {
    pub(super) fn parse(fields: &mut Fields, report: &mut Report) -> Self {
        const NAME: &str = "ResultPath";
        match fields.take(NAME) {
            None => Self::Everything,
            Some(Value::Null) => Self::Nowhere,
            Some(Value::String(text)) => match ReferencePath::parse(&text) {
                Ok(path) if path.is_identity() => Self::Everything,
                Ok(path) => Self::At(path),
                Err(error) => {
                    report.schema(
                        &fields.at(NAME),
                        format!("Value is not a Reference Path: {text:?} {error}"),
                    );
                    Self::Everything
                }
            },
            Some(_) => {
                report.schema(&fields.at(NAME), "must be a reference path or null");
                Self::Everything
            }
        }
    }
}

/// `Parameters`, `ResultSelector` or `ItemSelector`.
pub(super) fn template(fields: &mut Fields, name: &str, report: &mut Report) -> Option<Template> {
    let value = fields.take(name)?;
    if !value.is_object() {
        report.schema(&fields.at(name), "must be an object");
        return None;
    }
    warn_of_static(&value, &fields.at(name), report);
    let mut errors = Vec::new();
    let template = Template::compile(value, &mut errors);
    for error in errors {
        report.schema(&format!("{}{}", fields.at(name), error.location), error.message);
    }
    Some(template)
}

/// Warns of texts that stand for themselves, but look as if they were to be evaluated.
fn warn_of_static(value: &Value, location: &str, report: &mut Report) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(name, _)| !name.ends_with(".$")) {
                let location = format!("{location}/{name}");
                if let Value::String(text) = field
                    && (looks_like_path(text) || looks_like_call(text))
                {
                    let message = format!(
                        "{text:?} looks like a path or a function, but the field's name does not end with '.$'"
                    );
                    report.warn(NO_DOLLAR, &location, message);
                }
                warn_of_static(field, &location, report);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                warn_of_static(item, &format!("{location}[{index}]"), report);
            }
        }
        _ => {}
    }
}

fn looks_like_call(text: &str) -> bool {
    text.starts_with("States.") && text.ends_with(')') && text.contains('(')
}
