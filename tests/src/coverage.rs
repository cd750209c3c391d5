//! Which parts of the definition executions have taken: states, Choice rules with their Defaults, and Catch edges.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use states_language::{Event, InvalidDefinition, Machine, Observer};
use time::OffsetDateTime;

/// Hears which parts are taken.
#[derive(Debug, Default)]
pub struct Coverage(Mutex<BTreeSet<Part>>);

/// A part of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    State(String),
    /// A rule of a Choice by its index; none is the Default.
    Rule(String, Option<usize>),
    /// A catcher by its index.
    Catch(String, usize),
}

/// What was taken of a definition, and what was not.
#[derive(Debug)]
pub struct Report {
    counts: Vec<(&'static str, usize, usize)>,
    missed: Vec<String>,
}

impl Observer for Coverage {
    fn event(&self, _at: OffsetDateTime, event: &Event<'_>) {
        let part = match *event {
            Event::StateEntered { state, .. } => Part::State(state.to_owned()),
            Event::ChoiceTaken { state, rule, .. } => Part::Rule(state.to_owned(), rule),
            Event::Caught { state, catcher, .. } => Part::Catch(state.to_owned(), catcher),
            _ => return,
        };
        self.taken().insert(part);
    }
}

impl Coverage {
    fn taken(&self) -> MutexGuard<'_, BTreeSet<Part>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lays what was taken beside everything that a definition has.
    ///
    /// # Errors
    /// The definition can't be read.
    pub fn report(&self, definition: &str) -> Result<Report, InvalidDefinition> {
        let machine = Machine::parse(definition, &|_| true)?;
        let (mut states, mut rules, mut catches) = (Vec::new(), Vec::new(), Vec::new());
        for state in machine.outline() {
            let name = || state.name.to_owned();
            states.push(Part::State(name()));
            rules.extend((0..state.rules).map(|rule| Part::Rule(name(), Some(rule))));
            rules.extend(state.has_default.then(|| Part::Rule(name(), None)));
            catches.extend((0..state.catchers).map(|catcher| Part::Catch(name(), catcher)));
        }
        let taken = self.taken();
        let mut report = Report {
            counts: Vec::new(),
            missed: Vec::new(),
        };
        for (kind, parts) in [("states", states), ("rules", rules), ("catches", catches)] {
            let missed = parts.iter().filter(|part| !taken.contains(part)).map(Part::to_string);
            let before = report.missed.len();
            report.missed.extend(missed);
            let count = report.missed.len() - before;
            report.counts.push((kind, parts.len() - count, parts.len()));
        }
        Ok(report)
    }
}

impl Report {
    /// Every part that was not taken, by name.
    #[must_use]
    pub fn missed(&self) -> &[String] {
        &self.missed
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self
            .counts
            .iter()
            .map(|(kind, taken, all)| format!("{kind} {taken}/{all}"));
        f.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(state) => write!(f, "the state {state:?}"),
            Self::Rule(state, Some(rule)) => write!(f, "rule {rule} of {state:?}"),
            Self::Rule(state, None) => write!(f, "the Default of {state:?}"),
            Self::Catch(state, catcher) => write!(f, "catcher {catcher} of {state:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use states_language::StateKind;

    use super::*;

    const DEFINITION: &str = r#"{
        "StartAt": "Which?",
        "States": {
            "Which?": { "Type": "Choice", "Choices": [{ "Variable": "$.a", "IsPresent": true, "Next": "Do It" }], "Default": "End" },
            "Do It": {
                "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next": "End",
                "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "End" }]
            },
            "End": { "Type": "Succeed" }
        }
    }"#;

    #[test]
    fn what_was_not_taken_is_named() {
        let coverage = Coverage::default();
        let hear = |event: Event<'_>| coverage.event(OffsetDateTime::UNIX_EPOCH, &event);
        let input = serde_json::Value::Null;
        for (state, kind) in [("Which?", StateKind::Choice), ("End", StateKind::Succeed)] {
            hear(Event::StateEntered {
                state,
                kind,
                input: &input,
            });
        }
        hear(Event::ChoiceTaken {
            state: "Which?",
            rule: None,
            next: "End",
        });
        let report = coverage.report(DEFINITION).unwrap();
        assert_eq!(report.to_string(), "states 2/3, rules 1/2, catches 0/1");
        assert_eq!(
            report.missed(),
            ["the state \"Do It\"", "rule 0 of \"Which?\"", "catcher 0 of \"Do It\""]
        );
    }
}
