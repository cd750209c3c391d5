//! `call.body`: what a call sends. It is either written by the policy, or the customer's own text.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits;
use crate::params::is_name;

/// The body of a call, in a policy file: `template`, or `pass` with `maxBytes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BodyFile {
    /// The body as JSON, an object or an array. A string in it that is `{parameter}` as a whole becomes the parameter's value,
    /// as a JSON string whatever is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "json_container")]
    pub template: Option<Value>,
    /// `true`: the body is what the customer sends, as text, byte for byte.
    #[schemars(extend("const" = true))]
    pub pass: bool,
    /// With `pass`: how large the customer's body may be, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = limits::BODY_BYTES.min, max = limits::BODY_BYTES.max))]
    #[schemars(extend("default" = limits::BODY_BYTES.default))]
    pub max_bytes: Option<u64>,
}

fn json_container(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": ["object", "array"] })
}

/// The body of a call, as it is deployed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Body {
    /// JSON as text, in the file's key order; [`fill`] puts the parameters in.
    Template(String),
    /// The customer's own, up to so many bytes.
    Pass {
        /// The most bytes, inclusive.
        max_bytes: u64,
    },
}

/// Why a customer's body was refused, as the customer may read it. Nothing of the body is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBody {
    /// There is none.
    #[error("the body is missing")]
    Missing,
    /// It is a number, an object, …
    #[error("the body must be a string")]
    NotAString,
    /// It has too many bytes.
    #[error("the body is larger than {max_bytes} bytes")]
    TooLarge {
        /// How many are allowed.
        max_bytes: u64,
    },
    /// It consists of characters that grow when it is written as JSON, as control characters do.
    #[error("the body is larger than {} bytes as a JSON string", limits::BODY_AS_JSON_BYTES)]
    TooLargeAsJson,
}

/// A template that can't be filled in; a loaded policy has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTemplate {
    /// The text is no JSON.
    #[error("call.body.template is no JSON")]
    NotJson,
    /// A parameter is not declared.
    #[error("call.body.template wants {parameter}, which is not declared")]
    Undeclared {
        /// Its name.
        parameter: String,
    },
}

/// The customer's body, if it is allowed: the front door asks, and the caller again.
///
/// # Errors
/// It is missing, no string, or too large.
pub fn check(body: &Value, max_bytes: u64) -> Result<&str, InvalidBody> {
    let text = match body {
        Value::Null => return Err(InvalidBody::Missing),
        Value::String(text) => text,
        _ => return Err(InvalidBody::NotAString),
    };
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > max_bytes {
        return Err(InvalidBody::TooLarge { max_bytes });
    }
    // A character takes six bytes at most, so most bodies need no second look.
    let fits = text.len() <= limits::BODY_AS_JSON_BYTES / 6 || body.to_string().len() <= limits::BODY_AS_JSON_BYTES;
    fits.then_some(text.as_str()).ok_or(InvalidBody::TooLargeAsJson)
}

/// The template's text with the parameters in their places.
///
/// # Errors
/// It is no JSON, or wants a parameter that is not there.
pub fn fill(template: &str, values: &BTreeMap<String, String>) -> Result<String, InvalidTemplate> {
    let mut body: Value = serde_json::from_str(template).map_err(|_| InvalidTemplate::NotJson)?;
    put(&mut body, values)?;
    Ok(body.to_string())
}

fn put(value: &mut Value, values: &BTreeMap<String, String>) -> Result<(), InvalidTemplate> {
    match value {
        Value::String(text) => {
            if let Some(name) = parameter(text) {
                let value = values.get(name).ok_or_else(|| InvalidTemplate::Undeclared {
                    parameter: name.to_owned(),
                })?;
                text.clone_from(value);
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| put(item, values)),
        Value::Object(fields) => fields.values_mut().try_for_each(|field| put(field, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// The parameter that a text stands for, if it is `{name}` as a whole.
fn parameter(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    is_name(name).then_some(name)
}

/// What a template says of parameters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentioned<'a> {
    /// Those that stand for a whole string.
    pub(crate) whole: BTreeSet<&'a str>,
    /// All strings in which more stands than one parameter, keys included: a `{name}` in them is just text.
    pub(crate) texts: Vec<&'a str>,
}

impl<'a> Mentioned<'a> {
    pub(crate) fn of(template: &'a Value) -> Self {
        let mut mentioned = Self::default();
        mentioned.add(template);
        mentioned
    }

    fn add(&mut self, value: &'a Value) {
        match value {
            Value::String(text) => match parameter(text) {
                Some(name) => {
                    self.whole.insert(name);
                }
                None => self.texts.push(text),
            },
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(fields) => {
                for (key, field) in fields {
                    self.texts.push(key);
                    self.add(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn value_becomes_a_string_of_the_template_whatever_is_in_it() {
        let template = r#"{"z":"{a}","a":[1,null,"{a} "],"{a}":{"deep":["{a}"]}}"#;
        for value in ["x", "\"},{\\", "\u{0}\n\u{1f}", "{a}", "ä🦀", ""] {
            let filled = fill(template, &BTreeMap::from([("a".to_owned(), value.to_owned())])).unwrap();
            let body: Value = serde_json::from_str(&filled).unwrap();
            assert_eq!(
                body,
                json!({"z": value, "a": [1, null, "{a} "], "{a}": {"deep": [value]}})
            );
            assert!(filled.starts_with("{\"z\":"), "the order of keys is kept");
        }
    }

    #[test]
    fn template_that_can_not_be_filled_in_is_said() {
        assert_eq!(fill("{", &BTreeMap::new()), Err(InvalidTemplate::NotJson));
        let undeclared = fill("[\"{b}\"]", &BTreeMap::new()).unwrap_err();
        assert_eq!(
            undeclared.to_string(),
            "call.body.template wants b, which is not declared"
        );
    }

    #[test]
    fn body_is_a_text_of_a_bounded_length() {
        assert_eq!(check(&json!(null), 9), Err(InvalidBody::Missing));
        assert_eq!(check(&json!({}), 9), Err(InvalidBody::NotAString));
        assert_eq!(check(&json!(""), 1), Ok(""));
        for (length, fits) in [(8, true), (9, true), (10, false)] {
            assert_eq!(check(&json!("x".repeat(length)), 9).is_ok(), fits, "{length}");
        }
        assert_eq!(
            check(&json!("ääääx"), 8),
            Err(InvalidBody::TooLarge { max_bytes: 8 }),
            "bytes count"
        );
    }

    #[test]
    fn body_that_grows_as_json_is_bounded_as_such() {
        let most = (limits::BODY_AS_JSON_BYTES - 2) / 6;
        for (length, fits) in [(most, true), (most + 1, false)] {
            let body = json!("\u{1}".repeat(length));
            assert_eq!(check(&body, limits::BODY_BYTES.max).is_ok(), fits, "{length}");
        }
    }
}
