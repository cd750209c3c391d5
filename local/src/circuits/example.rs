//! Parameters and a body that a circuit takes, for a command that somebody can try.

use std::collections::BTreeMap;

use policy::media_type::is_expected;
use policy::{Call, Params};
use serde_json::json;

/// Values of the kinds that parameters usually have. A pattern that takes none of them gets no example.
const CANDIDATES: [&str; 14] = [
    "9783161484100",
    "123456",
    "12345",
    "1234",
    "1",
    "a",
    "ab",
    "abc",
    "AB",
    "ABC",
    "example",
    "ABC-123",
    "2026-01-31",
    "00000000-0000-4000-8000-000000000000",
];

/// A value for each parameter: one that matches its pattern, or else its name in capitals.
pub(super) fn params(declared: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let value = |(name, pattern): (&String, &String)| {
        let alone = BTreeMap::from([(name.clone(), pattern.clone())]);
        let matching = Params::compile(&alone).ok().and_then(|params| {
            CANDIDATES
                .iter()
                .find(|candidate| params.check(&json!({ name.as_str(): candidate })).is_ok())
        });
        (
            name.clone(),
            matching.map_or_else(|| name.to_uppercase(), |value| (*value).to_owned()),
        )
    };
    declared.iter().map(value).collect()
}

/// A body that a customer may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleBody {
    /// What the partner is told that it is.
    pub content_type: String,
    /// The body itself, no larger than the policy allows.
    pub text: String,
}

/// A body where the circuit passes on the customer's own: an empty object, or a digit where there is no room or it is no
/// JSON.
pub(super) fn body(call: &Call) -> Option<ExampleBody> {
    let max_bytes = call.passes_body()?;
    let named = call
        .headers
        .0
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = named.map_or("application/json", |(_, value)| value).to_owned();
    let is_json = is_expected(&content_type, "application/json");
    let text = if is_json && max_bytes >= 2 { "{}" } else { "1" };
    Some(ExampleBody {
        content_type,
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_that_matches_or_the_name_is_shown() {
        for (pattern, value) in [
            ("[0-9]{10}|[0-9]{13}", "9783161484100"),
            ("[A-Z]{2}", "AB"),
            ("[a-z]{1,20}", "a"),
            ("nothing like it", "PART"),
        ] {
            let declared = BTreeMap::from([("part".to_owned(), pattern.to_owned())]);
            assert_eq!(params(&declared)["part"], value, "{pattern}");
        }
    }
}
