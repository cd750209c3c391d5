//! Reading an event, without repeating any of its values: one may be a customer's.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;

/// Reads an event.
///
/// # Errors
/// [`Error::BadPayload`], which names a field where that can be done without repeating a value.
pub fn read<T: DeserializeOwned>(event: Value) -> Result<T, Error> {
    serde_json::from_value(event).map_err(|error| {
        let text = error.to_string();
        // serde's other messages quote the value that they found, and a value may be anything.
        let names_a_field = text.starts_with("missing field") || text.starts_with("unknown field");
        let what = if names_a_field {
            text
        } else {
            "a field has the wrong type".to_owned()
        };
        Error::BadPayload { what }
    })
}

#[cfg(test)]
mod tests {
    use breaker::policy::Trip;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_named_and_no_value_is_repeated() {
        let refusal = |event| read::<Trip>(event).unwrap_err().to_string();
        assert!(refusal(json!({ "failures": 1 })).ends_with("missing field `windowMs`"));
        assert!(refusal(json!({ "failures": 1, "windowMs": 10, "x": 1 })).contains("unknown field `x`"));
        assert!(refusal(json!({ "failures": "secret", "windowMs": 10 })).ends_with("a field has the wrong type"));
    }
}
