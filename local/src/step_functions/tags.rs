//! The tags of machines.

use std::collections::BTreeMap;

use super::StepFunctionsError;

/// The most tags of one resource (<https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html>).
const LIMIT: usize = 50;
/// The most characters of a tag's key, which has one at least, and of its value.
const KEY_CHARS: usize = 128;
const VALUE_CHARS: usize = 256;

/// Tags by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tags(BTreeMap<String, String>);

impl Tags {
    /// Sets a tag, in the place of one of the same key.
    ///
    /// # Errors
    /// A key or value that is no tag's.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), StepFunctionsError> {
        let allowed = |text: &str| {
            text.chars()
                .all(|c| c.is_alphanumeric() || c.is_whitespace() || "_.:/=+-@".contains(c))
        };
        let (key_chars, value_chars) = (key.chars().count(), value.chars().count());
        if key_chars == 0 || key_chars > KEY_CHARS || !allowed(key) {
            let allowed = "1 to 128 letters, digits, spaces or _ . : / = + - @";
            return Err(StepFunctionsError::constraint("tags.member.key", allowed));
        }
        if value_chars > VALUE_CHARS || !allowed(value) {
            let allowed = "0 to 256 letters, digits, spaces or _ . : / = + - @";
            return Err(StepFunctionsError::constraint("tags.member.value", allowed));
        }
        self.0.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    /// Adds other tags, in the place of those of the same keys; nothing is added when they are too many together.
    ///
    /// # Errors
    /// `TooManyTags`.
    pub(super) fn add(&mut self, others: &Self, arn: &str) -> Result<(), StepFunctionsError> {
        let mut sum = self.clone();
        sum.0.extend(others.0.clone());
        if sum.0.len() > LIMIT {
            return Err(StepFunctionsError::TooManyTags {
                arn: arn.to_owned(),
                limit: LIMIT,
            });
        }
        *self = sum;
        Ok(())
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_have_awss_bounds() {
        for (key, value, taken) in [
            ("k", "", true),
            (&*"k".repeat(128), &*"v".repeat(256), true),
            ("ä _.:/=+-@1", "ä _.:/=+-@1", true),
            ("", "v", false),
            (&*"k".repeat(129), "v", false),
            ("k", &*"v".repeat(257), false),
            ("k#", "v", false),
            ("k", "v;", false),
        ] {
            assert_eq!(Tags::default().set(key, value).is_ok(), taken, "{key} {value}");
        }
    }

    #[test]
    fn a_resource_has_fifty_tags_at_most() {
        let mut tags = Tags::default();
        (0..50).for_each(|n| tags.set(&n.to_string(), "old").unwrap());
        let mut more = Tags::default();
        more.set("49", "new").unwrap();
        let mut held = Tags::default();
        held.add(&tags, "arn").unwrap();
        held.add(&more, "arn").unwrap();
        assert_eq!(held.iter().last(), Some(("9", "old")));
        assert!(held.iter().any(|tag| tag == ("49", "new")));
        more.set("50", "new").unwrap();
        let refused = held.clone().add(&more, "arn").unwrap_err();
        assert_eq!(refused.name(), "TooManyTags");
    }
}
