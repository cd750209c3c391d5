//! The policy files of cases: one that all begin with, and what a case says otherwise.

use std::fmt::Display;
use std::path::Path;

use policy::Deployed;
use serde_json::{Map, Value, json};

use crate::nonce;

/// Stands for the partner's host and port in a URL.
const PARTNER: &str = "PARTNER";

/// The file of a circuit, with its partner's host and port. Patient defaults, so that only a case that is about time is decided by it.
pub(crate) fn policy_file(circuit: &str, overrides: &Map<String, Value>, partner: impl Display) -> Value {
    let mut file = json!({
        "circuit": circuit,
        "call": { "url": format!("http://{PARTNER}/stock"), "timeoutMs": 8000 },
        "trip": { "failures": 5, "windowMs": 600_000 },
        "open": { "forMs": 600_000 },
        "probe": {},
        "fallback": { "status": 200, "body": { "deliveryDays": null } },
    });
    merge(&mut file, overrides);
    nonce::pass(&mut file);
    if let Some(url) = file["call"]["url"].as_str() {
        file["call"]["url"] = url.replace(PARTNER, &partner.to_string()).into();
    }
    file
}

/// What is deployed of a file.
pub(crate) fn deployed(circuit: &str, file: &Value) -> anyhow::Result<Deployed> {
    let name = format!("{circuit}.json");
    Ok(policy::parse(Path::new(&name), &file.to_string())?.deployed)
}

/// Merges a patch into a value, as RFC 7386 has it: objects field by field, null removes.
pub(crate) fn merge(value: &mut Value, patch: &Map<String, Value>) {
    if !value.is_object() {
        *value = json!({});
    }
    let Value::Object(fields) = value else { return };
    for (name, patch) in patch {
        match patch {
            Value::Null => drop(fields.shift_remove(name)),
            Value::Object(patch) => merge(fields.entry(name.clone()).or_insert(Value::Null), patch),
            other => drop(fields.insert(name.clone(), other.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_changes_adds_and_removes() {
        let mut value = json!({ "a": { "b": 1, "c": 2 }, "d": 3 });
        let patch = json!({ "a": { "b": 4, "c": null }, "d": { "e": 5 }, "f": [6] });
        merge(&mut value, patch.as_object().unwrap());
        assert_eq!(value, json!({ "a": { "b": 4 }, "d": { "e": 5 }, "f": [6] }));
    }
}
