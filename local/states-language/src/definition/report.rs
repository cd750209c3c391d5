//! The diagnostics gathered while a definition is read.
//!
//! Codes: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinitionDiagnostic.html>

use crate::{Diagnostic, Severity};

// Errors.
pub(super) const DUPLICATE_STATE_NAME: &str = "DUPLICATE_STATE_NAME";
pub(super) const INVALID_JSON_DESCRIPTION: &str = "INVALID_JSON_DESCRIPTION";
pub(super) const INVALID_RESOURCE: &str = "INVALID_RESOURCE";
pub(super) const INVALID_STATE_NAME: &str = "INVALID_STATE_NAME";
pub(super) const MISSING_DESCRIPTION: &str = "MISSING_DESCRIPTION";
pub(super) const MISSING_END_STATE: &str = "MISSING_END_STATE";
pub(super) const MISSING_TRANSITION_TARGET: &str = "MISSING_TRANSITION_TARGET";
pub(super) const SCHEMA_VALIDATION_FAILED: &str = "SCHEMA_VALIDATION_FAILED";

// Warnings.
pub(super) const NO_DOLLAR: &str = "NO_DOLLAR";
pub(super) const NO_PATH: &str = "NO_PATH";
pub(super) const PASS_RESULT_IS_STATIC: &str = "PASS_RESULT_IS_STATIC";

/// Gathers every problem rather than stopping at the first.
#[derive(Debug, Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// An error: the definition is refused.
    pub(super) fn add(&mut self, code: &'static str, location: &str, message: impl Into<String>) {
        self.push(Severity::Error, code, location, message);
    }

    /// A warning: the definition is taken, but hardly means what it says.
    pub(super) fn warn(&mut self, code: &'static str, location: &str, message: impl Into<String>) {
        self.push(Severity::Warning, code, location, message);
    }

    fn push(&mut self, severity: Severity, code: &'static str, location: &str, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic {
            severity,
            code,
            message: message.into(),
            location: location.to_owned(),
        });
    }

    /// A field that does not say what it should.
    pub(super) fn schema(&mut self, location: &str, message: impl Into<String>) {
        self.add(SCHEMA_VALIDATION_FAILED, location, message);
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
