//! The idempotency key: what a partner recognises a repeated request by.

use reqwest::header::{HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

/// `idempotency-key` (IETF draft *The Idempotency-Key HTTP Header Field*; the header that payment APIs use).
pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The key of an execution: the same for every attempt, also of an asynchronous Express execution, which AWS may run more
/// than once under its one id. It has the form of a UUID (version 8, RFC 9562), because some partners ask for one, and
/// tells nothing of the id, which holds an account's number.
pub fn key(execution: &str) -> HeaderValue {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let digest = Sha256::digest(execution.as_bytes());
    let mut key = Vec::with_capacity(36);
    for (at, byte) in digest.iter().take(16).enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            key.push(b'-');
        }
        let byte = match at {
            6 => (byte & 0x0f) | 0x80,
            8 => (byte & 0x3f) | 0x80,
            _ => *byte,
        };
        key.extend([byte >> 4, byte & 0x0f].map(|digit| HEX[usize::from(digit)]));
    }
    // Hexadecimal digits and dashes always are a header's value.
    HeaderValue::from_bytes(&key).unwrap_or(HeaderValue::from_static("00000000-0000-8000-8000-000000000000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_stable_and_another_one_for_each_execution() {
        let execution = "arn:aws:states:eu-central-1:123456789012:express:circuit-stock:name:1";
        let (first, again, other) = (key(execution), key(execution), key(&execution.replace(":1", ":2")));
        assert_eq!(first, again);
        assert_ne!(first, other);
        let text = first.to_str().unwrap();
        // The beginning of the id's SHA-256, as sha256sum has it: the key must not change between versions.
        assert_eq!(text, "5d013788-4c82-82d4-9f0f-bbdacde5d95c");
    }
}
