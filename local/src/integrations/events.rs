//! `events:putEvents`: a bus that keeps the last events for whoever wants to see them.
//!
//! Result and errors: <https://docs.aws.amazon.com/step-functions/latest/dg/connect-eventbridge.html>.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use states_language::TaskError;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::sdk;

/// The most events that are kept, and the most bytes of them as text; older ones are dropped.
const KEPT_EVENTS: usize = 1_000;
const KEPT_BYTES: usize = 4 * 1024 * 1024;
/// The most entries of one request.
const ENTRIES: usize = 10;

/// An event bus without rules.
#[derive(Debug)]
pub struct EventBus {
    region: String,
    account: String,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<(usize, Value)>,
    bytes: usize,
    dropped: u64,
}

impl EventBus {
    pub(crate) fn new(region: &str, account: &str) -> Self {
        Self {
            region: region.to_owned(),
            account: account.to_owned(),
            kept: Mutex::default(),
        }
    }

    /// The events that are kept, oldest first, as EventBridge delivers them (`detail-type`, `source`, `detail`, …).
    #[must_use]
    pub fn list(&self) -> Vec<Value> {
        self.kept().events.iter().map(|(_, event)| event.clone()).collect()
    }

    /// How many older events were dropped.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.kept().dropped
    }

    /// Forgets the events, for the next test.
    pub fn clear(&self) {
        *self.kept() = Kept::default();
    }

    /// Takes the entries of one request. As on AWS, good entries are taken although others of the request fail.
    pub(super) fn put(&self, parameters: &Value, execution: &str) -> Result<Value, TaskError> {
        let invalid = |why: &str| Err(TaskError::new("EventBridge.ValidationException", why));
        let Some(entries) = parameters["Entries"].as_array() else {
            return invalid("Entries must be a list");
        };
        if entries.is_empty() || entries.len() > ENTRIES {
            return invalid("Entries must have 1 to 10 members");
        }
        let results: Vec<Value> = entries.iter().map(|entry| self.take(entry, execution)).collect();
        let failed = results
            .iter()
            .filter(|result| result.get("ErrorCode").is_some())
            .count();
        let mut result = serde_json::Map::new();
        result.insert("Entries".to_owned(), Value::Array(results));
        result.insert("FailedEntryCount".to_owned(), failed.into());
        sdk::add_metadata(&mut result, &uuid::Uuid::new_v4().to_string());
        let result = Value::Object(result);
        if failed > 0 {
            Err(TaskError::new("EventBridge.FailedEntry", result.to_string()))
        } else {
            Ok(result)
        }
    }

    fn take(&self, entry: &Value, execution: &str) -> Value {
        match self.event(entry, execution) {
            Ok(event) => {
                let id = event["id"].clone();
                self.keep(event);
                json!({ "EventId": id })
            }
            Err((code, message)) => json!({ "ErrorCode": code, "ErrorMessage": message }),
        }
    }

    fn event(&self, entry: &Value, execution: &str) -> Result<Value, (&'static str, String)> {
        let text = |field: &str| match entry[field].as_str() {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err((
                "InvalidArgument",
                format!("Parameter {field} is not valid. Reason: {field} is a required argument."),
            )),
        };
        let (source, detail_type) = (text("Source")?, text("DetailType")?);
        // Step Functions takes the detail as JSON; the API wants it as text.
        let detail = match &entry["Detail"] {
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            other => other.clone(),
        };
        if !detail.is_object() {
            return Err(("MalformedDetail", "Detail is malformed.".to_owned()));
        }
        let mut resources: Vec<Value> = entry["Resources"].as_array().cloned().unwrap_or_default();
        resources.push(execution.into());
        let now = OffsetDateTime::now_utc()
            .truncate_to_second()
            .format(&Rfc3339)
            .unwrap_or_default();
        Ok(json!({
            "version": "0",
            "id": uuid::Uuid::new_v4().to_string(),
            "detail-type": detail_type,
            "source": source,
            "account": self.account,
            "time": entry["Time"].as_str().unwrap_or(&now),
            "region": self.region,
            "resources": resources,
            "detail": detail,
        }))
    }

    fn keep(&self, event: Value) {
        let size = event.to_string().len();
        let mut kept = self.kept();
        kept.bytes += size;
        kept.events.push_back((size, event));
        while kept.events.len() > KEPT_EVENTS || kept.bytes > KEPT_BYTES {
            let Some((size, _)) = kept.events.pop_front() else {
                break;
            };
            kept.bytes -= size;
            kept.dropped += 1;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing under this lock can leave it half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus() -> EventBus {
        EventBus::new("eu-west-1", "000000000000")
    }

    fn entry() -> Value {
        json!({ "Source": "stepbreaker", "DetailType": "CircuitOpened", "Detail": { "circuit": "a" } })
    }

    #[test]
    fn an_event_is_kept_as_eventbridge_delivers_it() {
        let bus = bus();
        let result = bus.put(&json!({ "Entries": [entry()] }), "arn:execution").unwrap();
        assert_eq!(result["FailedEntryCount"], 0);
        let events = bus.list();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["id"], result["Entries"][0]["EventId"]);
        assert_eq!(events[0]["detail-type"], "CircuitOpened");
        assert_eq!(events[0]["detail"], json!({ "circuit": "a" }));
        assert_eq!(events[0]["resources"], json!(["arn:execution"]));
    }

    #[test]
    fn a_bad_entry_fails_the_task_and_not_its_neighbour() {
        let bus = bus();
        for bad in [
            json!({ "Source": "s", "DetailType": "t", "Detail": "no object" }),
            json!({ "Detail": {} }),
        ] {
            bus.clear();
            let error = bus.put(&json!({ "Entries": [bad, entry()] }), "arn").unwrap_err();
            assert_eq!(error.error, "EventBridge.FailedEntry");
            let cause: Value = serde_json::from_str(&error.cause).unwrap();
            assert_eq!(cause["FailedEntryCount"], 1);
            assert_eq!(bus.list().len(), 1);
        }
    }

    #[test]
    fn one_to_ten_entries_are_taken() {
        let bus = bus();
        for (count, taken) in [(0, false), (1, true), (10, true), (11, false)] {
            let entries = vec![entry(); count];
            assert_eq!(bus.put(&json!({ "Entries": entries }), "arn").is_ok(), taken, "{count}");
        }
    }

    #[test]
    fn old_events_are_dropped_past_the_limit() {
        let bus = bus();
        for _ in 0..KEPT_EVENTS + 3 {
            bus.put(&json!({ "Entries": [entry()] }), "arn").unwrap();
        }
        assert_eq!((bus.list().len(), bus.dropped()), (KEPT_EVENTS, 3));
        let large = json!({ "Source": "s", "DetailType": "t", "Detail": { "a": "x".repeat(KEPT_BYTES / 2) } });
        for _ in 0..3 {
            bus.put(&json!({ "Entries": [large] }), "arn").unwrap();
        }
        assert_eq!(bus.list().len(), 1);
    }
}
