//! JSON in which a field given twice is noticed: the usual reader would silently take the last.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub(super) struct Document {
    pub(super) value: Value,
    /// Where a field is given twice.
    pub(super) duplicates: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<Document, serde_json::Error> {
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Reader {
        location: String::new(),
        duplicates: &mut duplicates,
    }
    .deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Document { value, duplicates })
}

struct Reader<'a> {
    location: String,
    duplicates: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        loop {
            let location = format!("{}[{}]", self.location, array.len());
            let Some(item) = items.next_element_seed(Reader {
                location,
                duplicates: &mut *self.duplicates,
            })?
            else {
                return Ok(Value::Array(array));
            };
            array.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let location = format!("{}/{name}", self.location);
            if object.contains_key(&name) {
                self.duplicates.push(location.clone());
            }
            let value = fields.next_value_seed(Reader {
                location,
                duplicates: &mut *self.duplicates,
            })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
