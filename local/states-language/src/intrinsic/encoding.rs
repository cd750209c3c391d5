//! `States.Base64Encode`, `States.Base64Decode`, `States.Hash`.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::Digest;

use super::{Misuse, argument, text};

/// The longest text that these functions take.
const MAX_CHARS: usize = 10_000;

pub(super) fn base64_encode(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    Ok(STANDARD.encode(bounded(text(arguments, 1)?)?).into())
}

pub(super) fn base64_decode(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let bytes = STANDARD
        .decode(bounded(text(arguments, 1)?)?)
        .map_err(|_| Misuse::Base64)?;
    String::from_utf8(bytes).map(Value::String).map_err(|_| Misuse::Base64)
}

/// The digest in lower-case hexadecimal; what is not a string is hashed as its JSON.
pub(super) fn hash(arguments: &[Cow<'_, Value>]) -> Result<Value, Misuse> {
    let data = match argument(arguments, 1) {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.to_string()),
    };
    let data = bounded(&data)?;
    let digest = match text(arguments, 2)? {
        "MD5" => hex(&md5::Md5::digest(data)),
        "SHA-1" => hex(&sha1::Sha1::digest(data)),
        "SHA-256" => hex(&sha2::Sha256::digest(data)),
        "SHA-384" => hex(&sha2::Sha384::digest(data)),
        "SHA-512" => hex(&sha2::Sha512::digest(data)),
        _ => {
            return Err(Misuse::Range {
                position: 2,
                wanted: "one of MD5, SHA-1, SHA-256, SHA-384, SHA-512",
            });
        }
    };
    Ok(digest.into())
}

fn bounded(text: &str) -> Result<&str, Misuse> {
    if text.chars().nth(MAX_CHARS).is_none() {
        Ok(text)
    } else {
        Err(Misuse::Range {
            position: 1,
            wanted: "at most 10000 characters",
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a String does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
