//! A customer's request as an execution's input.

use serde_json::{Map, Value, json};

use super::answer::Refusal;
use crate::circuits::Circuit;

/// What a circuit without a body of the customer's says to one.
const NO_BODY: &str = "body is not supported: a call has parameters only";

/// What a customer asks for: parameters, and the body that is to be passed on, if there is one.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) params: Value,
    pub(super) body: Option<Value>,
}

/// What stands in the body of `POST /circuits/NAME/calls`.
pub(super) fn asked(circuit: &Circuit, body: &[u8]) -> Result<Asked, Refusal> {
    let bad = |problem: &str| Err(Refusal::BadBody(problem.to_owned()));
    let mut fields: Map<String, Value> = match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return bad("the body must be a JSON object with params"),
        Err(_) => return bad("the body is no JSON"),
    };
    let asked = Asked {
        params: fields.remove("params").unwrap_or_else(|| json!({})),
        body: fields.remove("body"),
    };
    if asked.body.is_some() && circuit.body_bytes.is_none() {
        return bad(NO_BODY);
    }
    if !fields.is_empty() {
        // The name is the caller's own text, so it is not repeated.
        return bad(match circuit.body_bytes {
            Some(_) => "the body has a field that is not known; allowed: params, body",
            None => "the body has a field that is not known; allowed: params",
        });
    }
    Ok(asked)
}

/// What a request to the circuit's own route asks for: its body is the one that is passed on.
pub(super) fn asked_by_route(circuit: &Circuit, params: Map<String, Value>, body: &[u8]) -> Result<Asked, Refusal> {
    let bad = |problem: &str| Err(Refusal::BadBody(problem.to_owned()));
    let body = match (std::str::from_utf8(body), circuit.body_bytes) {
        (Ok(text), Some(_)) => Some(text.into()),
        (Ok(""), None) => None,
        (_, None) => return bad(NO_BODY),
        (Err(_), Some(_)) => return bad("the body is not UTF-8 text"),
    };
    Ok(Asked {
        params: params.into(),
        body,
    })
}

/// The execution's input. What does not match is said in `invalid`, and is not handed on: the definition answers 400 and
/// neither reads nor calls.
pub(super) fn input(circuit: &Circuit, asked: Asked) -> Value {
    let refused = |message: String| json!({ "params": {}, "invalid": message });
    if let Err(error) = circuit.params.check(&asked.params) {
        return refused(error.to_string());
    }
    match (circuit.body_bytes, asked.body) {
        (Some(max_bytes), body) => {
            let body = body.unwrap_or_default();
            match policy::body::check(&body, max_bytes) {
                Ok(_) => json!({ "params": asked.params, "body": body }),
                Err(error) => refused(error.to_string()),
            }
        }
        (None, _) => json!({ "params": asked.params }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn circuit(body_bytes: Option<u64>) -> Circuit {
        Circuit {
            name: "tested".to_owned(),
            route: None,
            params: policy::Params::default(),
            body_bytes,
            example: BTreeMap::new(),
            example_body: None,
            machine_arn: String::new(),
        }
    }

    #[test]
    fn params_and_body_are_taken_and_may_be_left_out() {
        let of = |body: &[u8]| {
            let asked = asked(&circuit(Some(5)), body).unwrap();
            (asked.params, asked.body)
        };
        assert_eq!(of(br#"{"params":{"a":"1"}}"#), (json!({ "a": "1" }), None));
        assert_eq!(of(b"{}"), (json!({}), None));
        assert_eq!(
            of(br#"{"params":3,"body":[]}"#),
            (json!(3), Some(json!([]))),
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
            r#"{"params":{},"body":"x"}"#,
            r#"{"parameters":{}}"#,
            r#"{"params":{},"x":1}"#,
        ] {
            assert!(
                matches!(asked(&circuit(None), body.as_bytes()), Err(Refusal::BadBody(_))),
                "{body}"
            );
        }
        assert!(asked(&circuit(Some(5)), br#"{"params":{},"body":"x","y":1}"#).is_err());
    }

    #[test]
    fn body_of_a_route_is_passed_where_the_circuit_takes_one() {
        let of = |body_bytes, body: &[u8]| asked_by_route(&circuit(body_bytes), Map::new(), body).ok();
        let body = |body| {
            Some(Asked {
                params: json!({}),
                body,
            })
        };
        assert_eq!(of(Some(5), "ä\n".as_bytes()), body(Some(json!("ä\n"))));
        assert_eq!(of(Some(5), b""), body(Some(json!(""))));
        assert_eq!(of(Some(5), b"\xff"), None);
        assert_eq!(of(None, b""), body(None));
        assert_eq!(of(None, b"x"), None);
    }

    #[test]
    fn body_that_may_not_be_sent_is_said_in_the_input() {
        let of = |body: Option<Value>| {
            let params = json!({});
            input(&circuit(Some(3)), Asked { params, body })
        };
        assert_eq!(of(Some(json!("abc"))), json!({ "params": {}, "body": "abc" }));
        for (body, message) in [
            (None, "the body is missing"),
            (Some(json!({ "a": 1 })), "the body must be a string"),
            (Some(json!("abcd")), "the body is larger than 3 bytes"),
        ] {
            assert_eq!(of(body), json!({ "params": {}, "invalid": message }));
        }
    }
}
