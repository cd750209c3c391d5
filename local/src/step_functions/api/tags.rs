//! The operations on tags.

use serde_json::{Value, json};

use super::request::Request;
use crate::step_functions::{StepFunctions, StepFunctionsError, Tags};

pub(super) fn add(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("resourceArn")?;
    let tags = read_tags(request)?;
    if !request.has("tags") {
        return Err(StepFunctionsError::missing("tags"));
    }
    sfn.machines.change_tags(arn, |held| held.add(&tags, arn))?;
    Ok(json!({}))
}

pub(super) fn remove(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let arn = request.required("resourceArn")?;
    if !request.has("tagKeys") {
        return Err(StepFunctionsError::missing("tagKeys"));
    }
    let keys = request.texts("tagKeys")?;
    sfn.machines.change_tags(arn, |held| {
        keys.into_iter().for_each(|key| held.remove(key));
        Ok(())
    })?;
    Ok(json!({}))
}

pub(super) fn list(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let tags = sfn.machines.tags(request.required("resourceArn")?)?;
    let tags: Vec<_> = tags
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    Ok(json!({ "tags": tags }))
}

/// The tags of a request.
pub(super) fn read_tags(request: &Request) -> Result<Tags, StepFunctionsError> {
    let mut tags = Tags::default();
    for tag in request.objects("tags")? {
        let value = tag.text("value")?.unwrap_or_default();
        tags.set(tag.text("key")?.unwrap_or_default(), value)?;
    }
    Ok(tags)
}
