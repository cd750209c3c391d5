//! Parallel and Map: the same execution, several lines at once.
//!
//! The branches are futures inside the state's own, so dropping the execution drops them all, and no runtime is needed
//! to have them side by side. When one fails the others are dropped where they are, as AWS stops them.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde_json::Value;

use super::line::Line;
use super::trial::Probe;
use super::{Execution, Visit};
use crate::context::Context;
use crate::definition::{Graph, MapBody, ParallelBody};
use crate::failure::Failure;
use crate::limits;
use crate::{Event, StateKind};

/// How many items of an inline Map run at once at most, whatever `MaxConcurrency` says.
///
/// Source: <https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html>
const MAX_CONCURRENCY: usize = 40;

/// How many branches of a Parallel take any input, a copy for each.
const COPIED_UNMEASURED: usize = 64;

/// One branch, or one item of a Map, that is to run.
struct Branch<'g> {
    graph: &'g Graph,
    input: Value,
    context: Context,
}

/// A branch that runs.
struct Running<'g> {
    graph: &'g Graph,
    line: Arc<Line>,
}

type Ended = (usize, Result<Value, Failure>);

impl Execution<'_> {
    /// The results of all branches, in the order of the definition.
    pub(super) async fn parallel(
        &self,
        visit: &Visit<'_>,
        parallel: &ParallelBody,
        raw: &mut Value,
        context: &Context,
    ) -> Result<Value, Failure> {
        let state = visit.state.name.as_str();
        let input = self.parameters(visit.state, &parallel.effort, raw, context.value())?;
        if parallel.branches.len() > COPIED_UNMEASURED {
            let copied = limits::check_copies(&input, parallel.branches.len());
            copied.map_err(|oversize| Failure::oversize_input(state, oversize))?;
        }
        self.tell(visit.line, &Event::ParallelStarted { state });
        let branches = parallel.branches.iter().map(|graph| {
            Ok(Branch {
                graph,
                input: input.clone(),
                context: if graph.reads_context {
                    context.clone()
                } else {
                    Context::unread()
                },
            })
        });
        match self.side_by_side(visit, branches, usize::MAX).await {
            Ok(results) => {
                self.tell(visit.line, &Event::ParallelSucceeded { state });
                Ok(results)
            }
            Err(failure) => {
                let Failure { error, cause, .. } = &failure;
                self.tell(visit.line, &Event::ParallelFailed { state, error, cause });
                Err(failure)
            }
        }
    }

    /// The results of all items, in their order.
    pub(super) async fn map(
        &self,
        visit: &Visit<'_>,
        map: &MapBody,
        raw: &Value,
        context: &Context,
    ) -> Result<Value, Failure> {
        let state = visit.state.name.as_str();
        let effective = visit.state.input.view("InputPath", raw, context.value())?;
        let items = map.items.view("ItemsPath", &effective, context.value())?.into_owned();
        self.inspect(|seen| &mut seen.after_input_path, &effective);
        if map.items.path().is_some() {
            self.inspect(|seen| &mut seen.after_items_path, &items);
        }
        let Value::Array(items) = items else {
            let path = map.items.path().map_or_else(|| "$".to_owned(), ToString::to_string);
            return Err(Failure::runtime(format!(
                "Reference path \"{path}\" must point to array."
            )));
        };
        let limit = match map
            .concurrency
            .as_ref()
            .map(|limit| limit.value(&effective, context.value()))
        {
            None => 0,
            Some(limit) => usize::try_from(limit?).unwrap_or(usize::MAX),
        };
        if let Some(probe) = self.probe {
            probe.seen().max_concurrency = Some(limit);
        }
        let limit = if limit == 0 {
            MAX_CONCURRENCY
        } else {
            limit.min(MAX_CONCURRENCY)
        };
        self.tell(
            visit.line,
            &Event::MapStarted {
                state,
                length: items.len(),
            },
        );
        let branches = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| iteration(visit, map, &effective, context, index, item));
        match self.side_by_side(visit, branches, limit).await {
            Ok(results) => {
                self.tell(visit.line, &Event::MapSucceeded { state });
                Ok(results)
            }
            Err(failure) => {
                let Failure { error, cause, .. } = &failure;
                self.tell(visit.line, &Event::MapFailed { state, error, cause });
                Err(failure)
            }
        }
    }

    /// Runs branches, `limit` at once, until all have ended or one has failed.
    async fn side_by_side<'g>(
        &self,
        visit: &Visit<'_>,
        branches: impl Iterator<Item = Result<Branch<'g>, Failure>>,
        limit: usize,
    ) -> Result<Value, Failure> {
        let state = visit.state.name.as_str();
        let is_map = visit.state.kind() == StateKind::Map;
        if let Some(probe) = self.probe {
            return self.mocked(visit, probe, branches);
        }
        let mut waiting = branches.enumerate();
        let mut running: BTreeMap<usize, Running<'g>> = BTreeMap::new();
        let mut futures = FuturesUnordered::new();
        let mut results = Vec::new();
        loop {
            while futures.len() < limit
                && let Some((index, branch)) = waiting.next()
            {
                let branch = match branch {
                    Ok(branch) => branch,
                    Err(failure) => return Err(self.drop_rest(visit, &running, failure)),
                };
                let line = Arc::new(Line::after(visit.line.last()));
                if is_map {
                    self.tell(&line, &Event::IterationStarted { state, index });
                }
                running.insert(
                    index,
                    Running {
                        graph: branch.graph,
                        line: Arc::clone(&line),
                    },
                );
                results.push(Value::Null);
                futures.push(self.branch(index, branch, line));
            }
            let Some((index, result)) = futures.next().await else {
                break;
            };
            let Some(ended) = running.remove(&index) else {
                continue;
            };
            // What follows, the next item or the end of the state, follows the last event of this branch.
            visit.line.follow(ended.line.last());
            match result {
                Ok(result) => {
                    if is_map {
                        self.tell(visit.line, &Event::IterationSucceeded { state, index });
                    }
                    if let Some(place) = results.get_mut(index) {
                        *place = result;
                    }
                }
                Err(failure) => {
                    if is_map {
                        self.tell(visit.line, &Event::IterationFailed { state, index });
                    }
                    return Err(self.drop_rest(visit, &running, failure.of_branch()));
                }
            }
        }
        let results = Value::Array(results);
        match limits::check(&results) {
            Ok(()) => Ok(results),
            Err(oversize) => Err(Failure::oversize(state, oversize)),
        }
    }

    /// In a test of a single state: nothing runs, and the mock is the result.
    fn mocked<'g>(
        &self,
        visit: &Visit<'_>,
        probe: &Probe,
        branches: impl Iterator<Item = Result<Branch<'g>, Failure>>,
    ) -> Result<Value, Failure> {
        if visit.state.kind() == StateKind::Map {
            let items = branches
                .map(|branch| Ok(branch?.input))
                .collect::<Result<_, Failure>>()?;
            if visit.state.has_item_selector() {
                self.inspect(|seen| &mut seen.after_item_selector, &Value::Array(items));
            }
        }
        probe.mocked()
    }

    /// One branch. Boxed, because a branch may hold branches.
    fn branch<'b>(
        &'b self,
        index: usize,
        branch: Branch<'b>,
        line: Arc<Line>,
    ) -> Pin<Box<dyn Future<Output = Ended> + Send + 'b>> {
        Box::pin(async move {
            let mut context = branch.context;
            let result = self.walk(branch.graph, branch.input, &mut context, &line).await;
            (index, result)
        })
    }

    /// Tells of what is dropped because of a failure.
    fn drop_rest(&self, visit: &Visit<'_>, running: &BTreeMap<usize, Running<'_>>, failure: Failure) -> Failure {
        for (&index, Running { graph, line }) in running {
            let state = line.state().and_then(|state| graph.states.get(state));
            if let Some(state) = state
                && matches!(
                    state.kind(),
                    StateKind::Task | StateKind::Wait | StateKind::Parallel | StateKind::Map
                )
            {
                self.tell(
                    visit.line,
                    &Event::StateAborted {
                        state: &state.name,
                        kind: state.kind(),
                    },
                );
            }
            if visit.state.kind() == StateKind::Map {
                let state = visit.state.name.as_str();
                self.tell(visit.line, &Event::IterationAborted { state, index });
            }
        }
        failure
    }
}

/// One item: its input, and the context in which `$$.Map.Item` is this item.
fn iteration<'g>(
    visit: &Visit<'_>,
    map: &'g MapBody,
    effective: &Value,
    context: &Context,
    index: usize,
    item: Value,
) -> Result<Branch<'g>, Failure> {
    let reads_item = map.processor.reads_context || visit.state.reads_context;
    let context = if reads_item {
        context.with_item(index, &item)
    } else {
        Context::unread()
    };
    let input = match &map.selector {
        None => item,
        Some(selector) => {
            let input = selector.evaluate(effective, context.value())?;
            limits::check(&input).map_err(|oversize| Failure::oversize_input(&visit.state.name, oversize))?;
            input
        }
    };
    Ok(Branch {
        graph: &map.processor,
        input,
        context,
    })
}
