//! A customer's request as an execution's input.

use serde_json::{Map, Value, json};

use super::answer::Refusal;
use crate::circuits::Circuit;

/// The parameters in the body of `POST /circuits/NAME/calls`.
pub(super) fn params(body: &[u8]) -> Result<Value, Refusal> {
    let bad = |problem: &str| Err(Refusal::BadBody(problem.to_owned()));
    let fields: Map<String, Value> = match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return bad("the body must be a JSON object with params"),
        Err(_) => return bad("the body is no JSON"),
    };
    if fields.contains_key("body") {
        return bad("body is not supported: a call has parameters only");
    }
    if fields.keys().any(|field| field != "params") {
        // The name is the caller's own text, so it is not repeated.
        return bad("the body has a field that is not known; allowed: params");
    }
    Ok(fields.get("params").cloned().unwrap_or_else(|| json!({})))
}

/// The execution's input. What does not match is said in `invalid`, and is not handed on: the definition answers 400 and
/// neither reads nor calls.
pub(super) fn input(circuit: &Circuit, params: Value) -> Value {
    match circuit.params.check(&params) {
        Ok(_) => json!({ "params": params }),
        Err(error) => json!({ "params": {}, "invalid": error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_are_taken_and_may_be_left_out() {
        assert_eq!(params(br#"{"params":{"a":"1"}}"#).unwrap(), json!({ "a": "1" }));
        assert_eq!(params(b"{}").unwrap(), json!({}));
        assert_eq!(
            params(br#"{"params":3}"#).unwrap(),
            json!(3),
            "the policy's check says what is wrong"
        );
    }

    #[test]
    fn anything_else_in_the_body_is_refused() {
        for body in [
            "",
            "[]",
            "text",
            "{",
            r#"{"params":{},"body":{}}"#,
            r#"{"parameters":{}}"#,
            r#"{"params":{},"x":1}"#,
        ] {
            assert!(matches!(params(body.as_bytes()), Err(Refusal::BadBody(_))), "{body}");
        }
    }
}
