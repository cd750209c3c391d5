//! What each type of state does: the fields of its own.

use serde_json::Value;

use super::effort::Effort;
use super::fields::{Fields, looks_like_path};
use super::flow::{ResultPlace, template};
use super::quantity::Quantity;
use super::report::{INVALID_RESOURCE, PASS_RESULT_IS_STATIC, Report};
use super::state::{Body, ChoiceBody, FailBody, PassBody, TaskBody, Text};
use super::{MAX_WHOLE, MachineType, Scope, branch, branches, graph, wait};
use crate::template::Dynamic;

pub(super) fn body(kind: &str, fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    match kind {
        "Pass" => pass(fields, scope, report),
        "Task" => task(fields, scope, report),
        "Choice" => choice(fields, scope, report),
        "Wait" => wait::wait(fields, scope, report),
        "Parallel" => branches::parallel(fields, scope, report),
        "Map" => branches::map(fields, scope, report),
        "Succeed" => Some(Body::Succeed),
        "Fail" => Some(fail(fields, report)),
        other => {
            report.schema(&fields.at("Type"), format!("the state type '{other}' is not known"));
            None
        }
    }
}

fn pass(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    let result = fields.take("Result");
    if result.as_ref().is_some_and(holds_path) {
        let message = "Result is taken as it stands, and the path in it is not followed; Parameters would be";
        report.warn(PASS_RESULT_IS_STATIC, &fields.at("Result"), message);
    }
    let body = PassBody {
        parameters: template(fields, "Parameters", report),
        result,
        place: ResultPlace::parse(fields, report),
        next: graph::next(fields, scope, report)?,
    };
    Some(Body::Pass(body))
}

fn holds_path(value: &Value) -> bool {
    match value {
        Value::String(text) => looks_like_path(text),
        Value::Array(items) => items.iter().any(holds_path),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, field)| name.ends_with(".$") || holds_path(field)),
        _ => false,
    }
}

fn task(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    let resource = resource(fields, scope, report);
    let timeout_s = Quantity::parse(fields, "TimeoutSeconds", 1..=MAX_WHOLE, report);
    let heartbeat_s = Quantity::parse(fields, "HeartbeatSeconds", 1..=MAX_WHOLE, report);
    let given = |quantity: &Option<Quantity>| quantity.as_ref().and_then(Quantity::given);
    if let (Some(timeout_s), Some(heartbeat_s)) = (given(&timeout_s), given(&heartbeat_s))
        && heartbeat_s >= timeout_s
    {
        let message = format!("{heartbeat_s} must be less than TimeoutSeconds, which is {timeout_s}");
        report.schema(&fields.at("HeartbeatSeconds"), message);
    }
    let effort = Effort::parse(fields, true, scope, report);
    Some(Body::Task(TaskBody {
        resource: resource?,
        timeout_s,
        heartbeat_s,
        effort: effort?,
    }))
}

fn resource(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<String> {
    const NAME: &str = "Resource";
    if !fields.has(NAME) {
        fields.missing(NAME, report);
        return None;
    }
    let resource = fields.string(NAME, report)?;
    let pattern = [".waitForTaskToken", ".sync", ".sync:2"]
        .into_iter()
        .find(|pattern| resource.ends_with(pattern));
    let refusal = match (pattern, scope.machine.kind) {
        (Some(pattern), MachineType::Express) => Some(format!(
            "an EXPRESS state machine does not support the integration pattern '{pattern}' of '{resource}'"
        )),
        (Some(pattern), MachineType::Standard) => Some(format!(
            "the integration pattern '{pattern}' of '{resource}' is not supported by this engine"
        )),
        (None, MachineType::Express) if is_activity(&resource) => Some(format!(
            "an EXPRESS state machine does not support activities, such as '{resource}'"
        )),
        (None, _) => {
            (!(scope.machine.supports)(&resource)).then(|| format!("the resource '{resource}' is not supported"))
        }
    };
    if let Some(message) = refusal {
        report.add(INVALID_RESOURCE, &fields.at(NAME), message);
    }
    Some(resource)
}

/// `arn:aws:states:REGION:ACCOUNT:activity:NAME`.
fn is_activity(resource: &str) -> bool {
    let mut parts = resource.split(':');
    parts.nth(2) == Some("states") && parts.nth(2) == Some("activity")
}

fn choice(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    const NAME: &str = "Choices";
    let items = match fields.has(NAME) {
        true => fields.array(NAME, report)?,
        false => {
            fields.missing(NAME, report);
            Vec::new()
        }
    };
    let is_empty = items.is_empty();
    let mut rules = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let location = format!("{}[{index}]", fields.at(NAME));
        let Some(mut item) = Fields::of(item, &location, report) else {
            continue;
        };
        let rule = branch::rule(&mut item, report);
        let next = graph::target(&mut item, "Next", scope, report);
        item.finish("a rule", report);
        rules.extend(rule.zip(next));
    }
    if is_empty {
        report.schema(&fields.at(NAME), "must hold at least one rule");
    }
    let default = fields
        .has("Default")
        .then(|| graph::target(fields, "Default", scope, report))
        .flatten();
    Some(Body::Choice(ChoiceBody { rules, default }))
}

fn fail(fields: &mut Fields, report: &mut Report) -> Body {
    Body::Fail(FailBody {
        error: text(fields, "Error", report),
        cause: text(fields, "Cause", report),
    })
}

/// `Error` or `ErrorPath`, or the same of a cause.
fn text(fields: &mut Fields, name: &str, report: &mut Report) -> Text {
    let path_name = format!("{name}Path");
    if fields.has(name) && fields.has(&path_name) {
        report.schema(fields.location(), format!("must not hold both {name} and {path_name}"));
    }
    fields.warn_of_path(name, report);
    let literal = fields.string(name, report);
    let dynamic = fields.take(&path_name).and_then(|value| {
        let parsed = match &value {
            Value::String(text) => Dynamic::parse(text).map_err(|error| error.to_string()),
            _ => Err("must be a string".to_owned()),
        };
        let gives_text = parsed.and_then(|dynamic| match &dynamic {
            Dynamic::Call(call) if !call.function().gives_text() => Err(format!("'{call}' does not give a string")),
            _ => Ok(dynamic),
        });
        gives_text
            .map_err(|message| report.schema(&fields.at(&path_name), message))
            .ok()
    });
    dynamic.map_or_else(
        || Text::Literal(literal.unwrap_or_default()),
        |dynamic| Text::Dynamic(path_name, dynamic),
    )
}
