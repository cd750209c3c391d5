//! `call`: how the partner is called.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::body::Mentioned;
use crate::fields::{method, number, object, parsed, shown};
use crate::method::Method;
use crate::problem::Problems;
use crate::url::Template;
use crate::{headers, limits, media_type, query};

const FIELDS: [&str; 11] = [
    "method",
    "url",
    "headers",
    "query",
    "body",
    "secretHeaders",
    "passHeaders",
    "expectContentType",
    "retries",
    "timeoutMs",
    "maxResponseBytes",
];

/// What the rules between the fields need to know of a call.
#[derive(Debug, Default)]
pub(crate) struct Checked<'a> {
    /// The method; none if it is refused.
    pub(crate) method: Option<Method>,
    /// The URL with its parameters; none if it is refused.
    pub(crate) url: Option<Template>,
    /// The parameters in `query`, by the name of the value; none if it is refused.
    pub(crate) query: Option<Vec<&'a str>>,
    /// What the body's template says of parameters; none if it is refused, and empty where there is no template.
    pub(crate) template: Option<Mentioned<'a>>,
    /// Whether there is a body.
    pub(crate) has_body: bool,
    /// Whether it is the customer's.
    pub(crate) passes_body: bool,
}

/// Checks the section.
pub(crate) fn check<'a>(call: Option<&'a Value>, problems: &mut Problems<'_>) -> Checked<'a> {
    let Some(call) = object(call, "call", &FIELDS, problems) else {
        return Checked::default();
    };
    let method = method(call, "call.method", problems);
    let url = parsed(call, "url", "call.url", problems, |url| {
        Template::parse(url).map_err(|error| error.allowed)
    });
    let query = query(call, url.as_ref().and(call.get("url")), problems);
    headers::check(call, method, problems);
    headers::check_passed(call, problems);
    let has_body = call.contains_key("body");
    let (template, passes_body) = body(call, problems);
    expected_type(call, problems);
    number(call, &limits::RETRIES, problems);
    number(call, &limits::TIMEOUT_MS, problems);
    number(call, &limits::MAX_RESPONSE_BYTES, problems);
    Checked {
        method,
        url,
        query,
        template,
        has_body,
        passes_body,
    }
}

/// `url` is the URL if it is sound: both together must be one too.
fn query<'a>(call: &'a Map<String, Value>, url: Option<&Value>, problems: &mut Problems<'_>) -> Option<Vec<&'a str>> {
    let Some(value) = call.get("query") else {
        return Some(Vec::new());
    };
    let Some(fields) = value.as_object() else {
        problems.add("call.query", shown(value), "an object of names and texts");
        return None;
    };
    let mut pairs = BTreeMap::new();
    let mut parameters = Vec::new();
    for (name, value) in fields {
        let field = format!("call.query.{name}");
        if name.is_empty() {
            problems.add(&field, "is an empty name", "a name with a character at least");
        }
        match value.as_str() {
            Some(text) => match query::parameter(text) {
                Some(parameter) => parameters.push(parameter),
                None if text.contains(['{', '}']) => {
                    let allowed = format!(
                        "a text without braces, or a whole {{name}} that matches {}",
                        limits::PARAMETER
                    );
                    problems.add(&field, shown(value), allowed);
                }
                None => {}
            },
            None => problems.add(&field, shown(value), "a text or a {parameter}, as a string"),
        }
        pairs.insert(name.clone(), value.as_str().unwrap_or_default().to_owned());
    }
    if problems.has("call.query") {
        return None;
    }
    if let Some(url) = url.and_then(Value::as_str)
        && let Err(error) = Template::parse(&query::join(url, &pairs))
    {
        problems.add("call.query", "makes a URL that can't be used", error.allowed);
        return None;
    }
    Some(parameters)
}

/// What the template mentions, and whether the body is the customer's.
fn body<'a>(call: &'a Map<String, Value>, problems: &mut Problems<'_>) -> (Option<Mentioned<'a>>, bool) {
    let Some(value) = call.get("body") else {
        return (Some(Mentioned::default()), false);
    };
    let Some(body) = object(Some(value), "call.body", &["template", "pass", "maxBytes"], problems) else {
        return (None, false);
    };
    if let Some(pass) = body.get("pass").filter(|pass| **pass != Value::Bool(true)) {
        problems.add("call.body.pass", shown(pass), "true, or leave it out");
    }
    number(body, &limits::BODY_BYTES, problems);
    let passes = body.contains_key("pass");
    match (body.get("template"), passes) {
        (Some(_), true) => problems.add("call.body", "has both template and pass", "one of them"),
        (None, false) => problems.add("call.body", "has neither template nor pass", "one of them"),
        (Some(_), false) if body.contains_key("maxBytes") => {
            problems.add("call.body.maxBytes", "stands beside a template", "leave it out");
        }
        (Some(template), false) if !template.is_object() && !template.is_array() => {
            problems.add("call.body.template", shown(template), "a JSON object or array");
        }
        _ => {}
    }
    if problems.has("call.body") {
        return (None, passes);
    }
    (
        Some(body.get("template").map(Mentioned::of).unwrap_or_default()),
        passes,
    )
}

fn expected_type(call: &Map<String, Value>, problems: &mut Problems<'_>) {
    if let Some(value) = call.get("expectContentType")
        && !value.as_str().is_some_and(media_type::is_media_type)
    {
        let allowed = "a media type without parameters, as in \"application/json\"";
        problems.add("call.expectContentType", shown(value), allowed);
    }
}
