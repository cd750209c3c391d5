//! The schema that editors use says what the types, the checks and the shipped file say.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use policy::limits;
use serde_json::{Value, json};

const STATEMACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../statemachine");

fn schema() -> Value {
    serde_json::to_value(policy::schema()).unwrap()
}

#[test]
fn committed_schema_is_the_generated_one() {
    let committed = fs::read_to_string(format!("{STATEMACHINE}/policy.schema.json")).unwrap();
    let generated = serde_json::to_string_pretty(&policy::schema()).unwrap() + "\n";
    assert!(
        committed == generated,
        "policy.schema.json drifted: cargo run -p policy --example schema > statemachine/policy.schema.json"
    );
}

#[test]
fn schema_states_each_range_and_default() {
    let schema = schema();
    for number in limits::NUMBERS {
        let field = number.field.split('.').fold(&schema, |mut at, key| {
            if let Some(reference) = at["$ref"].as_str() {
                at = schema.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            }
            &at["properties"][key]
        });
        assert_eq!(field["minimum"], json!(number.min), "{}", number.field);
        assert_eq!(field["maximum"], json!(number.max), "{}", number.field);
        assert_eq!(field["default"], json!(number.default), "{}", number.field);
        assert_eq!(field["type"], "integer", "{}", number.field);
        assert!(field["description"].is_string(), "{}", number.field);
    }
}

/// Each property of the schema is one that the loader takes, and the loader refuses any other.
#[test]
fn schema_has_the_fields_that_the_loader_takes() {
    let text = fs::read_to_string(format!("{STATEMACHINE}/circuits/wholesaler-stock.json")).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    file["call"]["headers"] = json!({"accept": "application/json"});
    file["call"]["maxResponseBytes"] = json!(1000);
    file["call"]["method"] = json!("POST");
    file["call"]["query"] = json!({"in": "{country}"});
    file["call"]["body"] = json!({"pass": true, "maxBytes": 5});
    file["call"]["secretHeaders"] =
        json!({"x-key": {"secret": "a", "field": "key", "prefix": "Key "}, "x-other": {"parameter": "/b"}});
    file["call"]["passHeaders"] = json!(["etag"]);
    file["call"]["expectContentType"] = json!("application/json");
    file["call"]["retries"] = json!(1);
    file["params"]["country"] = json!("[a-z]{2}");
    file["route"]["method"] = json!("POST");
    file["route"]["query"] = json!(["country"]);
    let schema = schema();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&schema["properties"]), keys(&file));
    assert_eq!(schema["additionalProperties"], json!(false));
    for section in ["route", "call", "trip", "open", "probe", "fallback"] {
        let reference = schema["properties"][section]["$ref"].as_str().unwrap();
        let part = schema.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        assert_eq!(keys(&part["properties"]), keys(&file[section]), "{section}");
        assert_eq!(part["additionalProperties"], json!(false), "{section}");
    }
    policy::parse(Path::new("wholesaler-stock.json"), &file.to_string()).unwrap();
}
