//! A conditional update in DynamoDB's expressions. Every name goes through a placeholder: `state` and `override` are
//! reserved words, and a slice's name is made up.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use breaker::attribute::Attribute;
use breaker::update::{Assignment, Condition, Update};

use crate::attribute::to_sdk;

/// The expressions of one update.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    pub(crate) condition: Option<String>,
    pub(crate) update: String,
    pub(crate) names: HashMap<String, String>,
    pub(crate) values: HashMap<String, AttributeValue>,
}

impl Expressions {
    pub(crate) fn of(update: &Update) -> Self {
        let mut all = Self::default();
        let conditions: Vec<_> = update
            .conditions
            .iter()
            .map(|condition| all.condition(condition))
            .collect();
        all.condition = (!conditions.is_empty()).then(|| conditions.join(" AND "));
        let (mut set, mut add, mut remove) = (Vec::new(), Vec::new(), Vec::new());
        for assignment in &update.assignments {
            match assignment {
                Assignment::Set(name, value) => set.push(format!("{} = {}", all.name(name), all.value(value))),
                Assignment::Add(name, amount) => {
                    add.push(format!("{} {}", all.name(name), all.value(&Attribute::number(*amount))));
                }
                Assignment::Remove(name) => remove.push(all.name(name)),
            }
        }
        let clauses = [("SET", set), ("ADD", add), ("REMOVE", remove)];
        let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<_> = clauses
            .map(|(keyword, parts)| format!("{keyword} {}", parts.join(", ")))
            .collect();
        all.update = clauses.join(" ");
        all
    }

    fn condition(&mut self, condition: &Condition) -> String {
        let name = self.name(condition.attribute());
        match condition {
            Condition::Absent(_) => format!("attribute_not_exists({name})"),
            Condition::Equals(_, value) => format!("{name} = {}", self.value(value)),
            Condition::AbsentOrBetween(_, least, most) => {
                let (least, most) = (
                    self.value(&Attribute::number(*least)),
                    self.value(&Attribute::number(*most)),
                );
                format!("(attribute_not_exists({name}) OR {name} BETWEEN {least} AND {most})")
            }
        }
    }

    fn name(&mut self, name: &str) -> String {
        if let Some((known, _)) = self.names.iter().find(|(_, other)| *other == name) {
            return known.clone();
        }
        let placeholder = format!("#{}", self.names.len());
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn value(&mut self, value: &Attribute) -> String {
        let placeholder = format!(":{}", self.values.len());
        self.values.insert(placeholder.clone(), to_sdk(value));
        placeholder
    }
}
