//! A mocked response: what each invocation of a state gives.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use states_language::TaskError;

/// A result or an error for each invocation, by its number from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Response(Vec<(RangeInclusive<u32>, Invocation)>);

#[derive(Debug, PartialEq, Eq)]
enum Invocation {
    Return(Value),
    Throw(TaskError),
}

/// What is wrong with a response: where within it, and what.
pub(super) struct Problem {
    pub(super) place: String,
    pub(super) problem: String,
}

impl Response {
    /// Reads `{"0": {"Return": …}, "1-2": {"Throw": {"Error": …, "Cause": …}}}`.
    pub(super) fn read(value: &Value) -> Result<Self, Problem> {
        let at = |place: &str, problem: &str| Problem {
            place: place.to_owned(),
            problem: problem.to_owned(),
        };
        let Some(fields) = value.as_object().filter(|fields| !fields.is_empty()) else {
            return Err(at("", "must be an object with a field per invocation: \"0\", \"1-2\""));
        };
        let mut response: Vec<(RangeInclusive<u32>, Invocation)> = Vec::new();
        for (key, value) in fields {
            let Some(range) = range(key) else {
                let problem = "the field must name an invocation, or a range of them: \"0\", \"1-2\"";
                return Err(at(&format!("/{key}"), problem));
            };
            if response
                .iter()
                .any(|(other, _)| range.start() <= other.end() && other.start() <= range.end())
            {
                return Err(at(&format!("/{key}"), "another field names the same invocation"));
            }
            let invocation = invocation(value).map_err(|problem| Problem {
                place: format!("/{key}{}", problem.place),
                ..problem
            })?;
            response.push((range, invocation));
        }
        Ok(Self(response))
    }

    /// What an invocation gives; none if nobody said.
    pub(super) fn of(&self, invocation: u32) -> Option<Result<Value, TaskError>> {
        let (_, found) = self.0.iter().find(|(range, _)| range.contains(&invocation))?;
        Some(match found {
            Invocation::Return(value) => Ok(value.clone()),
            Invocation::Throw(error) => Err(error.clone()),
        })
    }
}

fn range(key: &str) -> Option<RangeInclusive<u32>> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    match key.split_once('-') {
        None => number(key).map(|only| only..=only),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(first..=last)
        }
    }
}

fn invocation(value: &Value) -> Result<Invocation, Problem> {
    let wrong = |place: &str, problem: &str| Problem {
        place: place.to_owned(),
        problem: problem.to_owned(),
    };
    let only = |fields: &Map<String, Value>| match fields.iter().next() {
        Some((name, value)) if fields.len() == 1 => Some((name.clone(), value.clone())),
        _ => None,
    };
    match value.as_object().and_then(only) {
        Some((name, value)) if name == "Return" => Ok(Invocation::Return(value)),
        Some((name, value)) if name == "Throw" => match (&value["Error"], &value["Cause"]) {
            (Value::String(error), Value::String(cause)) => Ok(Invocation::Throw(TaskError::new(error, cause))),
            _ => Err(wrong("/Throw", "must be an object with the strings Error and Cause")),
        },
        _ => Err(wrong("", "must be an object with one field, Return or Throw")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_invocation_has_the_response_of_its_range() {
        let throw = json!({ "Throw": { "Error": "E", "Cause": "C" } });
        let response = Response::read(&json!({ "0": throw, "1-2": { "Return": 1 }, "4": { "Return": null } }))
            .map_err(|problem| problem.problem)
            .unwrap();
        let given: Vec<_> = (0..6).map(|invocation| response.of(invocation)).collect();
        let expected = [
            Some(Err(TaskError::new("E", "C"))),
            Some(Ok(json!(1))),
            Some(Ok(json!(1))),
            None,
            Some(Ok(json!(null))),
            None,
        ];
        assert_eq!(given, expected);
    }

    #[test]
    fn what_is_no_response_is_told_with_its_place() {
        let give = json!({ "Return": 1 });
        for (response, place) in [
            (json!("text"), ""),
            (json!({}), ""),
            (json!({ "first": give }), "/first"),
            (json!({ "-1": give }), "/-1"),
            (json!({ "2-1": give }), "/2-1"),
            (json!({ "0-2": give, "2": give }), "/2"),
            (json!({ "0": 1 }), "/0"),
            (json!({ "0": {} }), "/0"),
            (json!({ "0": { "Returns": 1 } }), "/0"),
            (
                json!({ "0": { "Return": 1, "Throw": { "Error": "E", "Cause": "C" } } }),
                "/0",
            ),
            (json!({ "0": { "Throw": "E" } }), "/0/Throw"),
            (json!({ "0": { "Throw": { "Error": "E" } } }), "/0/Throw"),
            (json!({ "0": { "Throw": { "Error": 1, "Cause": "C" } } }), "/0/Throw"),
        ] {
            let found = Response::read(&response).map(|_| ()).map_err(|problem| problem.place);
            assert_eq!(found, Err(place.to_owned()), "{response}");
        }
    }
}
