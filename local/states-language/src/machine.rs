//! A definition that can be run.

use crate::definition::{self, Body, Definition, Graph, State};
use crate::{Diagnostic, InvalidDefinition, StateKind};

/// `type` of CreateStateMachine. What a definition may hold depends on it.
///
/// Source: <https://docs.aws.amazon.com/step-functions/latest/dg/choosing-workflow-type.html>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MachineType {
    /// Exactly once, up to a year.
    #[default]
    Standard,
    /// Up to five minutes; no `.sync`, no `.waitForTaskToken`, no activities, no distributed Map.
    Express,
}

impl MachineType {
    /// As the API spells it: `STANDARD` or `EXPRESS`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "STANDARD",
            Self::Express => "EXPRESS",
        }
    }
}

/// A parsed and validated definition, ready to run any number of times, also at once.
#[derive(Debug)]
pub struct Machine {
    definition: Definition,
}

/// What a definition holds, so that a test can tell what its cases never took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateOutline<'a> {
    /// The state's name.
    pub name: &'a str,
    /// Its type.
    pub kind: StateKind,
    /// How many rules its `Choices` has; 0 for other types.
    pub rules: usize,
    /// Whether it is a Choice with a `Default`.
    pub has_default: bool,
    /// How many catchers its `Catch` has.
    pub catchers: usize,
    /// Its `Resource`, for a Task.
    pub resource: Option<&'a str>,
    /// The Parallel or Map that it stands in.
    pub within: Option<&'a str>,
}

impl Machine {
    /// Parses and validates a definition.
    ///
    /// `supports` says whether a Task's `Resource` can be run; one that can't is a diagnostic like any other.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, and everything in it that this engine does not support, by name.
    pub fn parse(definition: &str, supports: &dyn Fn(&str) -> bool) -> Result<Machine, InvalidDefinition> {
        Self::parse_as(MachineType::default(), definition, supports)
    }

    /// As [`parse`](Self::parse), for a machine of this type: what only the other type may hold is refused.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_as(
        kind: MachineType,
        definition: &str,
        supports: &dyn Fn(&str) -> bool,
    ) -> Result<Machine, InvalidDefinition> {
        Ok(Self {
            definition: definition::parse(definition, kind, supports)?,
        })
    }

    /// A machine around one state, for [`test_state`](crate::test_state()): its name is `StateName`, and every state that
    /// it leads to is taken to exist.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); places are from the state: `/Retry[0]`.
    pub fn around_state(state: &str, supports: &dyn Fn(&str) -> bool) -> Result<Machine, InvalidDefinition> {
        Ok(Self {
            definition: definition::check_single(state, supports)?,
        })
    }

    /// Everything that is wrong or looks wrong with a definition, in the order of its text: what
    /// `ValidateStateMachineDefinition` gives. [`parse_as`](Self::parse_as) refuses it for the same errors.
    pub fn validate(kind: MachineType, definition: &str, supports: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
        definition::check(definition, kind, supports).1
    }

    /// Every state, in the order of the definition; the states inside a Parallel or a Map come after it.
    pub fn outline(&self) -> impl Iterator<Item = StateOutline<'_>> {
        let mut outlines = Vec::new();
        collect(&self.definition.graph, None, &mut outlines);
        outlines.into_iter()
    }

    pub(crate) fn definition(&self) -> &Definition {
        &self.definition
    }
}

fn collect<'a>(graph: &'a Graph, within: Option<&'a str>, outlines: &mut Vec<StateOutline<'a>>) {
    for state in &graph.states {
        outlines.push(outline(state, within));
        for inner in state.graphs() {
            collect(inner, Some(&state.name), outlines);
        }
    }
}

fn outline<'a>(state: &'a State, within: Option<&'a str>) -> StateOutline<'a> {
    let (rules, has_default) = match &state.body {
        Body::Choice(choice) => (choice.rules.len(), choice.default.is_some()),
        _ => (0, false),
    };
    StateOutline {
        name: &state.name,
        kind: state.kind(),
        rules,
        has_default,
        catchers: state.effort().map_or(0, |effort| effort.catch.len()),
        resource: match &state.body {
            Body::Task(task) => Some(&task.resource),
            _ => None,
        },
        within,
    }
}
