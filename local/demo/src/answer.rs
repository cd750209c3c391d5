//! What a customer got.

use std::time::Duration;

/// One answer of the front door, as its customer sees it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The request's number in the demo, from 1.
    pub number: usize,
    pub status: u16,
    /// From before the request was sent to the last byte of the answer.
    pub took: Duration,
    /// The `x-circuit` header; empty if there was none.
    pub reason: String,
    pub body: String,
}

impl Answer {
    /// The nonce that the partner put into its answer, if this is one.
    pub fn nonce(&self) -> Option<String> {
        let body: serde_json::Value = serde_json::from_str(&self.body).ok()?;
        Some(body.get("nonce")?.as_str()?.to_owned())
    }
}

/// How many of these answers have this reason.
pub fn count(answers: &[Answer], reason: &str) -> usize {
    answers.iter().filter(|answer| answer.reason == reason).count()
}

/// The time in the middle; of an even number, the greater of the two.
pub fn median(answers: &[Answer]) -> Duration {
    let mut times: Vec<_> = answers.iter().map(|answer| answer.took).collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The longest time.
pub fn slowest(answers: &[Answer]) -> Duration {
    answers.iter().map(|answer| answer.took).max().unwrap_or_default()
}
