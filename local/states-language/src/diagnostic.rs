//! What is wrong with a definition, and where.

use std::fmt;

/// Something that is wrong, or looks wrong, with a definition, as `ValidateStateMachineDefinition` reports it.
///
/// Source: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinitionDiagnostic.html>
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the definition is refused for it.
    pub severity: Severity,
    /// The class of the problem, in AWS's spelling where AWS has one: `SCHEMA_VALIDATION_FAILED`.
    pub code: &'static str,
    /// What is wrong, naming the field, the value it had and what is allowed.
    pub message: String,
    /// Where: `/States/Read Circuit/Retry[0]/ErrorEquals`. Empty for the definition as a whole.
    pub location: String,
}

/// Whether a problem stops a definition from being created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It is refused.
    Error,
    /// It is taken, but hardly means what it says.
    Warning,
}

impl Severity {
    /// As `ValidateStateMachineDefinition` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} at /{}",
            self.code,
            self.message,
            self.location.trim_start_matches('/')
        )
    }
}

/// A definition that is not run: everything that is wrong with it, in the order of its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid State Machine Definition: {}", join(.diagnostics))]
pub struct InvalidDefinition {
    /// At least one.
    pub diagnostics: Vec<Diagnostic>,
}

fn join(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| format!("'{diagnostic}'"))
        .collect::<Vec<_>>()
        .join(", ")
}
