//! The spellings in which a text could be found where it must not be.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::Value;

/// Percent-encoded, as a caller of the front door and the function spell it.
pub fn percent(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Raw, as JSON, as JSON within JSON (and within that), percent-encoded, and as base64 at each offset.
pub fn spellings(text: &str) -> Vec<String> {
    let json = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
    let (once, twice) = (json(text), json(&json(text)));
    let mut spellings = vec![
        text.to_owned(),
        once,
        json(&twice),
        twice,
        percent(text).to_lowercase(),
        percent(text),
    ];
    for before in 0..3_usize {
        let shifted = [vec![b'x'; before], text.as_bytes().to_vec()].concat();
        for encoded in [STANDARD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            // The first and the last digits depend on what stands beside.
            let digits = encoded.trim_end_matches('=');
            spellings.push(digits[4..digits.len() - 2].to_owned());
        }
    }
    spellings
}

/// How often the text stands in another, in whatever spelling.
pub fn hits(text: &str, within: &str) -> usize {
    spellings(text)
        .iter()
        .map(|spelling| within.matches(spelling.as_str()).count())
        .sum()
}

#[test]
fn each_spelling_is_found() {
    let text = "pLaNtEd \"ä%&?";
    let json = Value::from(text).to_string();
    for found in [
        text.to_owned(),
        json.clone(),
        Value::from(json).to_string(),
        percent(text),
    ] {
        assert!(hits(text, &found) > 0, "{found}");
    }
    for before in ["", "x", "xx", "xxx"] {
        assert!(
            hits(text, &STANDARD.encode(format!("{before}{text} and more"))) > 0,
            "{before}"
        );
    }
}
