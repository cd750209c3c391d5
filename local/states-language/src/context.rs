//! The context object, `$$`.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/input-output-contextobject.html>

use serde_json::{Value, json};
use time::{OffsetDateTime, UtcOffset};

use crate::Start;

/// The context object of one line of an execution. `State` is only filled in for states that read the context, and
/// `Execution.Input` only when some state may read it: it would be a copy of the whole input.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    root: Value,
}

impl Context {
    pub(crate) fn new(start: &Start, started: OffsetDateTime, with_input: bool) -> Self {
        let input = if with_input { start.input.clone() } else { Value::Null };
        Self {
            root: json!({
                "Execution": {
                    "Id": start.execution_id,
                    "Input": input,
                    "Name": start.execution_name,
                    "RoleArn": start.role_arn,
                    "StartTime": timestamp(started),
                    "RedriveCount": 0,
                },
                "StateMachine": { "Id": start.machine_id, "Name": start.machine_name },
            }),
        }
    }

    /// A context object that somebody made: what it lacks, paths don't find.
    pub(crate) fn given(root: Value) -> Self {
        Self { root }
    }

    pub(crate) fn has_state(&self) -> bool {
        self.root.get("State").is_some()
    }

    /// A context for branches that read none.
    pub(crate) fn unread() -> Self {
        Self { root: Value::Null }
    }

    /// The context of one iteration of a Map.
    pub(crate) fn with_item(&self, index: usize, item: &Value) -> Self {
        let mut context = self.clone();
        if let Value::Object(fields) = &mut context.root {
            fields.insert("Map".to_owned(), json!({ "Item": { "Index": index, "Value": item } }));
        }
        context
    }

    pub(crate) fn enter_state(&mut self, name: &str, entered: OffsetDateTime) {
        self.set_state(json!({ "EnteredTime": timestamp(entered), "Name": name, "RetryCount": 0 }));
    }

    pub(crate) fn count_retry(&mut self, retry_count: u32) {
        if let Some(count) = self.root.pointer_mut("/State/RetryCount") {
            *count = retry_count.into();
        }
    }

    fn set_state(&mut self, state: Value) {
        if let Value::Object(fields) = &mut self.root {
            fields.insert("State".to_owned(), state);
        }
    }

    pub(crate) fn value(&self) -> &Value {
        &self.root
    }
}

/// RFC 3339 in UTC with milliseconds, always 24 characters for the years 0 to 9999.
pub(crate) fn timestamp(at: OffsetDateTime) -> String {
    let at = at.to_offset(UtcOffset::UTC);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.millisecond()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_utc_with_three_digits_of_fraction() {
        let at = OffsetDateTime::from_unix_timestamp_nanos(1_553_631_253_007_999_999)
            .unwrap()
            .to_offset(UtcOffset::from_hms(2, 30, 0).unwrap());
        assert_eq!(timestamp(at), "2019-03-26T20:14:13.007Z");
    }
}
