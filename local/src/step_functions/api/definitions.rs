//! The operations on definitions that are no machine's yet.

use serde_json::{Value, json};
use states_language::Severity;

use super::machines::{definition, kind};
use super::request::Request;
use crate::step_functions::{StepFunctions, StepFunctionsError};

/// The most diagnostics of an answer, and how many it has when nobody says.
const DIAGNOSTICS: usize = 100;

pub(super) fn validate(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let definition = definition(request)?.ok_or_else(|| StepFunctionsError::missing("definition"))?;
    let kind = kind(request)?;
    let least = match request.text("severity")? {
        None | Some("ERROR") => Severity::Error,
        Some("WARNING") => Severity::Warning,
        Some(_) => {
            let constraint = "Member must satisfy enum value set: [ERROR, WARNING]";
            return Err(StepFunctionsError::constraint("severity", constraint));
        }
    };
    let limit = request.page(DIAGNOSTICS)?;
    if limit > DIAGNOSTICS {
        let constraint = "Member must have value less than or equal to 100";
        return Err(StepFunctionsError::constraint("maxResults", constraint));
    }
    let diagnostics = sfn.machines.validate(kind, &definition);
    let fails = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    let told: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity <= least)
        .collect();
    let shown = told.iter().take(limit).map(|diagnostic| {
        let mut shown = json!({
            "severity": diagnostic.severity.as_str(),
            "code": diagnostic.code,
            "message": diagnostic.message,
        });
        if !diagnostic.location.is_empty() {
            shown["location"] = diagnostic.location.as_str().into();
        }
        shown
    });
    Ok(json!({
        "result": if fails { "FAIL" } else { "OK" },
        "truncated": told.len() > limit,
        "diagnostics": shown.collect::<Vec<_>>(),
    }))
}
