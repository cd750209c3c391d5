//! A payload as bytes: written in one pass without quoting or escaping, because executions are recorded on their own path,
//! and read only when somebody asks for a history.

use serde_json::{Map, Number, Value};

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const POSITIVE: u8 = 3;
const NEGATIVE: u8 = 4;
const FLOAT: u8 = 5;
const STRING: u8 = 6;
const ARRAY: u8 = 7;
const OBJECT: u8 = 8;

/// Appends a payload.
pub(super) fn write(value: &Value, bytes: &mut Vec<u8>) {
    match value {
        Value::Null => bytes.push(NULL),
        Value::Bool(false) => bytes.push(FALSE),
        Value::Bool(true) => bytes.push(TRUE),
        Value::Number(number) => write_number(number, bytes),
        Value::String(text) => {
            bytes.push(STRING);
            write_text(text, bytes);
        }
        Value::Array(items) => {
            bytes.push(ARRAY);
            write_count(items.len() as u64, bytes);
            items.iter().for_each(|item| write(item, bytes));
        }
        Value::Object(fields) => {
            bytes.push(OBJECT);
            write_count(fields.len() as u64, bytes);
            for (name, field) in fields {
                write_text(name, bytes);
                write(field, bytes);
            }
        }
    }
}

fn write_number(number: &Number, bytes: &mut Vec<u8>) {
    if let Some(positive) = number.as_u64() {
        bytes.push(POSITIVE);
        write_count(positive, bytes);
    } else if let Some(negative) = number.as_i64() {
        bytes.push(NEGATIVE);
        // Of a negative number, so that -1 takes one byte.
        write_count((!negative).cast_unsigned(), bytes);
    } else {
        bytes.push(FLOAT);
        bytes.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
    }
}

/// Appends a text with its length.
pub(super) fn write_text(text: &str, bytes: &mut Vec<u8>) {
    write_count(text.len() as u64, bytes);
    bytes.extend_from_slice(text.as_bytes());
}

/// Appends a number, seven bits to a byte, the lowest first.
pub(super) fn write_count(mut count: u64, bytes: &mut Vec<u8>) {
    while count >= 0x80 {
        bytes.push((count & 0x7f) as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
}

/// Reads what was written, from its start. None is only for bytes that nobody here wrote.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub(super) fn count(&mut self) -> Option<u64> {
        let mut count = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            count |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(count);
            }
        }
        None
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.count()?).ok()
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    /// Payloads are no deeper than the engine lets them be, so this ends.
    pub(super) fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            NULL => Value::Null,
            FALSE => false.into(),
            TRUE => true.into(),
            POSITIVE => self.count()?.into(),
            NEGATIVE => (!self.count()?.cast_signed()).into(),
            FLOAT => f64::from_le_bytes(self.bytes(8)?.try_into().ok()?).into(),
            STRING => self.text()?.into(),
            ARRAY => {
                let length = self.length()?;
                (0..length).map(|_| self.value()).collect::<Option<Vec<_>>>()?.into()
            }
            OBJECT => {
                let mut fields = Map::new();
                for _ in 0..self.length()? {
                    fields.insert(self.text()?.to_owned(), self.value()?);
                }
                fields.into()
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_is_read_as_it_was_written() {
        let value = json!({
            "nothing": null,
            "flags": [true, false],
            "numbers": [0, 1, 127, 128, 16_384, u64::MAX, -1, -128, -129, i64::MIN, 0.1, -0.0, 1e300],
            "text": ["", "a", "ä\"\\\n😀", "x".repeat(300)],
            "nested": { "z": { "a": [[[]], {}] }, "a": 1 },
        });
        let mut bytes = Vec::new();
        write(&value, &mut bytes);
        let mut reader = Reader(&bytes);
        let read = reader.value().unwrap();
        // As text, because that has the order of the fields and the sign of zero.
        assert_eq!(read.to_string(), value.to_string());
        assert!(reader.0.is_empty());
    }

    #[test]
    fn bytes_that_end_early_are_no_payload() {
        let mut bytes = Vec::new();
        write(&json!({ "a": ["text", 300, 0.5, { "b": null }] }), &mut bytes);
        for length in 0..bytes.len() {
            assert!(Reader(&bytes[..length]).value().is_none(), "{length}");
        }
    }
}
