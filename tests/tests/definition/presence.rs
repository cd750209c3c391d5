//! Every path that the definition reads is there whenever it is read.
//!
//! A missing path fails an execution, and nothing catches that. So all ways through the definition are walked with what is
//! known on each: which paths are there, which are not, and of which objects every field is known.

use std::collections::BTreeSet;
use std::path::Path;

use policy::definition::{Names, bind};
use serde_json::Value;

use super::{State, TEXT, list};

/// What is known of an execution's state at some point.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    present: BTreeSet<String>,
    absent: BTreeSet<String>,
    /// Objects that have no other fields than those that are known to be present.
    whole: BTreeSet<String>,
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

impl Known {
    /// Whether the path is there; none when that depends.
    fn has(&self, path: &str) -> Option<bool> {
        if self.present.iter().any(|known| known == path || is_below(known, path)) {
            return Some(true);
        }
        let no_such_field = |object: &&String| {
            let field = path[object.len() + 1..].split('.').next().unwrap();
            !self.present.contains(&format!("{object}.{field}"))
        };
        let is_absent = self.absent.iter().any(|known| known == path || is_below(path, known))
            || self
                .whole
                .iter()
                .filter(|object| is_below(path, object))
                .any(|object| no_such_field(&object));
        is_absent.then_some(false)
    }

    /// Puts something of an unknown form there.
    fn put(&mut self, path: &str) {
        for facts in [&mut self.present, &mut self.absent, &mut self.whole] {
            facts.retain(|fact| fact != path && !is_below(fact, path));
        }
        self.absent.retain(|absent| !is_below(path, absent));
        self.present.insert(path.to_owned());
    }

    /// Puts an object with exactly these fields there, each of an unknown form.
    fn put_fields<'a>(&mut self, path: &str, fields: impl IntoIterator<Item = &'a str>) {
        self.put(path);
        self.whole.insert(path.to_owned());
        let fields = fields.into_iter().map(|field| format!("{path}.{field}"));
        self.present.extend(fields);
    }

    /// Puts there what a template makes of what is known before it: a field whose name ends in `.$` is what it names,
    /// any other is a literal.
    fn put_made(&mut self, path: &str, template: &Value, before: &Self) {
        let fields = template.as_object().into_iter().flatten();
        self.put_fields(path, fields.clone().map(|(name, _)| name.trim_end_matches(".$")));
        for (name, value) in fields {
            match (name.strip_suffix(".$"), value.as_str()) {
                (Some(field), Some(named)) => self.put_copy(&format!("{path}.{field}"), named, before),
                _ => self.put_made(&format!("{path}.{name}"), value, before),
            }
        }
    }

    /// Puts there what was known of another path. Of what a function gives nothing is known.
    fn put_copy(&mut self, path: &str, named: &str, before: &Self) {
        self.put(path);
        let copied = |facts: &BTreeSet<String>| -> Vec<String> {
            let below = facts.iter().filter(|fact| *fact == named || is_below(fact, named));
            below.map(|fact| format!("{path}{}", &fact[named.len()..])).collect()
        };
        self.present.extend(copied(&before.present));
        self.absent.extend(copied(&before.absent));
        self.whole.extend(copied(&before.whole));
    }
}

/// Walks every way, once for each different knowledge.
struct Walk<'a> {
    states: &'a Value,
    met: BTreeSet<(String, Known)>,
    ahead: Vec<(String, Known)>,
    /// How many reads were looked at.
    reads: usize,
    missing: BTreeSet<String>,
}

/// Gives what may be missing when it is read, how many reads there were, and how many states were met.
fn walk(definition: &Value) -> (Vec<String>, usize, usize) {
    let mut walk = Walk {
        states: &definition["States"],
        met: BTreeSet::new(),
        ahead: vec![(definition["StartAt"].as_str().unwrap().to_owned(), Known::default())],
        reads: 0,
        missing: BTreeSet::new(),
    };
    while let Some((name, known)) = walk.ahead.pop() {
        if walk.met.insert((name.clone(), known.clone())) {
            walk.state(&name, known);
        }
    }
    let states: BTreeSet<_> = walk.met.iter().map(|(name, _)| name).collect();
    (walk.missing.iter().cloned().collect(), walk.reads, states.len())
}

impl Walk<'_> {
    fn state(&mut self, name: &str, mut known: Known) {
        let state: &State = self.states[name].as_object().unwrap();
        for field in ["Parameters", "InputPath", "OutputPath"] {
            if let Some(read) = state.get(field) {
                self.read_all(name, field, read, &known);
            }
        }
        if state["Type"] == "Choice" {
            return self.choose(name, state, known);
        }
        for catcher in list(state, "Catch") {
            let mut failed = known.clone();
            failed.put_fields(catcher["ResultPath"].as_str().unwrap(), ["Error", "Cause"]);
            self.go(&catcher["Next"], failed);
        }
        // A result that is thrown away leaves everything as it was.
        if state.get("ResultPath") != Some(&Value::Null) {
            let path = state.get("ResultPath").map_or("$", |path| path.as_str().unwrap());
            let template = if state["Type"] == "Task" {
                "ResultSelector"
            } else {
                "Parameters"
            };
            // A selector names parts of the result, of which nothing is known.
            let before = if state["Type"] == "Task" {
                Known::default()
            } else {
                known.clone()
            };
            match (state.get("Result"), state.get(template)) {
                (Some(made), _) | (None, Some(made)) => known.put_made(path, made, &before),
                (None, None) => known.put(path),
            }
        }
        if state.get("End") != Some(&Value::Bool(true)) {
            self.go(&state["Next"], known);
        }
    }

    fn go(&mut self, next: &Value, known: Known) {
        self.ahead.push((next.as_str().unwrap().to_owned(), known));
    }

    fn choose(&mut self, name: &str, state: &State, mut known: Known) {
        for (index, rule) in list(state, "Choices").iter().enumerate() {
            let at = format!("rule {index}");
            let variable = rule["Variable"].as_str();
            let Some(wanted) = rule.get("IsPresent").and_then(Value::as_bool) else {
                self.read_all(name, &at, rule, &known);
                self.go(&rule["Next"], known.clone());
                continue;
            };
            let variable = variable.unwrap();
            let assume = |known: &Known, is_present: bool| {
                let mut known = known.clone();
                let facts = if is_present {
                    &mut known.present
                } else {
                    &mut known.absent
                };
                facts.insert(variable.to_owned());
                known
            };
            match known.has(variable) {
                Some(found) if found == wanted => return self.go(&rule["Next"], known),
                Some(_) => {}
                None => {
                    self.go(&rule["Next"], assume(&known, wanted));
                    known = assume(&known, !wanted);
                }
            }
        }
        self.go(&state["Default"], known);
    }

    /// Looks at every path in a value: of a comparison, and of fields whose names end in `.$`.
    fn read_all(&mut self, name: &str, at: &str, value: &Value, known: &Known) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    let is_read = key.ends_with(".$") || key == "Variable" || key.ends_with("Path");
                    if is_read || !value.is_string() {
                        self.read_all(name, &format!("{at}.{key}"), value, known);
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.read_all(name, at, value, known)),
            Value::String(text) => {
                for path in paths(text) {
                    self.reads += 1;
                    if known.has(path) != Some(true) {
                        self.missing.insert(format!("{name}, {at}: {path}"));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The paths in a text, which is one or a call of an intrinsic function; those of the context object are always there.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c == '(' || c == ')' || c == ',' || c.is_whitespace());
    words.filter(|word| word.starts_with("$."))
}

fn bound() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../statemachine/circuits/wholesaler-stock.json");
    let policy = policy::load(&file).unwrap().deployed;
    let name = || "name".to_owned();
    let names = Names {
        circuits_table: name(),
        call_partner_function: name(),
        acquire_probe_function: name(),
        record_outcome_function: name(),
    };
    serde_json::from_str(&bind(TEXT, &policy, &names).unwrap()).unwrap()
}

#[test]
fn every_path_is_there_when_it_is_read() {
    let (missing, reads, states) = walk(&bound());
    assert!(missing.is_empty(), "{missing:#?}");
    assert_eq!(states, super::states().len(), "every state is met");
    assert!(reads > 100, "{reads}");
}

/// The walk finds what it is for: without a guard, what it guarded may be missing.
#[test]
fn without_a_guard_a_path_may_be_missing() {
    for (choice, rule, missing) in [
        (
            "Is Circuit Forced?",
            0,
            "Which Override?, rule 0.Variable: $.circuit.Item.override.S",
        ),
        (
            "Is Circuit Forced?",
            1,
            "Is Circuit Forced?, rule 1.Not.Variable: $.circuit.Item.overrideUntil.S",
        ),
        (
            "Is Circuit Open?",
            0,
            "Is Circuit Open?, rule 0.Not.Variable: $.circuit.Item.state.S",
        ),
        (
            "Is Circuit Open?",
            2,
            "Is Circuit Open?, rule 2.Not.Variable: $.circuit.Item.openUntil.S",
        ),
        (
            "Is Dry Run Due For Probe?",
            2,
            "Is Dry Run Due For Probe?, rule 2.Not.Variable: $.circuit.Item.openUntil.S",
        ),
        (
            "Is Lease Ours?",
            0,
            "Is Lease Ours?, rule 0.Variable: $.circuit.lease.answer",
        ),
        (
            "Is Result Whole?",
            0,
            "Is Result Whole?, rule 0.Not.Variable: $.call.result.outcome.verdict",
        ),
        (
            "Is Result Whole?",
            2,
            "Is Result Whole?, rule 2.Not.Variable: $.call.result.outcome.reason",
        ),
        (
            "Is Answer Whole?",
            4,
            "Is Answer Whole?, rule 4.Not.Variable: $.call.result.answer.body",
        ),
        (
            "Did Circuit Change?",
            1,
            "Announce Transition, Parameters.Entries.Detail.$: $.record.result.event.detail",
        ),
        (
            "Did Partner Answer?",
            0,
            "Caller Answered, Parameters.status.$: $.call.result.answer.status",
        ),
    ] {
        let mut definition = bound();
        definition["States"][choice]["Choices"]
            .as_array_mut()
            .unwrap()
            .remove(rule);
        let (found, ..) = walk(&definition);
        assert!(
            found.iter().any(|found| found == missing),
            "{choice} without rule {rule}: {found:#?}"
        );
    }
}
