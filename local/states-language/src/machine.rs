//! A definition that can be run.

use crate::{Clock, Diagnostic, InvalidDefinition, Observer, Outcome, Start, StateKind, Tasks};

/// A parsed and validated definition, ready to run any number of times, also at once.
#[derive(Debug)]
pub struct Machine {}

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
        let _ = (definition, supports);
        Err(InvalidDefinition {
            diagnostics: vec![Diagnostic {
                code: "SCHEMA_VALIDATION_FAILED",
                message: "the engine is being written".into(),
                location: String::new(),
            }],
        })
    }

    /// Every state, in the order of the definition.
    pub fn outline(&self) -> impl Iterator<Item = StateOutline<'_>> {
        std::iter::empty()
    }
}

/// Runs one execution to its end.
///
/// Dropping the future stops the execution, a Task under way included.
pub async fn run(
    machine: &Machine,
    start: Start,
    tasks: &dyn Tasks,
    clock: &dyn Clock,
    observer: &dyn Observer,
) -> Outcome {
    let _ = (machine, start, tasks, clock, observer);
    Outcome::Failed {
        error: "States.Runtime".into(),
        cause: String::new(),
    }
}
