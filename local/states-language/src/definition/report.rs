//! The diagnostics gathered while a definition is read.

use crate::Diagnostic;

pub(super) const INVALID_JSON_DESCRIPTION: &str = "INVALID_JSON_DESCRIPTION";
pub(super) const SCHEMA_VALIDATION_FAILED: &str = "SCHEMA_VALIDATION_FAILED";
pub(super) const MISSING_TRANSITION_TARGET: &str = "MISSING_TRANSITION_TARGET";

/// Gathers every problem rather than stopping at the first.
#[derive(Debug, Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    pub(super) fn add(&mut self, code: &'static str, location: &str, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic {
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
