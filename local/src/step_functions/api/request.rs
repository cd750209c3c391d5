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
                _ => Err(StepFunctionsError::constraint(
                    field,
                    "Member must have value between 0 and 1000",
                )),
            },
        }
    }

    /// A text of so many characters at most that may be there.
    pub(super) fn short_text(&self, field: &str, limit: usize) -> Result<Option<&str>, StepFunctionsError> {
        match self.text(field)? {
            Some(text) if text.chars().count() > limit => Err(StepFunctionsError::too_long(field, limit)),
            text => Ok(text),
        }
    }

    /// How many a page is to hold: `maxResults`, of which 0 is as if nobody said.
    pub(super) fn page(&self, usual: usize) -> Result<usize, StepFunctionsError> {
        Ok(self.count("maxResults")?.filter(|count| *count > 0).unwrap_or(usual))
    }

    /// A list of objects that may be there.
    pub(super) fn objects(&self, field: &str) -> Result<Vec<Self>, StepFunctionsError> {
        let items = self.list(field)?.iter().map(|item| match item {
            Value::Object(fields) => Ok(Self(fields.clone())),
            _ => Err(serialization(&format!("{field} has a member that is no object"))),
        });
        items.collect()
    }

    /// A list of texts that may be there.
    pub(super) fn texts(&self, field: &str) -> Result<Vec<&str>, StepFunctionsError> {
        let items = self.list(field)?.iter().map(|item| {
            item.as_str()
                .ok_or_else(|| serialization(&format!("{field} has a member that is no string")))
        });
        items.collect()
    }

    fn list(&self, field: &str) -> Result<&[Value], StepFunctionsError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(serialization(&format!("{field} is no list"))),
        }
    }

    /// An object that may be there.
    pub(super) fn object(&self, field: &str) -> Result<Option<Self>, StepFunctionsError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self(fields.clone()))),
            Some(_) => Err(serialization(&format!("{field} is no object"))),
        }
    }

    /// A flag that may be there.
    pub(super) fn flag(&self, field: &str) -> Result<Option<bool>, StepFunctionsError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(serialization(&format!("{field} is no boolean"))),
        }
    }

    /// Whether a field is there at all.
    pub(super) fn has(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|value| !value.is_null())
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
