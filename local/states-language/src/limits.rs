//! Step Functions' quotas that an execution can run into, and how a payload is measured.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html>

use serde_json::Value;

/// The longest input, result or output of a state or execution, in bytes of compact UTF-8 JSON, inclusive.
pub const MAX_PAYLOAD_BYTES: usize = 262_144;

/// The longest definition, in bytes, inclusive.
pub const MAX_DEFINITION_BYTES: usize = 1024 * 1024;

/// The longest name of a state, in characters, inclusive.
pub const MAX_STATE_NAME_CHARS: usize = 80;

/// How deep intrinsic functions may be nested within one field, inclusive.
pub const MAX_INTRINSIC_DEPTH: usize = 10;

/// How deep a payload may be nested, inclusive. Local only: it keeps a loop that wraps its own output from exhausting
/// the stack long before it exhausts [`MAX_PAYLOAD_BYTES`].
pub const MAX_PAYLOAD_DEPTH: usize = 256;

/// How many bytes of JSON a field may come to while a state is worked on: what a path finds that names no single place,
/// what a function gives, what a template has been filled with so far. Local only: what is left of it in the end is
/// measured against [`MAX_PAYLOAD_BYTES`], but a short definition can ask for gigabytes on the way there.
pub(crate) const MAX_WORK_BYTES: usize = 8 * MAX_PAYLOAD_BYTES;

/// How many bytes the copies of a Parallel's input may come to. Local only.
const COPIED_BYTES: usize = 64 * MAX_PAYLOAD_BYTES;

/// Why a payload is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oversize {
    Bytes,
    Depth,
    /// Of a path that names no single place: values that it looked at.
    Steps,
}

/// Measures a payload without writing it, and stops as soon as it is too long or too deep.
pub(crate) fn check(value: &Value) -> Result<(), Oversize> {
    Measure::upto(MAX_PAYLOAD_BYTES).value(value, 0)
}

/// Whether so many copies of a payload stay within [`COPIED_BYTES`].
pub(crate) fn check_copies(value: &Value, copies: usize) -> Result<(), Oversize> {
    Measure::upto(COPIED_BYTES / copies.max(1)).value(value, 0)
}

/// What a field may still come to, of [`MAX_WORK_BYTES`].
#[derive(Debug)]
pub(crate) struct Allowance {
    unmeasured: u32,
    measure: Measure,
}

impl Allowance {
    /// How many values are not measured: few can't come to much, and most fields hold few.
    const UNMEASURED: u32 = 8;

    /// For values that are whole payloads at most.
    pub(crate) fn for_few() -> Self {
        Self {
            unmeasured: Self::UNMEASURED,
            ..Self::for_any()
        }
    }

    /// For any number of values.
    pub(crate) fn for_any() -> Self {
        Self {
            unmeasured: 0,
            measure: Measure::upto(MAX_WORK_BYTES),
        }
    }

    /// Takes a value's bytes off.
    pub(crate) fn spend(&mut self, value: &Value) -> Result<(), Oversize> {
        match self.unmeasured.checked_sub(1) {
            Some(left) => {
                self.unmeasured = left;
                Ok(())
            }
            None => self.measure.value(value, 0),
        }
    }
}

#[derive(Debug)]
struct Measure {
    bytes: usize,
    most: usize,
}

impl Measure {
    fn upto(most: usize) -> Self {
        Self { bytes: 0, most }
    }

    fn add(&mut self, bytes: usize) -> Result<(), Oversize> {
        self.bytes += bytes;
        if self.bytes > self.most {
            Err(Oversize::Bytes)
        } else {
            Ok(())
        }
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Oversize> {
        match value {
            Value::Null | Value::Bool(true) => self.add(4),
            Value::Bool(false) => self.add(5),
            Value::Number(number) => self.add(number_len(number)),
            Value::String(text) => self.add(string_len(text)),
            Value::Array(_) | Value::Object(_) if depth >= MAX_PAYLOAD_DEPTH => Err(Oversize::Depth),
            Value::Array(items) => {
                self.add(2 + items.len().saturating_sub(1))?;
                items.iter().try_for_each(|item| self.value(item, depth + 1))
            }
            Value::Object(fields) => {
                self.add(2 + fields.len().saturating_sub(1))?;
                fields.iter().try_for_each(|(name, field)| {
                    self.add(string_len(name) + 1)?;
                    self.value(field, depth + 1)
                })
            }
        }
    }
}

fn number_len(number: &serde_json::Number) -> usize {
    if let Some(positive) = number.as_u64() {
        digits(positive)
    } else if let Some(negative) = number.as_i64() {
        1 + digits(negative.unsigned_abs())
    } else {
        number.to_string().len()
    }
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// The length of a string as JSON, quotes and escapes included. A sum over plain comparisons, which the compiler
/// turns into vector instructions: bodies are long and seldom hold an escape.
fn string_len(text: &str) -> usize {
    let escapes: usize = text
        .as_bytes()
        .iter()
        .map(|&byte| {
            let short = matches!(byte, b'"' | b'\\' | 0x08 | 0x09 | 0x0a | 0x0c | 0x0d);
            let control = byte < 0x20;
            usize::from(short) + 5 * usize::from(control & !short)
        })
        .sum();
    text.len() + 2 + escapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn measured(value: &Value) -> usize {
        let mut measure = Measure::upto(MAX_PAYLOAD_BYTES);
        measure.value(value, 0).unwrap();
        measure.bytes
    }

    #[test]
    fn a_payload_measures_as_long_as_its_compact_text() {
        let every_char: String = (0u8..=0x7f).map(char::from).chain("äß€😀".chars()).collect();
        for value in [
            json!(null),
            json!(true),
            json!(false),
            json!([]),
            json!({}),
            json!([1, [2, 3], {}]),
            json!({ "a": 1, every_char.as_str(): every_char }),
            json!([0, 9, 10, 99, 100, u64::MAX, i64::MIN, -1, 1.0, 1e300, 0.1, -0.0]),
        ] {
            assert_eq!(measured(&value), value.to_string().len(), "{value}");
        }
    }

    #[test]
    fn a_payload_is_refused_one_byte_past_the_limit() {
        for (length, expected) in [
            (MAX_PAYLOAD_BYTES - 1, Ok(())),
            (MAX_PAYLOAD_BYTES, Ok(())),
            (MAX_PAYLOAD_BYTES + 1, Err(Oversize::Bytes)),
        ] {
            assert_eq!(check(&json!("x".repeat(length - 2))), expected, "{length}");
        }
        assert_eq!(
            check(&json!("ä".repeat(MAX_PAYLOAD_BYTES / 2))),
            Err(Oversize::Bytes),
            "bytes count, not characters"
        );
    }

    #[test]
    fn a_payload_is_refused_one_level_past_the_depth() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert_eq!(check(&nested(MAX_PAYLOAD_DEPTH)), Ok(()));
        assert_eq!(check(&nested(MAX_PAYLOAD_DEPTH + 1)), Err(Oversize::Depth));
    }
}
