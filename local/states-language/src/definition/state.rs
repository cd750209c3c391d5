//! A state, compiled.

use serde_json::Value;

use super::branches::{MapBody, ParallelBody};
use super::effort::Effort;
use super::fields::Fields;
use super::flow::{Filter, ResultPlace};
use super::graph::{Graph, Next};
use super::quantity::Quantity;
use super::report::{INVALID_STATE_NAME, Report};
use super::wait::WaitBody;
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
    Wait(WaitBody),
    Parallel(ParallelBody),
    Map(Box<MapBody>),
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
    pub(crate) timeout_s: Option<Quantity>,
    pub(crate) heartbeat_s: Option<Quantity>,
    pub(crate) effort: Effort,
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
        let location = format!("{}/{name}", scope.location);
        if name.is_empty() || name.chars().count() > MAX_STATE_NAME_CHARS {
            let message = format!("a state's name must have between 1 and {MAX_STATE_NAME_CHARS} characters");
            report.add(INVALID_STATE_NAME, &location, message);
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
            Body::Wait(_) => StateKind::Wait,
            Body::Parallel(_) => StateKind::Parallel,
            Body::Map(_) => StateKind::Map,
            Body::Succeed => StateKind::Succeed,
            Body::Fail(_) => StateKind::Fail,
        }
    }

    /// The fields around its work, if it is of a type that can fail.
    pub(crate) fn effort(&self) -> Option<&Effort> {
        match &self.body {
            Body::Task(task) => Some(&task.effort),
            Body::Parallel(parallel) => Some(&parallel.effort),
            Body::Map(map) => Some(&map.effort),
            Body::Pass(_) | Body::Choice(_) | Body::Wait(_) | Body::Succeed | Body::Fail(_) => None,
        }
    }

    /// Whether it is a Map that makes its items' inputs.
    pub(crate) fn has_item_selector(&self) -> bool {
        matches!(&self.body, Body::Map(map) if map.selector.is_some())
    }

    /// The states inside: a Parallel's branches, a Map's processor.
    pub(crate) fn graphs(&self) -> &[Graph] {
        match &self.body {
            Body::Parallel(parallel) => &parallel.branches,
            Body::Map(map) => std::slice::from_ref(&map.processor),
            _ => &[],
        }
    }

    /// The indexes of the states that may follow.
    pub(super) fn successors(&self) -> Vec<usize> {
        match &self.body {
            Body::Pass(PassBody { next, .. }) | Body::Wait(WaitBody { next, .. }) => next.state().into_iter().collect(),
            Body::Choice(choice) => choice
                .rules
                .iter()
                .map(|(_, next)| *next)
                .chain(choice.default)
                .collect(),
            _ => self.effort().map(Effort::successors).unwrap_or_default(),
        }
    }

    /// Whether an execution may end in it.
    pub(super) fn is_terminal(&self) -> bool {
        match &self.body {
            Body::Pass(PassBody { next, .. }) | Body::Wait(WaitBody { next, .. }) => next.state().is_none(),
            Body::Choice(_) => false,
            _ => self.effort().is_none_or(|effort| effort.next.state().is_none()),
        }
    }

    /// Every path that it reads itself; not those of the states inside.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.input.path().into_iter().chain(self.output.path()).collect();
        match &self.body {
            Body::Pass(pass) => paths.extend(pass.parameters.iter().flat_map(Template::paths)),
            Body::Task(task) => {
                let times = [&task.timeout_s, &task.heartbeat_s];
                paths.extend(times.into_iter().flatten().filter_map(Quantity::path));
                paths.extend(task.effort.paths());
            }
            Body::Choice(choice) => paths.extend(choice.rules.iter().flat_map(|(rule, _)| rule.paths())),
            Body::Wait(wait) => paths.extend(wait.until.path()),
            Body::Parallel(parallel) => paths.extend(parallel.effort.paths()),
            Body::Map(map) => paths.extend(map.paths()),
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
