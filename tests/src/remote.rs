//! Cases on another engine: what runs there, on which stack, and why the others don't.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, ensure};

use crate::case::{Case, Need};
use crate::engine::Engine;
use crate::runner::Prepared;
use crate::stack::{CIRCUITS, Stack};

/// A file of case ids and why this engine can't run them: what it does differently from AWS.
const EXCEPT: &str = "CASES_EXCEPT";

/// Another engine, with the stacks that were deployed on it.
#[derive(Debug)]
pub(crate) struct Remote {
    engine: Arc<Engine>,
    /// The engine of each circuit that was deployed.
    deployed: BTreeMap<String, Arc<Engine>>,
    exceptions: BTreeMap<String, String>,
}

impl Remote {
    /// Deploys what cases with a front door need, if `STACK_DEPLOY` says how. The others are started on machines of their own,
    /// with the first stack's table and functions.
    pub(crate) async fn of(engine: Arc<Engine>, cases: &[&Prepared<'_>]) -> anyhow::Result<Self> {
        let exceptions = exceptions()?;
        let Some(command) = Stack::command() else {
            let deployed = BTreeMap::new();
            return Ok(Self {
                engine,
                deployed,
                exceptions,
            });
        };
        let may = |prepared: &&&Prepared<'_>| !exceptions.contains_key(&prepared.case.id);
        let cases: Vec<_> = cases.iter().filter(may).collect();
        let mut wanted: Vec<_> = (cases.iter())
            .filter(|prepared| prepared.case.needs == [Need::FrontDoor])
            .collect();
        if wanted.is_empty() {
            wanted.extend(cases.iter().find(|prepared| prepared.case.needs.is_empty()));
        }
        ensure!(!wanted.is_empty(), "no case can be run on another engine");
        let mut deployed = BTreeMap::new();
        let mut first = None;
        for (index, chunk) in wanted.chunks(CIRCUITS).enumerate() {
            let files: Vec<_> = chunk.iter().map(|prepared| &prepared.file).collect();
            let name = format!("StepbreakerCases{}", index + 1);
            let stack = Arc::new(Engine::with_stack(&command, &name, &files).await?);
            for prepared in chunk {
                deployed.insert(prepared.case.id.clone(), Arc::clone(&stack));
            }
            first.get_or_insert(stack);
        }
        Ok(Self {
            engine: first.unwrap_or(engine),
            deployed,
            exceptions,
        })
    }

    /// Where a case runs.
    ///
    /// # Errors
    /// Why it can't.
    pub(crate) fn engine_for(&self, case: &Case) -> Result<Arc<Engine>, String> {
        if let Some(reason) = self.exceptions.get(&case.id) {
            return Err(reason.clone());
        }
        if let Some(engine) = self.deployed.get(&case.id) {
            return Ok(Arc::clone(engine));
        }
        if case.needs.iter().all(|need| *need == Need::Patience) {
            Ok(Arc::clone(&self.engine))
        } else {
            Err(format!("needs {:?}", case.needs))
        }
    }
}

fn exceptions() -> anyhow::Result<BTreeMap<String, String>> {
    let Ok(file) = std::env::var(EXCEPT) else {
        return Ok(BTreeMap::new());
    };
    let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
    serde_json::from_str(&text).context(file)
}
