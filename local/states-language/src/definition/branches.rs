//! Parallel and Map: states with states inside.
//!
//! Sources: <https://docs.aws.amazon.com/step-functions/latest/dg/state-parallel.html>,
//! <https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html>

use serde_json::Value;

use super::effort::Effort;
use super::fields::Fields;
use super::flow::{Filter, template};
use super::graph::{self, Graph};
use super::quantity::{Quantity, reference};
use super::report::Report;
use super::state::Body;
use super::{MAX_WHOLE, MachineType, Scope};
use crate::path::Path;
use crate::template::Template;

#[derive(Debug)]
pub(crate) struct ParallelBody {
    pub(crate) branches: Vec<Graph>,
    pub(crate) effort: Effort,
}

#[derive(Debug)]
pub(crate) struct MapBody {
    /// `ItemsPath`; `$` when absent.
    pub(crate) items: Filter,
    /// `ItemSelector`, or `Parameters` of the older form.
    pub(crate) selector: Option<Template>,
    pub(crate) concurrency: Option<Quantity>,
    /// `ItemProcessor`, or `Iterator` of the older form.
    pub(crate) processor: Graph,
    pub(crate) effort: Effort,
}

/// Fields that only a distributed Map has.
const DISTRIBUTED: [&str; 8] = [
    "ItemBatcher",
    "ItemReader",
    "Label",
    "ResultWriter",
    "ToleratedFailureCount",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentage",
    "ToleratedFailurePercentagePath",
];

pub(super) fn parallel(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    const NAME: &str = "Branches";
    let effort = Effort::parse(fields, true, scope, report);
    if !fields.has(NAME) {
        fields.missing(NAME, report);
        return None;
    }
    let items = fields.array(NAME, report)?;
    if items.is_empty() {
        report.schema(&fields.at(NAME), "must hold at least one branch");
    }
    let count = items.len();
    let branches: Vec<Graph> = items
        .into_iter()
        .enumerate()
        .filter_map(|(index, item)| {
            let branch = Fields::of(item, &format!("{}[{index}]", fields.at(NAME)), report)?;
            nested(branch, "a branch", scope, report)
        })
        .collect();
    if branches.len() < count {
        return None;
    }
    let effort = effort?;
    Some(Body::Parallel(ParallelBody { branches, effort }))
}

pub(super) fn map(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    for name in DISTRIBUTED {
        if fields.take(name).is_some() {
            let message = format!("the field '{name}' is for a distributed Map, which is not supported by this engine");
            report.schema(&fields.at(name), message);
        }
    }
    let effort = Effort::parse(fields, false, scope, report);
    let items = match reference(fields, "ItemsPath", report) {
        Some(path) if !path.is_identity() => Filter::Path(path),
        _ => Filter::All,
    };
    let concurrency = Quantity::parse(fields, "MaxConcurrency", 0..=MAX_WHOLE, report);
    one_of(fields, "ItemSelector", "Parameters", report);
    let selector = template(fields, "ItemSelector", report).or(template(fields, "Parameters", report));
    let processor = processor(fields, scope, report);
    Some(Body::Map(Box::new(MapBody {
        items,
        selector,
        concurrency,
        processor: processor?,
        effort: effort?,
    })))
}

fn processor(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Graph> {
    one_of(fields, "ItemProcessor", "Iterator", report);
    let name = ["ItemProcessor", "Iterator"].into_iter().find(|name| fields.has(name));
    let Some(name) = name else {
        fields.missing("ItemProcessor", report);
        return None;
    };
    let mut processor = Fields::of(fields.take(name)?, &fields.at(name), report)?;
    if name == "ItemProcessor" {
        mode(&mut processor, scope, report)?;
    }
    nested(processor, "an item processor", scope, report)
}

/// `ProcessorConfig`: only inline maps are run. None ends the reading of the processor.
fn mode(processor: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<()> {
    const NAME: &str = "ProcessorConfig";
    let Some(config) = processor.take(NAME) else {
        return Some(());
    };
    let mut config = Fields::of(config, &processor.at(NAME), report)?;
    match config.string("Mode", report).as_deref() {
        None | Some("INLINE") => {}
        Some("DISTRIBUTED") => {
            let message = match scope.machine.kind {
                MachineType::Express => "an EXPRESS state machine does not support a Map in DISTRIBUTED mode",
                MachineType::Standard => "a Map in DISTRIBUTED mode is not supported by this engine",
            };
            report.schema(&config.at("Mode"), message);
            return None;
        }
        Some(other) => report.schema(&config.at("Mode"), format!("'{other}' must be INLINE or DISTRIBUTED")),
    }
    if let Some(Value::String(_)) = config.take("ExecutionType") {
        report.schema(&config.at("ExecutionType"), "is for a Map in DISTRIBUTED mode only");
    }
    config.finish("a processor configuration", report);
    Some(())
}

/// Refuses the newer and the older name of one field beside each other.
fn one_of(fields: &mut Fields, newer: &str, older: &str, report: &mut Report) {
    if fields.has(newer) && fields.has(older) {
        fields.take(older);
        report.schema(fields.location(), format!("must not hold both {newer} and {older}"));
    }
}

fn nested(mut fields: Fields, owner: &str, scope: &Scope<'_>, report: &mut Report) -> Option<Graph> {
    fields.string("Comment", report);
    fields.query_language(report);
    let graph = graph::parse(&mut fields, scope.machine, report);
    fields.finish(owner, report);
    graph
}

impl MapBody {
    pub(super) fn paths(&self) -> Vec<&Path> {
        let concurrency = self.concurrency.as_ref().and_then(Quantity::path);
        let selector = self.selector.iter().flat_map(Template::paths);
        self.items
            .path()
            .into_iter()
            .chain(concurrency)
            .chain(selector)
            .chain(self.effort.paths())
            .collect()
    }
}
