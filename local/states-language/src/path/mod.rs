//! JSONPath as Step Functions takes it: [`Path`] reads, [`ReferencePath`] says where a result goes.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/amazon-states-language-paths.html>

mod filter;
mod parser;
mod reference;
mod select;

use std::fmt;

use filter::Test;
pub(crate) use parser::{PathError, parse_prefix};
pub(crate) use reference::ReferencePath;
pub(crate) use select::{Selected, Unselected};

/// What a path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// `$`: the state's input, or a task's result in `ResultSelector`.
    Data,
    /// `$$`: the context object.
    Context,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Segment {
    /// `.name` or `['name']`.
    Field(String),
    /// `[n]`; from the end when negative.
    Index(i64),
    /// `['a','b']`.
    Fields(Vec<String>),
    /// `[0,2]`.
    Indexes(Vec<i64>),
    /// `[from:to]`, `to` exclusive, either from the end when negative.
    Slice(Option<i64>, Option<i64>),
    /// `.*` or `[*]`.
    Wildcard,
    /// `[?(@.price < 10)]`.
    Filter(Test),
    /// `..`: what follows is applied to each value below, and to this one.
    Descent,
}

/// A parsed path, kept with its text for messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    text: String,
    root: Root,
    segments: Vec<Segment>,
    /// Whether the path names one place: then it gives that value, or is missing; otherwise it gives a list.
    definite: bool,
}

impl Path {
    fn new(text: &str, root: Root, segments: Vec<Segment>) -> Self {
        let definite = segments
            .iter()
            .all(|segment| matches!(segment, Segment::Field(_) | Segment::Index(_)));
        Self {
            text: text.to_owned(),
            root,
            segments,
            definite,
        }
    }

    /// Parses a whole field's text.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        let (path, rest) = parse_prefix(text)?;
        if rest.is_empty() {
            Ok(path)
        } else {
            Err(PathError::Trailing { rest: rest.to_owned() })
        }
    }

    /// Whether it is `$`: everything, unchanged.
    pub(crate) fn is_identity(&self) -> bool {
        self.root == Root::Data && self.segments.is_empty()
    }

    /// Whether it names one place: only names and indexes.
    pub(crate) fn is_definite(&self) -> bool {
        self.definite
    }

    /// Whether it starts from the context object.
    pub(crate) fn reads_context(&self) -> bool {
        self.root == Root::Context
    }

    /// Whether it may read `$$.Execution.Input`, which the context object holds only when somebody asks for it.
    pub(crate) fn reads_execution_input(&self) -> bool {
        // A step that names no single field may lead to any; one that descends, to any below.
        let mut wanted = ["Execution", "Input"].into_iter().zip(&self.segments);
        let leads_away = wanted.find_map(|(wanted, segment)| match segment {
            Segment::Field(name) => (name != wanted).then_some(true),
            Segment::Descent => Some(false),
            _ => None,
        });
        self.root == Root::Context && leads_away != Some(true)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
