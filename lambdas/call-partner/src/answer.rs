//! What the caller gives back to the workflow.

use std::collections::BTreeMap;

use breaker::handover::Outcome;
use serde::Serialize;
use serde_json::json;

use crate::room::length;

/// The result of call-partner.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct CallResult {
    /// What the call says about the partner, and why.
    pub outcome: Outcome,
    /// What the customer gets, where that is not the fallback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// What the customer gets.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The status, 200-599.
    pub status: u16,
    /// The content type, as the partner sent it.
    pub content_type: String,
    /// The partner's headers that the policy passes on, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, byte for byte as the partner sent it.
    pub body: String,
}

/// The content type of an answer that has none: text, which a browser never runs.
pub const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

impl Answer {
    /// Whether it fits into so many bytes of an execution's state, as JSON: a body of quotes or control characters grows
    /// when it is written so.
    pub fn fits(&self, room: usize) -> bool {
        length(self) <= room
    }

    /// An answer of ours: a status and a message as JSON.
    pub fn message(status: u16, message: &str) -> Self {
        Self {
            status,
            content_type: "application/json".to_owned(),
            headers: BTreeMap::new(),
            body: json!({ "message": message }).to_string(),
        }
    }
}
