//! The states and how they lead to each other.

use std::collections::HashMap;

use serde_json::Value;

use super::fields::Fields;
use super::report::{DUPLICATE_STATE_NAME, MISSING_END_STATE, MISSING_TRANSITION_TARGET, Report};
use super::{MachineScope, Scope, State};
use crate::path::Path;

/// States that lead to each other: a machine, a branch of a Parallel, a Map's processor.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) start: usize,
    pub(crate) states: Vec<State>,
    /// Whether some state reads the context object, nested states included.
    pub(crate) reads_context: bool,
    /// Whether some state may read `$$.Execution.Input`, nested states included.
    pub(crate) reads_execution_input: bool,
}

/// Where a state leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    State(usize),
    End,
}

impl Next {
    pub(super) fn state(self) -> Option<usize> {
        match self {
            Self::State(index) => Some(index),
            Self::End => None,
        }
    }
}

/// Reads `StartAt` and `States`.
pub(super) fn parse(fields: &mut Fields, machine: &MachineScope<'_>, report: &mut Report) -> Option<Graph> {
    let missing: Vec<&str> = ["States", "StartAt"]
        .into_iter()
        .filter(|name| !fields.has(name))
        .collect();
    if !missing.is_empty() {
        fields.missing(&missing.join(", "), report);
    }
    let states = match fields.take("States") {
        Some(Value::Object(states)) if !states.is_empty() => states,
        unusable => {
            if unusable.is_some() {
                report.schema(&fields.at("States"), "must be an object that holds at least one state");
            }
            fields.take("StartAt");
            return None;
        }
    };
    let names: HashMap<String, usize> = states
        .keys()
        .cloned()
        .enumerate()
        .map(|(index, name)| (name, index))
        .collect();
    let location = fields.at("States");
    let scope = Scope {
        machine,
        names: &names,
        location: &location,
    };
    for name in states.keys() {
        machine.claim(name, &location, report);
    }
    let start = fields
        .has("StartAt")
        .then(|| target(fields, "StartAt", &scope, report))
        .flatten();
    let count = states.len();
    let states: Vec<State> = states
        .into_iter()
        .filter_map(|(name, state)| State::parse(&name, state, &scope, report))
        .collect();
    // With a state missing, indexes would point at the wrong ones; the definition is refused anyway.
    if states.len() < count {
        return None;
    }
    let reads = |own: fn(&Path) -> bool, below: fn(&Graph) -> bool| {
        states
            .iter()
            .any(|state| state.paths().into_iter().any(own) || state.graphs().iter().any(below))
    };
    let graph = Graph {
        start: start?,
        reads_context: reads(Path::reads_context, |graph| graph.reads_context),
        reads_execution_input: reads(Path::reads_execution_input, |graph| graph.reads_execution_input),
        states,
    };
    graph.check(&location, report);
    Some(graph)
}

/// `Next` or `End`, exactly one of which a state must have.
pub(super) fn next(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Next> {
    let end = match fields.has("End") {
        false => false,
        true => {
            let end = fields.boolean("End", report);
            if end.is_none() {
                fields.take("Next");
            }
            end?
        }
    };
    match (fields.has("Next"), end) {
        (true, false) => target(fields, "Next", scope, report).map(Next::State),
        (false, true) => Some(Next::End),
        (has_next, _) => {
            fields.take("Next");
            let found = if has_next { "has both" } else { "has neither" };
            report.schema(
                fields.location(),
                format!("must have either a Next or 'End': true; it {found}"),
            );
            None
        }
    }
}

/// The index of the state that a field names.
pub(super) fn target(fields: &mut Fields, name: &str, scope: &Scope<'_>, report: &mut Report) -> Option<usize> {
    if !fields.has(name) {
        fields.missing(name, report);
        return None;
    }
    let target = fields.string(name, report)?;
    let index = scope.names.get(&target).copied();
    if index.is_none() {
        report.add(
            MISSING_TRANSITION_TARGET,
            &fields.at(name),
            format!("Missing '{name}' target: {target}"),
        );
    }
    index
}

impl Graph {
    /// A state by its name, also one inside another, with the graph that it stands in.
    pub(crate) fn find(&self, name: &str) -> Option<(&Self, &State)> {
        self.states
            .iter()
            .find(|state| state.name == name)
            .map(|state| (self, state))
            .or_else(|| {
                let inner = self.states.iter().flat_map(|state| state.graphs());
                inner.into_iter().find_map(|graph| graph.find(name))
            })
    }

    /// The name of the state with this index.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.states.get(index).map_or("", |state| state.name.as_str())
    }

    fn check(&self, location: &str, report: &mut Report) {
        let mut reached = vec![false; self.states.len()];
        let mut pending = vec![self.start];
        while let Some(index) = pending.pop() {
            if let Some(seen @ false) = reached.get_mut(index) {
                *seen = true;
                pending.extend(self.states.get(index).map(State::successors).unwrap_or_default());
            }
        }
        for (state, reached) in self.states.iter().zip(reached) {
            if !reached {
                let message = format!("State \"{}\" is not reachable.", state.name);
                report.add(
                    MISSING_TRANSITION_TARGET,
                    &format!("{location}/{}", state.name),
                    message,
                );
            }
        }
        if !self.states.iter().any(State::is_terminal) {
            report.add(
                MISSING_END_STATE,
                location,
                "no state ends the execution: one must have 'End': true, or be a Succeed or a Fail",
            );
        }
    }
}

impl MachineScope<'_> {
    /// Notes a state's name, which must be the only one of a machine, in whatever branch it stands.
    fn claim(&self, name: &str, location: &str, report: &mut Report) {
        let at = format!("{location}/{name}");
        let earlier = self.names.borrow_mut().insert(name.to_owned(), at.clone());
        if let Some(earlier) = earlier {
            let message = format!("the state name '{name}' is used twice in this machine, the first time at {earlier}");
            report.add(DUPLICATE_STATE_NAME, &at, message);
        }
    }
}
