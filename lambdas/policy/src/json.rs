//! Reads JSON as people write it by hand: a key that stands twice is refused, because one of the two would be lost.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a text; the error names line and column.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Strict)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // Past 2^53 a number with 64 bits drops digits without a word: an identifier would come out as another one.
        if value.abs() > 9_007_199_254_740_992.0 {
            return Err(E::custom("this number can't be kept exactly, write it as a string"));
        }
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "the key {key:?} stands twice in one object"
                )));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_is_kept() {
        let text = r#"{"b":1,"a":{"z":null,"c":[true,-1,0.5,"x"]}}"#;
        assert_eq!(parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn key_that_stands_twice_is_refused_with_its_place() {
        let error = parse("{\"a\": {\n  \"b\": 1,\n  \"b\": 2}}").unwrap_err().to_string();
        assert!(error.contains("\"b\"") && error.contains("line 3"), "{error}");
    }

    #[test]
    fn number_that_would_lose_digits_is_refused() {
        assert!(parse("123456789012345678901234567890").is_err());
        assert!(parse("18446744073709551615").is_ok());
        assert!(parse("1.5").is_ok());
    }
}
