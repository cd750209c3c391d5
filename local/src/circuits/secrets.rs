//! The file that takes the place of Secrets Manager and Parameter Store, looked at before the first call needs it.
//!
//! A caller that can't read a secret answers with the fallback, and that looks like an outage of the partner. No value of the
//! file is kept or shown here: the callers read it themselves.

use std::io;
use std::path::PathBuf;

use policy::{Policy, SecretHeader};
use serde_json::{Map, Value};

/// The variable that names the file.
pub(crate) const SECRETS_FILE: &str = "SECRETS_FILE";

/// A file that was named and can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretsError {
    #[error("{SECRETS_FILE} {}: {source}", .file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    // The parser's own words could quote the file.
    #[error(
        "{SECRETS_FILE} {}: no JSON object, allowed: names and values, each a text or an object of texts",
        .file.display()
    )]
    Malformed { file: PathBuf },
}

/// Warns of each header whose secret is not there: the other circuits work, and the file is read again with every reading.
///
/// # Errors
/// There are such headers, and the file is unreadable or no JSON object.
pub(crate) fn look(policies: &[Policy], file: Option<PathBuf>) -> Result<(), SecretsError> {
    let wanted: Vec<_> = policies
        .iter()
        .flat_map(|policy| {
            let headers = policy.deployed.call.secret_headers.iter();
            headers.map(|(header, source)| (policy.circuit(), header, source))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let values = file.map(read).transpose()?;
    for (circuit, header, source) in wanted {
        if let Some(problem) = problem(values.as_ref(), source) {
            let (kind, name) = place(source);
            tracing::warn!(
                circuit,
                header,
                "{kind} {name:?}: {problem}; calls of this circuit fall back as internal"
            );
        }
    }
    Ok(())
}

fn read(file: PathBuf) -> Result<Map<String, Value>, SecretsError> {
    match std::fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).map_err(|_| SecretsError::Malformed { file }),
        Err(source) => Err(SecretsError::Unreadable { file, source }),
    }
}

fn place(source: &SecretHeader) -> (&'static str, &str) {
    match (&source.secret, &source.parameter) {
        (Some(name), _) => ("secret", name),
        (None, Some(name)) => ("parameter", name),
        // A loaded policy names one of them.
        (None, None) => ("secret", ""),
    }
}

/// What the caller will miss, if it will.
fn problem(values: Option<&Map<String, Value>>, source: &SecretHeader) -> Option<String> {
    let Some(values) = values else {
        return Some(format!("{SECRETS_FILE} is not set"));
    };
    let fields = match values.get(place(source).1) {
        None => return Some(format!("{SECRETS_FILE} has no such name")),
        // A text may be an object's, as Secrets Manager keeps them.
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(Value::Object(fields)) => fields.clone(),
        Some(_) => return Some(format!("in {SECRETS_FILE} it is neither a text nor an object")),
    };
    let field = source.field.as_ref()?;
    match fields.get(field) {
        Some(Value::String(_)) => None,
        _ => Some(format!("in {SECRETS_FILE} it has no text in the field {field:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_caller_will_miss_is_said_and_nothing_else() {
        let values = json!({
            "text": "value", "object": { "token": "value", "number": 1 }, "number": 1, "kept": "{\"token\":\"value\"}",
        });
        let values = values.as_object().unwrap();
        for (source, said) in [
            (json!({ "secret": "text" }), None),
            (json!({ "parameter": "text" }), None),
            (json!({ "secret": "object", "field": "token" }), None),
            (json!({ "secret": "kept", "field": "token" }), None),
            (
                json!({ "secret": "object", "field": "number" }),
                Some("no text in the field \"number\""),
            ),
            (
                json!({ "secret": "text", "field": "token" }),
                Some("no text in the field \"token\""),
            ),
            (json!({ "secret": "number" }), Some("neither a text nor an object")),
            (json!({ "parameter": "other" }), Some("no such name")),
        ] {
            let found = problem(Some(values), &serde_json::from_value(source.clone()).unwrap());
            match (found, said) {
                (None, None) => {}
                (Some(found), Some(said)) if found.contains(said) => {}
                (found, said) => panic!("{source}: {found:?} instead of {said:?}"),
            }
        }
    }
}
