//! Payload templates: `Parameters` and `ResultSelector`, compiled once and filled in per state.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/input-output-inputpath-params.html>

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::intrinsic::{Call, SyntaxError};
use crate::limits::{Allowance, Oversize};
use crate::path::{Path, PathError, Unselected};

/// What a field ending in `.$` holds, or a Fail state's `ErrorPath`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Dynamic {
    Path(Path),
    Call(Call),
}

/// Why a field's text is neither.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DynamicError {
    #[error("not a path: {0}")]
    Path(#[from] PathError),
    #[error("{0}")]
    Call(#[from] SyntaxError),
}

impl Dynamic {
    pub(crate) fn parse(text: &str) -> Result<Self, DynamicError> {
        if text.starts_with('$') {
            Ok(Self::Path(Path::parse(text)?))
        } else {
            Ok(Self::Call(Call::parse(text)?))
        }
    }

    /// Every path that it reads.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Call(call) => call.paths(),
        }
    }

    /// Its value; `field` is the field that it stands in, for the message.
    pub(crate) fn evaluate(&self, field: &str, data: &Value, context: &Value) -> Result<Value, Failure> {
        match self {
            Self::Call(call) => call.evaluate(data, context),
            Self::Path(path) => match path.select(data, context) {
                Ok(selected) => Ok(selected.into_value()),
                Err(why) => Err(unselected(path, field, why)),
            },
        }
    }
}

/// The failure for a path that gives nothing. AWS quotes the input too, which is left out here: causes end up in logs.
pub(crate) fn unselected(path: &Path, field: &str, why: Unselected) -> Failure {
    match why {
        Unselected::Missing => Failure::runtime(format!(
            "The JSONPath '{path}' specified for the field '{field}' could not be found in the input."
        )),
        Unselected::Excess(oversize) => excess(path, oversize),
    }
}

/// The failure for a path that finds too much.
pub(crate) fn excess(path: &Path, oversize: Oversize) -> Failure {
    Failure::excess(&format!("What the JSONPath '{path}' finds"), oversize)
}

/// A compiled template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Template {
    /// Nothing to fill in, here or below.
    Literal(Value),
    Array(Vec<Template>),
    Object(Vec<Field>),
}

/// A field of an object that has something to fill in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// As the payload has it: without `.$`.
    name: String,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    Template(Template),
    /// With the field's name as the definition has it.
    Dynamic(String, Dynamic),
}

/// What is wrong with one field of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateError {
    /// Where, from the template: `/Payload/items[0]/name.$`.
    pub(crate) location: String,
    pub(crate) message: String,
}

impl Template {
    /// Compiles a template; what is wrong with its fields goes to `errors`.
    pub(crate) fn compile(json: Value, errors: &mut Vec<TemplateError>) -> Self {
        compile(json, "", errors)
    }

    fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }

    fn into_literal(self) -> Option<Value> {
        match self {
            Self::Literal(value) => Some(value),
            Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Every path that it reads.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Array(items) => items.iter().flat_map(Self::paths).collect(),
            Self::Object(fields) => fields
                .iter()
                .flat_map(|field| match &field.content {
                    Content::Template(template) => template.paths(),
                    Content::Dynamic(_, dynamic) => dynamic.paths(),
                })
                .collect(),
        }
    }

    /// The payload.
    pub(crate) fn evaluate(&self, data: &Value, context: &Value) -> Result<Value, Failure> {
        self.fill(data, context, &mut Allowance::for_few())
    }

    fn fill(&self, data: &Value, context: &Value, allowance: &mut Allowance) -> Result<Value, Failure> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Array(items) => items
                .iter()
                .map(|item| item.fill(data, context, allowance))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Self::Object(fields) => {
                let mut object = Map::with_capacity(fields.len());
                for field in fields {
                    let value = match &field.content {
                        Content::Template(template) => template.fill(data, context, allowance)?,
                        Content::Dynamic(name, dynamic) => {
                            let value = dynamic.evaluate(name, data, context)?;
                            let spent = allowance.spend(&value);
                            spent.map_err(|oversize| Failure::excess("What a template is filled with", oversize))?;
                            value
                        }
                    };
                    object.insert(field.name.clone(), value);
                }
                Ok(Value::Object(object))
            }
        }
    }
}

impl Field {
    fn is_literal(&self) -> bool {
        matches!(&self.content, Content::Template(template) if template.is_literal())
    }

    fn into_literal(self) -> Option<(String, Value)> {
        match self.content {
            Content::Template(template) => Some((self.name, template.into_literal()?)),
            Content::Dynamic(..) => None,
        }
    }
}

fn compile(json: Value, location: &str, errors: &mut Vec<TemplateError>) -> Template {
    match json {
        Value::Array(items) => {
            let items: Vec<_> = items
                .into_iter()
                .enumerate()
                .map(|(index, item)| compile(item, &format!("{location}[{index}]"), errors))
                .collect();
            if items.iter().all(Template::is_literal) {
                Template::Literal(items.into_iter().filter_map(Template::into_literal).collect())
            } else {
                Template::Array(items)
            }
        }
        Value::Object(object) => {
            let fields = compile_fields(object, location, errors);
            if fields.iter().all(Field::is_literal) {
                Template::Literal(Value::Object(
                    fields.into_iter().filter_map(Field::into_literal).collect(),
                ))
            } else {
                Template::Object(fields)
            }
        }
        scalar => Template::Literal(scalar),
    }
}

fn compile_fields(object: Map<String, Value>, location: &str, errors: &mut Vec<TemplateError>) -> Vec<Field> {
    let mut names = HashSet::with_capacity(object.len());
    let mut fields = Vec::with_capacity(object.len());
    for (key, value) in object {
        let location = format!("{location}/{key}");
        let field = match key.strip_suffix(".$") {
            None => Field {
                content: Content::Template(compile(value, &location, errors)),
                name: key,
            },
            Some(name) => match dynamic(&value) {
                Ok(dynamic) => Field {
                    name: name.to_owned(),
                    content: Content::Dynamic(key, dynamic),
                },
                Err(message) => {
                    errors.push(TemplateError { location, message });
                    continue;
                }
            },
        };
        if !names.insert(field.name.clone()) {
            let message = format!("the field '{}' is given twice, with and without '.$'", field.name);
            errors.push(TemplateError { location, message });
        }
        fields.push(field);
    }
    fields
}

fn dynamic(value: &Value) -> Result<Dynamic, String> {
    let Value::String(text) = value else {
        return Err("the value of a field whose name ends in '.$' must be a string".to_owned());
    };
    Dynamic::parse(text).map_err(|error| format!("the value {text:?} is refused: {error}"))
}
