//! The operations on machines.

use serde_json::{Value, json};
use time::OffsetDateTime;

use super::request::{Request, epoch_seconds};
use crate::step_functions::machine::Created;
use crate::step_functions::{Kind, MachineSpec, StepFunctions, StepFunctionsError, machines};

/// The most characters of a definition.
const DEFINITION_LIMIT: usize = 1_048_576;
/// How many machines a page holds when nobody says.
const PAGE: usize = 100;

pub(super) fn create(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let spec = MachineSpec {
        name: request.required("name")?.to_owned(),
        definition: definition(request)?.ok_or_else(|| StepFunctionsError::missing("definition"))?,
        role_arn: request.required("roleArn")?.to_owned(),
        kind: kind(request)?,
    };
    if request.is_set("publish") {
        return Err(constraint(
            "publish",
            "versions are not supported here: leave it out or say false",
        ));
    }
    let created = sfn.machines.create(spec)?;
    Ok(json!({ "stateMachineArn": created.arn, "creationDate": epoch_seconds(created.created_at) }))
}

pub(super) fn describe(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let created = sfn.machines.find(request.required("stateMachineArn")?)?;
    let mut described = outline(&created);
    let more = json!({
        "status": "ACTIVE",
        "definition": created.spec.definition,
        "roleArn": created.spec.role_arn,
        "loggingConfiguration": { "level": "OFF", "includeExecutionData": false },
        "tracingConfiguration": { "enabled": false },
    });
    if let (Value::Object(described), Value::Object(more)) = (&mut described, more) {
        described.extend(more);
        if let Some(revision) = &created.revision {
            described.insert("revisionId".to_owned(), revision.as_str().into());
        }
    }
    Ok(described)
}

pub(super) fn update(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("stateMachineArn")?;
    let (definition, role_arn) = (definition(request)?, request.text("roleArn")?.map(str::to_owned));
    let other = [
        "loggingConfiguration",
        "tracingConfiguration",
        "encryptionConfiguration",
    ];
    if definition.is_none() && role_arn.is_none() && !other.iter().any(|field| request.has(field)) {
        return Err(StepFunctionsError::MissingRequiredParameter);
    }
    let updated = sfn.machines.update(arn, definition, role_arn)?;
    Ok(json!({ "updateDate": epoch_seconds(OffsetDateTime::now_utc()), "revisionId": updated.revision }))
}

pub(super) fn delete(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    sfn.machines.delete(request.required("stateMachineArn")?)?;
    Ok(json!({}))
}

pub(super) fn list(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let limit = request.count("maxResults")?.filter(|limit| *limit > 0).unwrap_or(PAGE);
    // A token is the name that the last page ended with; what is no name never was a token.
    let after = request.text("nextToken")?;
    if after.is_some_and(|after| crate::step_functions::name::check(after).is_err()) {
        return Err(StepFunctionsError::InvalidToken);
    }
    let (page, more) = sfn.machines.list(after, limit);
    let mut listed = json!({ "stateMachines": page.iter().map(|created| outline(created)).collect::<Vec<_>>() });
    if let (true, Some(last)) = (more, page.last()) {
        listed["nextToken"] = last.spec.name.as_str().into();
    }
    Ok(listed)
}

pub(super) fn validate(request: &Request) -> Result<Value, StepFunctionsError> {
    let definition = definition(request)?.ok_or_else(|| StepFunctionsError::missing("definition"))?;
    kind(request)?;
    let diagnostics = machines::parse(&definition)
        .err()
        .map(|invalid| invalid.diagnostics)
        .unwrap_or_default();
    let result = if diagnostics.is_empty() { "OK" } else { "FAIL" };
    let limit = request.count("maxResults")?.filter(|limit| *limit > 0).unwrap_or(PAGE);
    let shown = diagnostics.iter().take(limit).map(|diagnostic| {
        json!({
            "severity": "ERROR",
            "code": diagnostic.code,
            "message": diagnostic.message,
            "location": diagnostic.location,
        })
    });
    let shown: Vec<_> = shown.collect();
    Ok(json!({ "result": result, "truncated": shown.len() < diagnostics.len(), "diagnostics": shown }))
}

fn outline(created: &Created) -> Value {
    json!({
        "stateMachineArn": created.arn,
        "name": created.spec.name,
        "type": created.spec.kind.as_str(),
        "creationDate": epoch_seconds(created.created_at),
    })
}

fn definition(request: &Request) -> Result<Option<String>, StepFunctionsError> {
    match request.text("definition")? {
        Some(text) if text.chars().count() > DEFINITION_LIMIT => Err(constraint(
            "definition",
            &format!("Member must have length less than or equal to {DEFINITION_LIMIT}"),
        )),
        other => Ok(other.map(str::to_owned)),
    }
}

fn kind(request: &Request) -> Result<Kind, StepFunctionsError> {
    match request.text("type")? {
        None | Some("STANDARD") => Ok(Kind::Standard),
        Some("EXPRESS") => Ok(Kind::Express),
        Some(_) => Err(constraint(
            "type",
            "Member must satisfy enum value set: [STANDARD, EXPRESS]",
        )),
    }
}

fn constraint(field: &str, constraint: &str) -> StepFunctionsError {
    StepFunctionsError::Validation {
        problem: format!("Value at '{field}' failed to satisfy constraint: {constraint}"),
    }
}
