//! A conditional update as data: what must hold of the item, and what is then written.
//!
//! One definition serves production, tests and the model: `circuit-table` renders it to DynamoDB's expressions, and
//! [`Update::apply`] evaluates it in memory. A test in `circuit-table` proves on a real table that both agree.

use std::fmt;

use crate::attribute::{Attribute, Attributes};

/// One atomic write: all conditions are checked and all assignments made at once, or nothing happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// What must hold of the item as it is stored, all of it.
    pub conditions: Vec<Condition>,
    /// What is written when it does; each names another attribute.
    pub assignments: Vec<Assignment>,
    /// Whether a client may repeat the write after an answer that got lost, because the repeat is recognised.
    pub repeatable: bool,
}

/// One condition of an update.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The attribute does not exist.
    Absent(String),
    /// The attribute has this value, of this type; numbers are compared by value.
    Equals(String, Attribute),
    /// The attribute does not exist, or is a number within these bounds, both inclusive.
    AbsentOrBetween(String, u64, u64),
}

/// One assignment of an update.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Assignment {
    /// Sets the attribute, whatever it was.
    Set(String, Attribute),
    /// Adds to a number; an absent one counts as 0.
    Add(String, u64),
    /// Removes the attribute, if it is there.
    Remove(String),
}

/// What a write came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// It was made; the item as it is now.
    Applied(Attributes),
    /// A condition did not hold; the item as it was found, empty where there is none.
    Refused(Attributes),
}

/// An update that the table rejects whatever its conditions say: adding to what is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("can't add to attribute {attribute}: it is no number, or the sum has too many digits")]
pub struct InvalidOperand {
    /// The attribute.
    pub attribute: String,
}

impl Update {
    /// The item that this update makes of `item`, key excluded.
    ///
    /// # Errors
    /// [`InvalidOperand`] where DynamoDB answers with a validation error.
    pub fn apply(&self, item: &Attributes) -> Result<Written, InvalidOperand> {
        if !self.conditions.iter().all(|condition| condition.holds(item)) {
            return Ok(Written::Refused(item.clone()));
        }
        let mut after = item.clone();
        for assignment in &self.assignments {
            assignment.make(&mut after)?;
        }
        Ok(Written::Applied(after))
    }
}

impl Condition {
    /// The attribute that it is about.
    pub fn attribute(&self) -> &str {
        match self {
            Self::Absent(name) | Self::Equals(name, _) | Self::AbsentOrBetween(name, ..) => name,
        }
    }

    fn holds(&self, item: &Attributes) -> bool {
        let found = item.get(self.attribute());
        match self {
            Self::Absent(_) => found.is_none(),
            Self::Equals(_, value) => found.is_some_and(|found| found.same_as(value)),
            Self::AbsentOrBetween(_, least, most) => found.is_none_or(|found| {
                let bound = |number: u64| Attribute::number(number).as_decimal();
                found
                    .as_decimal()
                    .is_some_and(|number| Some(number) >= bound(*least) && Some(number) <= bound(*most))
            }),
        }
    }
}

impl Assignment {
    fn make(&self, item: &mut Attributes) -> Result<(), InvalidOperand> {
        match self {
            Self::Set(name, value) => {
                item.insert(name.clone(), value.clone());
            }
            Self::Remove(name) => {
                item.remove(name);
            }
            Self::Add(name, amount) => {
                let invalid = || InvalidOperand {
                    attribute: name.clone(),
                };
                let sum = match item.get(name) {
                    None => Attribute::number(*amount),
                    Some(found) => {
                        let amount = Attribute::number(*amount).as_decimal().ok_or_else(invalid)?;
                        let found = found.as_decimal().ok_or_else(invalid)?;
                        Attribute::N(found.checked_add(amount).ok_or_else(invalid)?.to_text())
                    }
                };
                item.insert(name.clone(), sum);
            }
        }
        Ok(())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(name) => write!(f, "{name} is absent"),
            Self::Equals(name, _) => write!(f, "{name} is what was read"),
            Self::AbsentOrBetween(name, least, most) => write!(f, "{name} is absent or in {least}..={most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(value: Attribute) -> Attributes {
        Attributes::from([("a".to_owned(), value)])
    }

    fn applied(update: &Update, item: &Attributes) -> bool {
        matches!(update.apply(item), Ok(Written::Applied(_)))
    }

    fn only(condition: Condition) -> Update {
        Update {
            conditions: vec![condition],
            assignments: vec![],
            repeatable: false,
        }
    }

    #[test]
    fn each_condition_holds_for_what_it_names_and_nothing_else() {
        let absent = only(Condition::Absent("a".into()));
        assert!(applied(&absent, &Attributes::new()));
        assert!(!applied(&absent, &item(Attribute::Null(true))));

        let equals = only(Condition::Equals("a".into(), Attribute::number(5)));
        assert!(applied(&equals, &item(Attribute::N("5.0".into()))));
        assert!(!applied(&equals, &item(Attribute::number(6))));
        assert!(!applied(&equals, &Attributes::new()));

        let between = only(Condition::AbsentOrBetween("a".into(), 2, 4));
        assert!(applied(&between, &Attributes::new()));
        for (number, holds) in [
            ("1", false),
            ("1.9", false),
            ("2", true),
            ("4", true),
            ("4.1", false),
            ("-3", false),
        ] {
            assert_eq!(applied(&between, &item(Attribute::N(number.into()))), holds, "{number}");
        }
        assert!(!applied(&between, &item(Attribute::string("3"))));
    }

    #[test]
    fn a_refusal_shows_the_item_and_changes_nothing() {
        let update = Update {
            conditions: vec![Condition::Absent("a".into())],
            assignments: vec![Assignment::Remove("a".into())],
            repeatable: false,
        };
        let before = item(Attribute::number(1));
        assert_eq!(update.apply(&before), Ok(Written::Refused(before.clone())));
    }

    #[test]
    fn adding_to_what_is_no_number_is_invalid() {
        let add = Update {
            conditions: vec![],
            assignments: vec![Assignment::Add("a".into(), 2)],
            repeatable: false,
        };
        assert_eq!(
            add.apply(&Attributes::new()),
            Ok(Written::Applied(item(Attribute::number(2))))
        );
        assert_eq!(
            add.apply(&item(Attribute::number(3))),
            Ok(Written::Applied(item(Attribute::number(5))))
        );
        assert!(add.apply(&item(Attribute::string("3"))).is_err());
    }

    #[test]
    fn a_condition_says_what_it_is_about_and_never_a_value() {
        for (condition, text) in [
            (Condition::Absent("a".into()), "a is absent"),
            (
                Condition::Equals("a".into(), Attribute::string("secret")),
                "a is what was read",
            ),
            (Condition::AbsentOrBetween("a".into(), 2, 4), "a is absent or in 2..=4"),
        ] {
            assert_eq!((condition.to_string(), condition.attribute()), (text.to_owned(), "a"));
        }
    }
}
