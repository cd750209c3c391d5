//! `GET /circuits/NAME`: what is stored of a circuit, as plain values.
//!
//! `{"circuit": NAME, "state": "CLOSED" | "OPEN", …}`, then every other attribute of the item in the order of their names:
//! strings, numbers and maps as JSON has them. Without an item there are only those two, and the state is `CLOSED`.

use std::collections::BTreeMap;

use http::{HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use super::answer::{Refusal, refuse};
use crate::dynamodb::DynamoDb;
use crate::http::{Reply, json as json_reply};

pub(super) async fn show(dynamodb: &DynamoDb, table: &str, circuit: &str, request_id: &str) -> Reply {
    let key = json!({ "circuit": { "S": circuit } });
    let request = json!({ "TableName": table, "Key": key, "ConsistentRead": true });
    match dynamodb.call("GetItem", request).await {
        Ok(answer) => {
            let mut reply = json_reply(StatusCode::OK, &plain_item(circuit, &answer["Item"]));
            reply
                .headers_mut()
                .insert("cache-control", HeaderValue::from_static("no-store"));
            reply
        }
        Err(error) => {
            tracing::error!(circuit, %error, "the circuit can't be read");
            refuse(Refusal::NotReadable, request_id)
        }
    }
}

fn plain_item(circuit: &str, item: &Value) -> Value {
    let mut shown = Map::new();
    shown.insert("circuit".to_owned(), circuit.into());
    // Any state but OPEN is closed (protocol.md, Reading).
    let state = if item["state"]["S"] == "OPEN" { "OPEN" } else { "CLOSED" };
    shown.insert("state".to_owned(), state.into());
    let rest: BTreeMap<_, _> = item.as_object().into_iter().flatten().collect();
    for (name, value) in rest
        .into_iter()
        .filter(|(name, _)| !["circuit", "state"].contains(&name.as_str()))
    {
        shown.insert(name.clone(), plain(value));
    }
    Value::Object(shown)
}

/// A value without DynamoDB's types around it.
fn plain(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|typed| typed.iter().next()) else {
        return Value::Null;
    };
    match (kind.as_str(), inner) {
        // A number that JSON's readers would round stays text.
        ("N", Value::String(text)) => text.parse::<i64>().map_or_else(|_| text.as_str().into(), Value::from),
        ("M", Value::Object(fields)) => {
            let sorted: BTreeMap<_, _> = fields.iter().collect();
            sorted
                .into_iter()
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect::<Map<_, _>>()
                .into()
        }
        ("L", Value::Array(values)) => values.iter().map(plain).collect(),
        ("NULL", _) => Value::Null,
        (_, other) => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_item_is_a_closed_circuit() {
        assert_eq!(
            plain_item("a", &Value::Null),
            json!({ "circuit": "a", "state": "CLOSED" })
        );
    }

    #[test]
    fn attributes_are_shown_as_plain_values() {
        let item = json!({
            "w17": { "N": "3" },
            "state": { "S": "OPEN" },
            "circuit": { "S": "a" },
            "epoch": { "N": "1764479712000" },
            "lastFailure": { "M": { "kind": { "S": "timeout" }, "retryable": { "BOOL": true } } },
            "odd": { "N": "1.5" },
        });
        let shown = plain_item("a", &item);
        assert_eq!(
            shown.to_string(),
            r#"{"circuit":"a","state":"OPEN","epoch":1764479712000,"lastFailure":{"kind":"timeout","retryable":true},"odd":"1.5","w17":3}"#
        );
    }

    #[test]
    fn a_state_that_is_not_open_is_closed() {
        for state in [json!({ "S": "HALF" }), json!({ "N": "1" }), json!({ "S": "open" })] {
            assert_eq!(plain_item("a", &json!({ "state": state }))["state"], "CLOSED");
        }
    }
}
