//! What Task, Parallel and Map have in common: work that can fail, and what becomes of its result or its error.

use super::Scope;
use super::fields::Fields;
use super::flow::{ResultPlace, template};
use super::graph::{self, Next};
use super::recovery::{self, Catcher, Retrier};
use super::report::Report;
use crate::path::Path;
use crate::template::Template;

/// The fields around a state's work.
#[derive(Debug)]
pub(crate) struct Effort {
    /// What the work is given; not for a Map, whose items have an `ItemSelector` each.
    pub(crate) parameters: Option<Template>,
    pub(crate) selector: Option<Template>,
    pub(crate) place: ResultPlace,
    pub(crate) retry: Vec<Retrier>,
    pub(crate) catch: Vec<Catcher>,
    pub(crate) next: Next,
}

impl Effort {
    pub(super) fn parse(
        fields: &mut Fields,
        with_parameters: bool,
        scope: &Scope<'_>,
        report: &mut Report,
    ) -> Option<Self> {
        let parameters = with_parameters
            .then(|| template(fields, "Parameters", report))
            .flatten();
        let selector = template(fields, "ResultSelector", report);
        let place = ResultPlace::parse(fields, report);
        let retry = recovery::retriers(fields, report);
        let catch = recovery::catchers(fields, scope, report);
        let next = graph::next(fields, scope, report)?;
        Some(Self {
            parameters,
            selector,
            place,
            retry,
            catch,
            next,
        })
    }

    /// The indexes of the states that may follow.
    pub(super) fn successors(&self) -> Vec<usize> {
        let caught = self.catch.iter().map(|catcher| catcher.next);
        self.next.state().into_iter().chain(caught).collect()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parameters.iter().chain(&self.selector).flat_map(Template::paths)
    }
}
