//! What is expected of a value that depends on when a case ran, compared with what there is.
//!
//! A text, a number, a Boolean or null is equal. `{"$from": a, "$to": b}` is a time from the first step's start + `a` ms
//! to the last one's end + `b` ms, as RFC 3339 text or as a number of milliseconds; one number, `{"$at": a}`, stands for
//! both. `{"$any": true}` is anything at all. Another object is expected field by field, and no other field may be there.

use anyhow::{Context, bail};
use breaker::clock::Timestamp;
use serde_json::{Map, Value};

/// When a case ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

/// How `found` differs from what is expected, one line for each difference; nothing when it does not. `found` is none
/// where there is no such value.
pub(crate) fn differences(
    at: &str,
    expected: &Value,
    found: Option<&Value>,
    span: Span,
) -> anyhow::Result<Vec<String>> {
    let differs = |expected: String| {
        let found = found.map_or_else(|| "nothing".to_owned(), Value::to_string);
        vec![format!("{at}: expected {expected}, got {found}")]
    };
    let same = |is_same: bool, expected: String| if is_same { Vec::new() } else { differs(expected) };
    let Some(found) = found else {
        return Ok(same(expected.is_null(), expected.to_string()));
    };
    let Value::Object(fields) = expected else {
        return Ok(same(expected == found, expected.to_string()));
    };
    if fields.contains_key("$any") {
        return Ok(Vec::new());
    }
    if fields.keys().any(|key| key.starts_with('$')) {
        let (from, to) = bounds(fields)?;
        let (from, to) = (shifted(span.from, from), shifted(span.to, to));
        let is_between = time_of(found).is_some_and(|found| (from..=to).contains(&found));
        let (from, to) = (Timestamp::from_ms(from), Timestamp::from_ms(to));
        return Ok(same(is_between, format!("a time from {from} to {to}")));
    }
    let Value::Object(held) = found else {
        return Ok(differs(expected.to_string()));
    };
    let mut all = Vec::new();
    for (name, expected) in fields {
        all.extend(differences(&format!("{at}.{name}"), expected, held.get(name), span)?);
    }
    let unexpected = held.iter().filter(|(name, _)| !fields.contains_key(*name));
    all.extend(unexpected.map(|(name, found)| format!("{at}.{name}: expected nothing, got {found}")));
    Ok(all)
}

fn bounds(fields: &Map<String, Value>) -> anyhow::Result<(i64, i64)> {
    let number = |name: &str| fields.get(name).and_then(Value::as_i64);
    match (number("$at"), number("$from"), number("$to")) {
        (Some(at), None, None) if fields.len() == 1 => Ok((at, at)),
        (None, Some(from), Some(to)) if fields.len() == 2 => Ok((from, to)),
        _ => bail!("{fields:?} is no expectation"),
    }
}

fn shifted(time: Timestamp, ms: i64) -> u64 {
    time.as_ms().saturating_add_signed(ms)
}

/// A time in milliseconds, whichever way it is written.
fn time_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text
            .parse()
            .ok()
            .or_else(|| Timestamp::parse(text).map(Timestamp::as_ms)),
        other => other.as_u64(),
    }
}

/// A DynamoDB attribute as expectations compare it: a string as text, a number as a number, a map as an object; anything
/// else as DynamoDB writes it.
pub(crate) fn plain(attribute: &Value) -> anyhow::Result<Value> {
    let typed = attribute.as_object().and_then(|typed| typed.iter().next());
    let (kind, inner) = typed.context("an attribute has a type")?;
    Ok(match (kind.as_str(), inner) {
        ("S", text) => text.clone(),
        ("N", Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| attribute.clone()),
        ("M", Value::Object(fields)) => {
            let fields = fields.iter().map(|(name, value)| Ok((name.clone(), plain(value)?)));
            Value::Object(fields.collect::<anyhow::Result<_>>()?)
        }
        _ => attribute.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(expected: Value, found: Value) -> Vec<String> {
        let span = Span {
            from: Timestamp::from_ms(1_000),
            to: Timestamp::from_ms(2_000),
        };
        differences("it", &expected, Some(&found), span).unwrap()
    }

    #[test]
    fn plain_values_are_equal_or_differ() {
        assert!(differs(json!("a"), json!("a")).is_empty());
        assert_eq!(differs(json!(1), json!("1")), ["it: expected 1, got \"1\""]);
    }

    #[test]
    fn times_lie_between_first_start_and_last_end_inclusive() {
        for (found, holds) in [(999, false), (1_000, true), (2_000, true), (2_001, false)] {
            assert_eq!(differs(json!({ "$at": 0 }), json!(found)).is_empty(), holds, "{found}");
            let text = Timestamp::from_ms(found).to_string();
            assert_eq!(differs(json!({ "$at": 0 }), json!(text)).is_empty(), holds, "{text}");
        }
        assert!(differs(json!({ "$from": -5, "$to": 5 }), json!(995)).is_empty());
        assert!(!differs(json!({ "$from": -5, "$to": 5 }), json!("soon")).is_empty());
    }

    #[test]
    fn objects_have_the_fields_that_are_expected_and_no_other() {
        let expected = json!({ "kind": "timeout", "at": { "$any": true } });
        assert!(differs(expected.clone(), json!({ "kind": "timeout", "at": 1 })).is_empty());
        assert_eq!(
            differs(expected, json!({ "kind": "reset", "at": 1, "body": "b" })),
            [
                "it.kind: expected \"timeout\", got \"reset\"",
                "it.body: expected nothing, got \"b\""
            ]
        );
    }

    #[test]
    fn an_absent_value_is_null() {
        let span = Span {
            from: Timestamp::from_ms(0),
            to: Timestamp::from_ms(0),
        };
        assert!(differences("it", &Value::Null, None, span).unwrap().is_empty());
        assert!(
            !differences("it", &json!({ "$any": true }), None, span)
                .unwrap()
                .is_empty()
        );
        assert!(
            !differences("it", &Value::Null, Some(&json!("a")), span)
                .unwrap()
                .is_empty()
        );
    }
}
