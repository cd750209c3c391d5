//! A request's parameters: each declared one is there, is a string and matches; no other is there.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::pattern::{Pattern, PatternError};

/// The declared parameters of a circuit, ready to check requests.
#[derive(Clone, Debug, Default)]
pub struct Params(BTreeMap<String, Pattern>);

/// A declared pattern that was refused; a loaded policy has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("params.{parameter}: {source}")]
pub struct InvalidPattern {
    /// The parameter.
    pub parameter: String,
    /// What is wrong with its pattern.
    pub source: PatternError,
}

/// Why a request's parameters were refused, as the caller may read it. No value is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParams {
    /// There is no object of parameters.
    #[error("params must be an object of strings")]
    NotAnObject,
    /// A declared parameter is left out.
    #[error("parameter {parameter} is missing")]
    Missing {
        /// Its name.
        parameter: String,
    },
    /// A declared parameter is a number, null, …
    #[error("parameter {parameter} must be a string")]
    NotAString {
        /// Its name.
        parameter: String,
    },
    /// A declared parameter's value is not what the policy allows.
    #[error("parameter {parameter} does not match its pattern")]
    Mismatch {
        /// Its name.
        parameter: String,
    },
    /// A parameter is there that the policy does not declare, under a name that could be one.
    #[error("parameter {parameter} is unknown")]
    Unknown {
        /// Its name.
        parameter: String,
    },
    /// The same, under a name that no parameter can have: it is not repeated, because a caller chose it.
    #[error("a parameter is unknown")]
    UnknownName,
}

impl Params {
    /// Compiles the declared patterns.
    ///
    /// # Errors
    /// The first pattern that is refused.
    pub fn compile(declared: &BTreeMap<String, String>) -> Result<Self, InvalidPattern> {
        let compile = |(name, text): (&String, &String)| match Pattern::parse(text) {
            Ok(pattern) => Ok((name.clone(), pattern)),
            Err(source) => Err(InvalidPattern {
                parameter: name.clone(),
                source,
            }),
        };
        declared.iter().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// The request's values, if all of them are allowed. `request` should be an object of strings.
    ///
    /// # Errors
    /// The first parameter that is missing, of another type, not matching or not declared.
    pub fn check(&self, request: &Value) -> Result<BTreeMap<String, String>, InvalidParams> {
        let values = request.as_object().ok_or(InvalidParams::NotAnObject)?;
        let mut checked = BTreeMap::new();
        for (name, pattern) in &self.0 {
            let parameter = || name.clone();
            match values.get(name) {
                None => return Err(InvalidParams::Missing { parameter: parameter() }),
                Some(Value::String(value)) if pattern.accepts(value) => {
                    checked.insert(parameter(), value.clone());
                }
                Some(Value::String(_)) => return Err(InvalidParams::Mismatch { parameter: parameter() }),
                Some(_) => return Err(InvalidParams::NotAString { parameter: parameter() }),
            }
        }
        match values.keys().find(|name| !self.0.contains_key(*name)) {
            None => Ok(checked),
            Some(name) if is_name(name) => Err(InvalidParams::Unknown {
                parameter: name.clone(),
            }),
            Some(_) => Err(InvalidParams::UnknownName),
        }
    }
}

/// Whether a parameter can have this name ([`crate::limits::PARAMETER`]).
pub(crate) fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params() -> Params {
        let declared = [("isbn", "[0-9]{10}|[0-9]{13}"), ("country", "[a-z]{2}")];
        Params::compile(
            &declared
                .map(|(name, pattern)| (name.to_owned(), pattern.to_owned()))
                .into(),
        )
        .unwrap()
    }

    #[test]
    fn matching_parameters_are_handed_on() {
        let checked = params()
            .check(&json!({"isbn": "9783161484100", "country": "de"}))
            .unwrap();
        assert_eq!(checked["isbn"], "9783161484100");
        assert_eq!(checked.len(), 2);
    }

    #[test]
    fn each_refusal_names_the_parameter_and_never_the_value() {
        for (request, message) in [
            (json!(null), "params must be an object of strings"),
            (json!("SECRET"), "params must be an object of strings"),
            (json!({"country": "de"}), "parameter isbn is missing"),
            (
                json!({"isbn": 9783161484100_u64, "country": "de"}),
                "parameter isbn must be a string",
            ),
            (
                json!({"isbn": "SECRET", "country": "de"}),
                "parameter isbn does not match its pattern",
            ),
            (
                json!({"isbn": "9783161484100", "country": "de", "extra": "SECRET"}),
                "parameter extra is unknown",
            ),
            (
                json!({"isbn": "9783161484100", "country": "de", "<SECRET>": ""}),
                "a parameter is unknown",
            ),
        ] {
            assert_eq!(params().check(&request).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn circuit_without_parameters_takes_an_empty_object_only() {
        assert!(Params::default().check(&json!({})).is_ok());
        assert!(Params::default().check(&json!({"isbn": "1"})).is_err());
    }

    #[test]
    fn names_follow_their_pattern() {
        let pattern = Pattern::parse(crate::limits::PARAMETER).unwrap();
        for name in [
            "a",
            "a_1",
            "A",
            "_a",
            "1a",
            "",
            "a-b",
            "a.b",
            "ä",
            &"a".repeat(32),
            &"a".repeat(33),
        ] {
            assert_eq!(is_name(name), pattern.accepts(name), "{name}");
        }
    }
}
