//! The operations on machines.

use serde_json::{Value, json};
use time::OffsetDateTime;

use super::request::{Request, epoch_seconds};
use super::tags::read_tags;
use crate::step_functions::machine::Created;
use crate::step_functions::{Kind, MachineSpec, StepFunctions, StepFunctionsError, token};

/// The most characters of a definition.
const DEFINITION_LIMIT: usize = 1_048_576;
/// How many machines a page holds when nobody says.
const PAGE: usize = 100;
/// The list that a page's token belongs to.
const LIST: &str = "machines";

pub(super) fn create(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let spec = MachineSpec {
        name: request.required("name")?.to_owned(),
        definition: definition(request)?.ok_or_else(|| StepFunctionsError::missing("definition"))?,
        role_arn: request.required("roleArn")?.to_owned(),
        kind: kind(request)?,
        tags: read_tags(request)?,
    };
    refuse_versions(request)?;
    let created = sfn.machines.create(spec)?;
    Ok(json!({ "stateMachineArn": created.arn, "creationDate": epoch_seconds(created.created_at) }))
}

pub(super) fn describe(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let created = sfn.machines.find(request.required("stateMachineArn")?)?;
    let mut described = outline(&created);
    described["status"] = "ACTIVE".into();
    describe_definition(&created, included_data(request)?, &mut described);
    Ok(described)
}

/// What descriptions of a machine, and of an execution's machine, have in common.
pub(super) fn describe_definition(created: &Created, all_data: bool, described: &mut Value) {
    let definition = if all_data { &created.spec.definition } else { "{}" };
    described["definition"] = definition.into();
    described["roleArn"] = created.spec.role_arn.as_str().into();
    described["loggingConfiguration"] = json!({ "level": "OFF", "includeExecutionData": false });
    described["tracingConfiguration"] = json!({ "enabled": false });
    if let Some(revision) = &created.revision {
        described["revisionId"] = revision.as_str().into();
    }
}

/// Whether somebody wants definitions, inputs and outputs too.
pub(super) fn included_data(request: &Request) -> Result<bool, StepFunctionsError> {
    match request.text("includedData")? {
        None | Some("ALL_DATA") => Ok(true),
        Some("METADATA_ONLY") => Ok(false),
        Some(_) => Err(StepFunctionsError::constraint(
            "includedData",
            "Member must satisfy enum value set: [ALL_DATA, METADATA_ONLY]",
        )),
    }
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
    refuse_versions(request)?;
    let updated = sfn.machines.update(arn, definition, role_arn)?;
    Ok(json!({ "updateDate": epoch_seconds(OffsetDateTime::now_utc()), "revisionId": updated.revision }))
}

pub(super) fn delete(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    sfn.machines.delete(request.required("stateMachineArn")?)?;
    Ok(json!({}))
}

pub(super) fn list(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let after = token::read(LIST, request.text("nextToken")?)?;
    let (page, more) = sfn.machines.list(after.as_deref(), request.page(PAGE)?);
    let mut listed = json!({ "stateMachines": page.iter().map(|created| outline(created)).collect::<Vec<_>>() });
    if let (true, Some(last)) = (more, page.last()) {
        listed["nextToken"] = token::give(LIST, &last.spec.name).into();
    }
    Ok(listed)
}

fn refuse_versions(request: &Request) -> Result<(), StepFunctionsError> {
    match request.flag("publish")? {
        Some(true) => Err(StepFunctionsError::constraint(
            "publish",
            "versions are not supported here: leave it out or say false",
        )),
        _ => Ok(()),
    }
}

fn outline(created: &Created) -> Value {
    json!({
        "stateMachineArn": created.arn,
        "name": created.spec.name,
        "type": created.spec.kind.as_str(),
        "creationDate": epoch_seconds(created.created_at),
    })
}

pub(super) fn definition(request: &Request) -> Result<Option<String>, StepFunctionsError> {
    Ok(request.short_text("definition", DEFINITION_LIMIT)?.map(str::to_owned))
}

pub(super) fn kind(request: &Request) -> Result<Kind, StepFunctionsError> {
    match request.text("type")? {
        None | Some("STANDARD") => Ok(Kind::Standard),
        Some("EXPRESS") => Ok(Kind::Express),
        Some(_) => Err(StepFunctionsError::constraint(
            "type",
            "Member must satisfy enum value set: [STANDARD, EXPRESS]",
        )),
    }
}
