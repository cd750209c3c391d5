//! A definition that can be run.

use crate::definition::{self, Body, Definition};
use crate::{InvalidDefinition, StateKind};

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
}

impl Machine {
    /// Parses and validates a definition.
    ///
    /// `supports` says whether a Task's `Resource` can be run; one that can't is a diagnostic like any other.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, and everything in it that this engine does not support, by name.
    pub fn parse(definition: &str, supports: &dyn Fn(&str) -> bool) -> Result<Machine, InvalidDefinition> {
        Ok(Self {
            definition: definition::parse(definition, supports)?,
        })
    }

    /// Every state, in the order of the definition.
    pub fn outline(&self) -> impl Iterator<Item = StateOutline<'_>> {
        self.definition.graph.states.iter().map(|state| {
            let mut outline = StateOutline {
                name: &state.name,
                kind: state.kind(),
                rules: 0,
                has_default: false,
                catchers: 0,
                resource: None,
            };
            match &state.body {
                Body::Choice(choice) => {
                    outline.rules = choice.rules.len();
                    outline.has_default = choice.default.is_some();
                }
                Body::Task(task) => {
                    outline.catchers = task.catch.len();
                    outline.resource = Some(&task.resource);
                }
                Body::Pass(_) | Body::Succeed | Body::Fail(_) => {}
            }
            outline
        })
    }

    pub(crate) fn definition(&self) -> &Definition {
        &self.definition
    }
}
