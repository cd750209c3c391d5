//! How much of an execution's state is left for the answer.
//!
//! A state holds 262,144 bytes of JSON (AWS, *Step Functions quotas*), and an execution that passes the limit fails with
//! nothing to catch it. So the caller, which sees what the state holds, refuses what would not fit.

use std::io;

use policy::limits::DEPLOYED_BYTES;
use serde::Serialize;

use crate::event::CallPartner;

/// What a state holds.
const STATE_BYTES: usize = 262_144;

/// What else comes into the state: names and brackets, the outcome, what was recorded, and an error that was caught. The
/// metadata that Lambda puts around the caller's result are shorter than the policy, which does not stand beside them.
const SPARE_BYTES: usize = 8_192;

/// The bytes that an answer may have as JSON, inclusive. The workflow keeps nothing but what it hands to the caller; of
/// the policy the caller sees only a part, so its greatest length is taken.
pub fn for_answer(event: &CallPartner) -> usize {
    [&event.params, &event.body, &event.circuit]
        .into_iter()
        .fold(STATE_BYTES - SPARE_BYTES - DEPLOYED_BYTES, |room, part| {
            room.saturating_sub(length(part))
        })
}

/// The length as compact JSON in bytes, without writing it anywhere.
pub fn length(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        // Nothing of ours has keys that are no strings, and the counter takes everything.
        Err(_) => usize::MAX,
    }
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use serde_json::{Value, json};

    fn event(body: Value) -> CallPartner {
        let call = json!({"method": "GET", "url": "http://h/", "headers": {}, "timeoutMs": 50, "maxResponseBytes": 1});
        let event = json!({
            "policy": {"circuit": "a", "params": {}, "call": call}, "params": {}, "circuit": {"Item": {}}, "body": body
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn length_is_that_of_the_text() {
        for value in [json!(null), json!({"a": [1, "\u{1}\"ä🦀"]}), json!(1.5)] {
            assert_eq!(length(&value), value.to_string().len());
        }
    }

    #[test]
    fn what_the_state_holds_already_takes_from_the_room() {
        let empty = for_answer(&event(json!(null)));
        assert_eq!(
            empty,
            262_144 - 8_192 - 24_576 - "{}".len() - "{\"Item\":{}}".len() - "null".len()
        );
        assert_eq!(for_answer(&event(json!("\u{1}"))), empty + "null".len() - 8);
        assert_eq!(for_answer(&event(json!("x".repeat(300_000)))), 0);
    }

    #[test]
    fn answer_fits_by_its_length_as_json() {
        let answer = |body: String| Answer {
            body,
            ..Answer::message(200, "")
        };
        let around = length(&answer(String::new()));
        for (character, bytes) in [("x", 1), ("\"", 2), ("\u{1}", 6), ("ä", 2)] {
            let room = around + bytes * 10;
            assert!(answer(character.repeat(10)).fits(room));
            assert!(!answer(character.repeat(11)).fits(room), "{character:?}");
        }
    }
}
