//! What the caller gives back to the workflow.

use breaker::handover::Outcome;
use serde::Serialize;
use serde_json::json;

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
    /// The body, byte for byte as the partner sent it.
    pub body: String,
}

/// The content type of an answer that has none: text, which a browser never runs.
pub const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// How long a body may be as a JSON string, in bytes, inclusive. It stands so in the execution's state, which holds
/// 262,144 bytes (AWS, *Step Functions quotas*) and a policy of 24,576 at most besides. A body of quotes or control
/// characters grows when it is written as JSON, and an execution that passes the limit fails with nothing to catch it.
pub const BODY_AS_JSON_BYTES: usize = 225_280;

impl Answer {
    /// Whether the body's text fits into an execution's state.
    pub fn fits(body: &str) -> bool {
        // A character takes six bytes at most (`\u0000`), so most bodies need no second look.
        body.len() <= BODY_AS_JSON_BYTES / 6
            || serde_json::to_string(body).is_ok_and(|text| text.len() <= BODY_AS_JSON_BYTES)
    }

    /// An answer of ours: a status and a message as JSON.
    pub fn message(status: u16, message: &str) -> Self {
        Self {
            status,
            content_type: "application/json".to_owned(),
            body: json!({ "message": message }).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_fits_by_its_length_as_json() {
        assert!(Answer::fits(&"x".repeat(BODY_AS_JSON_BYTES - 2)));
        assert!(!Answer::fits(&"x".repeat(BODY_AS_JSON_BYTES - 1)));
        assert!(Answer::fits(&"\"".repeat((BODY_AS_JSON_BYTES - 2) / 2)));
        assert!(!Answer::fits(&"\"".repeat(BODY_AS_JSON_BYTES / 2)));
        assert!(Answer::fits(&"\u{1}".repeat((BODY_AS_JSON_BYTES - 2) / 6)));
        assert!(!Answer::fits(&"\u{1}".repeat(BODY_AS_JSON_BYTES / 6 + 1)));
    }
}
