//! An item as a case gives it, made DynamoDB's JSON.
//!
//! A text is an `S`, a number an `N`. `{"$now": -1000}` is the time a second ago as an `S`; `{"$nowMs": 0}` as an `N` in
//! milliseconds, as an epoch is. `{"$slices": …}` stands for several attributes, see [`item`]. Anything else is DynamoDB's
//! JSON already: `{"M": {…}}`.

use anyhow::{Context, bail};
use breaker::clock::Timestamp;
use serde_json::{Map, Value, json};

/// The attributes, at a time. `"$slices": {"-3": 2}` becomes `w<slice>` of three slices ago with the number 2.
pub(crate) fn item(given: &Map<String, Value>, window_ms: u64, now: Timestamp) -> anyhow::Result<Map<String, Value>> {
    let mut attributes = Map::new();
    for (name, value) in given {
        if name == "$slices" {
            let slices = value.as_object().context("$slices is an object")?;
            for (back, count) in slices {
                let current = i64::try_from(now.as_ms() / (window_ms / 10))?;
                let slice = current + back.parse::<i64>().context("a slice is a number")?;
                attributes.insert(format!("w{slice}"), attribute(count, now)?);
            }
        } else {
            attributes.insert(name.clone(), attribute(value, now).with_context(|| name.clone())?);
        }
    }
    Ok(attributes)
}

/// One attribute's value.
pub(crate) fn attribute(given: &Value, now: Timestamp) -> anyhow::Result<Value> {
    Ok(match given {
        Value::String(text) => json!({ "S": text }),
        Value::Number(number) => json!({ "N": number.to_string() }),
        Value::Object(fields) => match fields.iter().next() {
            Some((key, offset)) if key == "$now" => json!({ "S": shifted(now, offset)?.to_string() }),
            Some((key, offset)) if key == "$nowMs" => json!({ "N": shifted(now, offset)?.as_ms().to_string() }),
            Some((key, _)) if fields.len() == 1 && key.chars().all(|c| c.is_ascii_uppercase()) => given.clone(),
            _ => bail!("{given} is no attribute"),
        },
        other => bail!("{other} is no attribute"),
    })
}

/// A time so many milliseconds away from another.
fn shifted(now: Timestamp, offset: &Value) -> anyhow::Result<Timestamp> {
    let offset = offset.as_i64().context("an offset is a number of milliseconds")?;
    Ok(Timestamp::from_ms(now.as_ms().saturating_add_signed(offset)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_dynamodbs_json() {
        let now = Timestamp::from_ms(12_345);
        let given = json!({
            "state": "OPEN",
            "openings": 2,
            "openUntil": { "$now": -345 },
            "epoch": { "$nowMs": 5 },
            "odd": { "NULL": true },
            "$slices": { "0": 3, "-1": 1 },
        });
        let item = item(given.as_object().unwrap(), 1_000, now).unwrap();
        let expected = json!({
            "state": { "S": "OPEN" },
            "openings": { "N": "2" },
            "openUntil": { "S": "1970-01-01T00:00:12.000Z" },
            "epoch": { "N": "12350" },
            "odd": { "NULL": true },
            "w123": { "N": "3" },
            "w122": { "N": "1" },
        });
        assert_eq!(Value::Object(item), expected);
    }

    #[test]
    fn what_is_no_attribute_is_refused() {
        for given in [
            json!(null),
            json!(true),
            json!({}),
            json!({ "$later": 1 }),
            json!({ "$now": "soon" }),
        ] {
            assert!(attribute(&given, Timestamp::from_ms(0)).is_err(), "{given}");
        }
    }
}
