//! A state, compiled.

use std::time::Duration;

use serde_json::Value;

use super::fields::Fields;
use super::flow::{Filter, ResultPlace};
use super::graph::Next;
use super::recovery::{Catcher, Retrier};
use super::report::Report;
use super::{Scope, work};
use crate::StateKind;
use crate::choice::Rule;
use crate::limits::MAX_STATE_NAME_CHARS;
use crate::path::Path;
use crate::template::{Dynamic, Template};

/// A state, with the states that it leads to as indexes.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) input: Filter,
    pub(crate) output: Filter,
    pub(crate) body: Body,
    /// Whether it reads the context object, which is only brought up to date for those that do.
    pub(crate) reads_context: bool,
}

/// What a state does.
#[derive(Debug)]
pub(crate) enum Body {
    Pass(PassBody),
    Task(TaskBody),
    Choice(ChoiceBody),
    Succeed,
    Fail(FailBody),
}

#[derive(Debug)]
pub(crate) struct PassBody {
    pub(crate) parameters: Option<Template>,
    pub(crate) result: Option<Value>,
    pub(crate) place: ResultPlace,
    pub(crate) next: Next,
}

#[derive(Debug)]
pub(crate) struct TaskBody {
    pub(crate) resource: String,
    pub(crate) parameters: Option<Template>,
    pub(crate) selector: Option<Template>,
    pub(crate) place: ResultPlace,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: Vec<Retrier>,
    pub(crate) catch: Vec<Catcher>,
    pub(crate) next: Next,
}

#[derive(Debug)]
pub(crate) struct ChoiceBody {
    /// Each rule with where it leads.
    pub(crate) rules: Vec<(Rule, usize)>,
    pub(crate) default: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct FailBody {
    pub(crate) error: Text,
    pub(crate) cause: Text,
}

/// A text given, or read from the input.
#[derive(Debug)]
pub(crate) enum Text {
    Literal(String),
    /// With the name of the field.
    Dynamic(String, Dynamic),
}

impl State {
    /// Reads one state; what is wrong with it is reported.
    pub(super) fn parse(name: &str, value: Value, scope: &Scope<'_>, report: &mut Report) -> Option<Self> {
        let location = format!("/States/{name}");
        if name.is_empty() || name.chars().count() > MAX_STATE_NAME_CHARS {
            let message = format!("a state's name must have between 1 and {MAX_STATE_NAME_CHARS} characters");
            report.schema(&location, message);
        }
        let mut fields = Fields::of(value, &location, report)?;
        if !fields.has("Type") {
            fields.missing("Type", report);
            return None;
        }
        let kind = fields.string("Type", report)?;
        fields.string("Comment", report);
        fields.query_language(report);
        let filtered = kind != "Fail";
        let mut filter = |name| {
            if filtered {
                Filter::parse(&mut fields, name, report)
            } else {
                Filter::All
            }
        };
        let (input, output) = (filter("InputPath"), filter("OutputPath"));
        let body = work::body(&kind, &mut fields, scope, report)?;
        fields.finish(&format!("a {kind} state"), report);
        let mut state = Self {
            name: name.to_owned(),
            input,
            output,
            body,
            reads_context: false,
        };
        state.reads_context = state.paths().into_iter().any(Path::reads_context);
        Some(state)
    }

    pub(crate) fn kind(&self) -> StateKind {
        match self.body {
            Body::Pass(_) => StateKind::Pass,
            Body::Task(_) => StateKind::Task,
            Body::Choice(_) => StateKind::Choice,
            Body::Succeed => StateKind::Succeed,
            Body::Fail(_) => StateKind::Fail,
        }
    }

    /// The indexes of the states that may follow.
    pub(super) fn successors(&self) -> Vec<usize> {
        match &self.body {
            Body::Pass(pass) => pass.next.state().into_iter().collect(),
            Body::Task(task) => task
                .next
                .state()
                .into_iter()
                .chain(task.catch.iter().map(|c| c.next))
                .collect(),
            Body::Choice(choice) => choice
                .rules
                .iter()
                .map(|(_, next)| *next)
                .chain(choice.default)
                .collect(),
            Body::Succeed | Body::Fail(_) => Vec::new(),
        }
    }

    /// Whether an execution may end in it.
    pub(super) fn is_terminal(&self) -> bool {
        match &self.body {
            Body::Pass(PassBody { next, .. }) | Body::Task(TaskBody { next, .. }) => next.state().is_none(),
            Body::Choice(_) => false,
            Body::Succeed | Body::Fail(_) => true,
        }
    }

    /// Every path that it reads.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.input.path().into_iter().chain(self.output.path()).collect();
        match &self.body {
            Body::Pass(pass) => paths.extend(pass.parameters.iter().flat_map(Template::paths)),
            Body::Task(task) => {
                paths.extend(task.parameters.iter().chain(&task.selector).flat_map(Template::paths));
            }
            Body::Choice(choice) => paths.extend(choice.rules.iter().flat_map(|(rule, _)| rule.paths())),
            Body::Succeed => {}
            Body::Fail(fail) => {
                for text in [&fail.error, &fail.cause] {
                    if let Text::Dynamic(_, dynamic) = text {
                        paths.extend(dynamic.paths());
                    }
                }
            }
        }
        paths
    }
}
