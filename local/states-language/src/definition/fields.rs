//! The fields of one object of a definition: taken one by one, and what is left over is refused by name.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::report::{NO_PATH, Report, SCHEMA_VALIDATION_FAILED};

/// Fields that AWS knows and this engine does not do yet. They are told apart from misspelt ones.
const NOT_YET: [&str; 6] = ["Assign", "Arguments", "Condition", "Credentials", "Items", "Output"];

pub(super) struct Fields {
    object: Map<String, Value>,
    location: String,
}

impl Fields {
    pub(super) fn new(object: Map<String, Value>, location: impl Into<String>) -> Self {
        Self {
            object,
            location: location.into(),
        }
    }

    /// The fields of a value that must be an object.
    pub(super) fn of(value: Value, location: &str, report: &mut Report) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self::new(object, location)),
            _ => {
                report.schema(location, "must be an object");
                None
            }
        }
    }

    /// Where this object stands.
    pub(super) fn location(&self) -> &str {
        if self.location.is_empty() { "/" } else { &self.location }
    }

    /// Where one of its fields stands.
    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.location)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.object.shift_remove(name)
    }

    /// The names of the fields that were not taken yet.
    pub(super) fn names(&self) -> Vec<String> {
        self.object.keys().cloned().collect()
    }

    pub(super) fn string(&mut self, name: &str, report: &mut Report) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => {
                report.schema(&self.at(name), "must be a string");
                None
            }
        }
    }

    pub(super) fn boolean(&mut self, name: &str, report: &mut Report) -> Option<bool> {
        match self.take(name)? {
            Value::Bool(value) => Some(value),
            _ => {
                report.schema(&self.at(name), "must be true or false");
                None
            }
        }
    }

    pub(super) fn array(&mut self, name: &str, report: &mut Report) -> Option<Vec<Value>> {
        match self.take(name)? {
            Value::Array(items) => Some(items),
            _ => {
                report.schema(&self.at(name), "must be an array");
                None
            }
        }
    }

    /// A whole number within the range.
    pub(super) fn whole(&mut self, name: &str, range: RangeInclusive<u32>, report: &mut Report) -> Option<u32> {
        let value = self.take(name)?;
        let whole = value
            .as_u64()
            .and_then(|whole| u32::try_from(whole).ok())
            .filter(|whole| range.contains(whole));
        if whole.is_none() {
            let (least, most) = range.into_inner();
            report.schema(
                &self.at(name),
                format!("{value} is not a whole number between {least} and {most}"),
            );
        }
        whole
    }

    /// Warns when a field that takes a value as it stands looks as if it meant a path.
    pub(super) fn warn_of_path(&self, name: &str, report: &mut Report) {
        if let Some(Value::String(text)) = self.object.get(name)
            && looks_like_path(text)
        {
            let message = format!("{text:?} looks like a path, but the field's name does not end with 'Path'");
            report.warn(NO_PATH, &self.at(name), message);
        }
    }

    pub(super) fn query_language(&mut self, report: &mut Report) {
        if let Some(language) = self
            .string("QueryLanguage", report)
            .filter(|language| language != "JSONPath")
        {
            let message = format!("QueryLanguage '{language}' is not supported; 'JSONPath' is");
            report.schema(&self.at("QueryLanguage"), message);
        }
    }

    pub(super) fn missing(&self, names: &str, report: &mut Report) {
        report.schema(self.location(), format!("These fields are required: [{names}]"));
    }

    /// Refuses what is left; `owner` is what the object is: `a Pass state`.
    pub(super) fn finish(self, owner: &str, report: &mut Report) {
        for name in self.names() {
            let message = if NOT_YET.contains(&name.as_str()) {
                format!("the field '{name}' is not supported by this engine")
            } else {
                format!("the field '{name}' is not known for {owner}")
            };
            report.add(SCHEMA_VALIDATION_FAILED, &self.at(&name), message);
        }
    }
}

/// Whether a text was probably meant as a path.
pub(super) fn looks_like_path(text: &str) -> bool {
    text == "$" || text == "$$" || text.starts_with("$.") || text.starts_with("$$.") || text.starts_with("$[")
}
