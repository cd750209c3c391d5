//! The values of a DynamoDB item, in DynamoDB's own JSON, as the workflow hands them on.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::number::Decimal;

/// All attributes of an item, by name. An absent item is an empty map.
pub type Attributes = BTreeMap<String, Attribute>;

/// One value. Step Functions prints some types by the Java SDK's names (`Bool`, `Nul`, …): both spellings are read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Attribute {
    /// A string.
    S(String),
    /// A number, as text.
    N(String),
    /// Bytes, in base64.
    B(Binary),
    /// A truth value.
    #[serde(rename = "BOOL", alias = "Bool")]
    Bool(bool),
    /// Null; the value is always true.
    #[serde(rename = "NULL", alias = "Null", alias = "Nul")]
    Null(bool),
    /// A list.
    L(Vec<Attribute>),
    /// A map.
    M(Attributes),
    /// A set of strings.
    #[serde(rename = "SS", alias = "Ss")]
    Ss(Vec<String>),
    /// A set of numbers.
    #[serde(rename = "NS", alias = "Ns")]
    Ns(Vec<String>),
    /// A set of binaries.
    #[serde(rename = "BS", alias = "Bs")]
    Bs(Vec<Binary>),
}

/// Bytes, written in base64.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binary(pub Vec<u8>);

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD
            .decode(text)
            .map(Binary)
            .map_err(|_| serde::de::Error::custom("bytes that are not base64"))
    }
}

impl Attribute {
    /// A string attribute.
    pub fn string(text: impl ToString) -> Self {
        Self::S(text.to_string())
    }

    /// A number attribute.
    pub fn number(number: u64) -> Self {
        Self::N(number.to_string())
    }

    /// The text of a string attribute.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::S(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number attribute that is whole, not negative and less than `u64::MAX`, which is left out so that
    /// one more always fits.
    pub fn as_count(&self) -> Option<u64> {
        self.as_decimal()?.as_u64().filter(|count| *count < u64::MAX)
    }

    pub(crate) fn as_decimal(&self) -> Option<Decimal> {
        match self {
            Self::N(text) => Decimal::parse(text),
            _ => None,
        }
    }

    /// Equality as a DynamoDB condition has it: numbers by value, sets without order, all the way down.
    pub fn same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::N(mine), Self::N(theirs)) => same_number(mine, theirs),
            (Self::L(mine), Self::L(theirs)) => {
                mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(mine, theirs)| mine.same_as(theirs))
            }
            (Self::M(mine), Self::M(theirs)) => {
                mine.len() == theirs.len()
                    && mine
                        .iter()
                        .zip(theirs)
                        .all(|((name, mine), (other, theirs))| name == other && mine.same_as(theirs))
            }
            (Self::Ss(mine), Self::Ss(theirs)) => same_set(mine, theirs, |mine, theirs| mine == theirs),
            (Self::Bs(mine), Self::Bs(theirs)) => same_set(mine, theirs, |mine, theirs| mine == theirs),
            (Self::Ns(mine), Self::Ns(theirs)) => same_set(mine, theirs, |mine, theirs| same_number(mine, theirs)),
            _ => self == other,
        }
    }
}

fn same_number(mine: &str, theirs: &str) -> bool {
    match (Decimal::parse(mine), Decimal::parse(theirs)) {
        (Some(mine), Some(theirs)) => mine == theirs,
        _ => mine == theirs,
    }
}

fn same_set<T>(mine: &[T], theirs: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    mine.len() == theirs.len() && mine.iter().all(|one| theirs.iter().any(|other| same(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_type_are_read() {
        for text in [
            r#"[{"BOOL":true},{"NULL":true},{"SS":["a"]},{"NS":["1"]},{"BS":["AQ=="]}]"#,
            r#"[{"Bool":true},{"Nul":true},{"Ss":["a"]},{"Ns":["1"]},{"Bs":["AQ=="]}]"#,
        ] {
            let read: Vec<Attribute> = serde_json::from_str(text).unwrap();
            assert_eq!(
                read,
                [
                    Attribute::Bool(true),
                    Attribute::Null(true),
                    Attribute::Ss(vec!["a".into()]),
                    Attribute::Ns(vec!["1".into()]),
                    Attribute::Bs(vec![Binary(vec![1])]),
                ]
            );
        }
    }

    #[test]
    fn numbers_are_the_same_by_value_and_sets_without_order() {
        assert!(Attribute::N("5.0".into()).same_as(&Attribute::number(5)));
        assert!(!Attribute::N("5".into()).same_as(&Attribute::string("5")));
        assert!(Attribute::Ns(vec!["1".into(), "2.0".into()]).same_as(&Attribute::Ns(vec!["2".into(), "1".into()])));
        assert!(!Attribute::Ss(vec!["a".into()]).same_as(&Attribute::Ss(vec!["b".into()])));
        let map = |number: &str| Attribute::M(Attributes::from([("a".into(), Attribute::N(number.into()))]));
        assert!(map("1").same_as(&map("1.0")));
        assert!(!map("1").same_as(&map("2")));
        assert!(!Attribute::L(vec![]).same_as(&Attribute::L(vec![Attribute::Null(true)])));
    }

    #[test]
    fn what_holds_numbers_is_the_same_by_their_values_and_its_own_length_and_names() {
        let list = |numbers: &[&str]| Attribute::L(numbers.iter().map(|text| Attribute::N((*text).into())).collect());
        assert!(list(&["1", "2"]).same_as(&list(&["1.0", "02"])));
        assert!(!list(&["1", "2"]).same_as(&list(&["2", "1"])), "a list has an order");
        assert!(!list(&["1"]).same_as(&list(&["1", "2"])));
        assert!(!list(&["1", "2"]).same_as(&list(&["1"])));
        let map = |names: &[&str]| {
            let fields = names.iter().map(|name| ((*name).to_owned(), Attribute::number(1)));
            Attribute::M(fields.collect())
        };
        assert!(map(&["a", "b"]).same_as(&map(&["b", "a"])));
        assert!(!map(&["a"]).same_as(&map(&["b"])));
        assert!(!map(&["a"]).same_as(&map(&["a", "b"])));
        assert!(!map(&["a", "b"]).same_as(&map(&["a"])));
    }

    #[test]
    fn sets_are_the_same_by_their_members() {
        let strings = |set: &[&str]| Attribute::Ss(set.iter().map(|text| (*text).into()).collect());
        let numbers = |set: &[&str]| Attribute::Ns(set.iter().map(|text| (*text).into()).collect());
        let binaries = |set: &[u8]| Attribute::Bs(set.iter().map(|byte| Binary(vec![*byte])).collect());
        assert!(strings(&["a", "b"]).same_as(&strings(&["b", "a"])));
        assert!(!strings(&["1"]).same_as(&strings(&["1.0"])));
        assert!(!strings(&["a"]).same_as(&strings(&["a", "b"])));
        assert!(!numbers(&["1", "2"]).same_as(&numbers(&["1", "3"])));
        assert!(binaries(&[1, 2]).same_as(&binaries(&[2, 1])));
        assert!(!binaries(&[1]).same_as(&binaries(&[2])));
        assert!(!binaries(&[1, 2]).same_as(&binaries(&[1])));
    }

    #[test]
    fn one_more_than_the_greatest_count_still_fits() {
        let count = |text: &str| Attribute::N(text.into()).as_count();
        assert_eq!(count("18446744073709551614"), Some(u64::MAX - 1));
        assert_eq!(count("18446744073709551615"), None);
    }

    #[test]
    fn numbers_that_are_none_are_the_same_as_written() {
        let number = |text: &str| Attribute::N(text.into());
        assert!(number("NaN").same_as(&number("NaN")));
        assert!(!number("NaN").same_as(&number("nan")));
        assert!(!number("NaN").same_as(&number("0")));
        assert!(!number("0").same_as(&number("NaN")));
    }
}
