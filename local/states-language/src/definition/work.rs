//! What each type of state does: the fields of its own.

use std::time::Duration;

use serde_json::Value;

use super::fields::Fields;
use super::flow::{ResultPlace, template};
use super::report::Report;
use super::state::{Body, ChoiceBody, FailBody, PassBody, TaskBody, Text};
use super::{MAX_WHOLE, Scope, branch, graph, recovery};
use crate::template::Dynamic;

/// A state type that AWS has and this engine does not do yet.
const NOT_YET: [&str; 3] = ["Wait", "Parallel", "Map"];

pub(super) fn body(kind: &str, fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    match kind {
        "Pass" => pass(fields, scope, report),
        "Task" => task(fields, scope, report),
        "Choice" => choice(fields, scope, report),
        "Succeed" => Some(Body::Succeed),
        "Fail" => Some(fail(fields, report)),
        other => {
            let message = if NOT_YET.contains(&other) {
                format!("the state type '{other}' is not supported by this engine")
            } else {
                format!("the state type '{other}' is not known")
            };
            report.schema(&fields.at("Type"), message);
            None
        }
    }
}

fn pass(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    let body = PassBody {
        parameters: template(fields, "Parameters", report),
        result: fields.take("Result"),
        place: ResultPlace::parse(fields, report),
        next: graph::next(fields, scope, report)?,
    };
    Some(Body::Pass(body))
}

fn task(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    let resource = resource(fields, scope, report);
    let parameters = template(fields, "Parameters", report);
    let selector = template(fields, "ResultSelector", report);
    let place = ResultPlace::parse(fields, report);
    let timeout = fields.whole("TimeoutSeconds", 1..=MAX_WHOLE, report);
    let retry = recovery::retriers(fields, report);
    let catch = recovery::catchers(fields, scope, report);
    let next = graph::next(fields, scope, report);
    Some(Body::Task(TaskBody {
        resource: resource?,
        parameters,
        selector,
        place,
        timeout: timeout.map(|seconds| Duration::from_secs(seconds.into())),
        retry,
        catch,
        next: next?,
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
    if let Some(pattern) = pattern {
        let message = format!("the integration pattern '{pattern}' of '{resource}' is not supported by this engine");
        report.schema(&fields.at(NAME), message);
    } else if !(scope.supports)(&resource) {
        report.schema(&fields.at(NAME), format!("the resource '{resource}' is not supported"));
    }
    Some(resource)
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
