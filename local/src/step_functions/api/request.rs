//! Reading a request's fields. Unknown fields are ignored, as AWS does.

use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::step_functions::StepFunctionsError;

/// A request's body.
#[derive(Debug)]
pub(crate) struct Request(Map<String, Value>);

impl Request {
    /// Reads the body; an empty one has no fields.
    pub(super) fn parse(body: &[u8]) -> Result<Self, StepFunctionsError> {
        if body.is_empty() {
            return Ok(Self(Map::new()));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(serialization("the body is no JSON object")),
            Err(error) => Err(serialization(&format!("the body is no JSON: {error}"))),
        }
    }

    /// A text that must be there.
    pub(super) fn required(&self, field: &str) -> Result<&str, StepFunctionsError> {
        self.text(field)?.ok_or_else(|| StepFunctionsError::missing(field))
    }

    /// A text that may be there.
    pub(super) fn text(&self, field: &str) -> Result<Option<&str>, StepFunctionsError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(serialization(&format!("{field} is no string"))),
        }
    }

    /// A number from 0 to 1000 that may be there.
    pub(super) fn count(&self, field: &str) -> Result<Option<usize>, StepFunctionsError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().and_then(|value| usize::try_from(value).ok()) {
                Some(value) if value <= 1_000 => Ok(Some(value)),
                _ => {
                    let constraint = "Member must have value between 0 and 1000";
                    let problem = format!("Value at '{field}' failed to satisfy constraint: {constraint}");
                    Err(StepFunctionsError::Validation { problem })
                }
            },
        }
    }

    /// Whether a field is there at all.
    pub(super) fn has(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|value| !value.is_null())
    }

    /// Whether a field is there and true.
    pub(super) fn is_set(&self, field: &str) -> bool {
        self.0.get(field) == Some(&Value::Bool(true))
    }
}

fn serialization(problem: &str) -> StepFunctionsError {
    StepFunctionsError::Serialization {
        problem: problem.to_owned(),
    }
}

/// A time on the wire: seconds since 1970 with milliseconds.
pub(super) fn epoch_seconds(at: OffsetDateTime) -> Value {
    let milliseconds = at.unix_timestamp_nanos() / 1_000_000;
    #[allow(
        clippy::cast_precision_loss,
        reason = "milliseconds since 1970 are exact in an f64 for some 280,000 years"
    )]
    let seconds = milliseconds as f64 / 1_000.0;
    seconds.into()
}
