//! All cases, each on a circuit of its own, many at once.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use scripted_partner::Partner;
use serde_json::Value;
use states_language::Observer;
use tokio::sync::Semaphore;

use crate::case::{Case, Need};
use crate::case_file::{CaseFile, load};
use crate::circuit::Circuit;
use crate::coverage::Coverage;
use crate::engine::{Engine, Variation};
use crate::policy_file::{deployed, policy_file};
use crate::remote::Remote;
use crate::trial;

/// How many cases run at once: a Task has a second, also on two busy cores.
const AT_ONCE: usize = 6;
/// How many circuits one system has at most: an API holds 300 resources, and a circuit takes two.
const CIRCUITS: usize = 140;
/// Only cases whose id contains this, for whoever works on one.
const ONLY: &str = "CASES";

/// What came of a run.
#[derive(Debug)]
pub struct Summary {
    /// How many cases passed.
    pub passed: usize,
    /// A text for each case that failed.
    pub failed: Vec<String>,
    /// The cases that this engine can't run, with what they need.
    pub skipped: Vec<String>,
    /// How long it took.
    pub took: Duration,
    /// Whether every case was to be run, in this process: only then their coverage means something.
    pub is_whole: bool,
}

/// Runs every case: on the engine that `AWS_ENDPOINT_URL*` names, or else on a system of its own for each file.
///
/// # Errors
/// A case can't be read, or an engine can't be started.
pub async fn run(coverage: Arc<Coverage>) -> anyhow::Result<Summary> {
    let remote = Engine::from_environment()?.map(Arc::new);
    play_all(load()?, remote, at_once()?, coverage).await
}

/// Runs cases that a test has made, in the form of a file of cases, on a system in this process; so many at once.
///
/// # Errors
/// A case can't be read, or the system can't be started.
pub async fn run_made(name: &str, cases: Vec<Value>, at_once: usize) -> anyhow::Result<Summary> {
    let files = (cases.chunks(CIRCUITS).enumerate())
        .map(|(index, cases)| CaseFile::made(&format!("{name}-{index}"), cases.to_vec()))
        .collect::<anyhow::Result<_>>()?;
    play_all(files, None, at_once, Arc::default()).await
}

async fn play_all(
    mut files: Vec<CaseFile>,
    remote: Option<Arc<Engine>>,
    at_once: usize,
    coverage: Arc<Coverage>,
) -> anyhow::Result<Summary> {
    let began = Instant::now();
    let only = std::env::var(ONLY).unwrap_or_default();
    for file in &mut files {
        file.cases.retain(|case| case.id.contains(&only));
    }
    files.retain(|file| !file.cases.is_empty());
    let mut summary = Summary {
        passed: 0,
        failed: Vec::new(),
        skipped: Vec::new(),
        took: Duration::ZERO,
        is_whole: only.is_empty() && remote.is_none(),
    };
    let room = Semaphore::new(at_once);
    let mut running = FuturesUnordered::new();
    let mut engines = Vec::new();
    let mut prepared = Vec::new();
    for file in &files {
        prepared.push((file, prepare(file)?));
    }
    let remote = match remote {
        Some(engine) => {
            let cases: Vec<_> = prepared.iter().flat_map(|(_, cases)| cases).collect();
            Some(Remote::of(engine, &cases).await?)
        }
        None => None,
    };
    for (file, prepared) in prepared {
        let own = match &remote {
            Some(_) => None,
            None => {
                let policies: Vec<Value> = prepared.iter().map(|prepared| prepared.file.clone()).collect();
                let store_faults = file.cases.iter().any(|case| !case.store.is_empty());
                let observer = Arc::clone(&coverage) as Arc<dyn Observer>;
                let engine = Engine::start(&policies, store_faults, Some(observer)).await;
                Some(Arc::new(
                    engine.with_context(|| format!("the system for {}.json", file.name))?,
                ))
            }
        };
        for prepared in prepared {
            let case = prepared.case;
            let engine = match (&remote, &own) {
                (Some(remote), _) => remote.engine_for(case),
                (None, Some(own)) => Ok(Arc::clone(own)),
                (None, None) => Err("there is no engine".to_owned()),
            };
            let engine = match engine {
                Ok(engine) => engine,
                Err(reason) => {
                    summary.skipped.push(format!("{}: {reason}", case.id));
                    continue;
                }
            };
            let room = &room;
            running.push(async move {
                // One that mostly waits takes nobody's place.
                let _place = match case.needs.contains(&Need::Patience) {
                    true => None,
                    false => Some(room.acquire().await),
                };
                (&file.name, case, prepared.play(engine).await)
            });
        }
        engines.extend(own);
    }
    while let Some((file, case, played)) = running.next().await {
        match played {
            Ok(differences) if differences.is_empty() => summary.passed += 1,
            Ok(differences) => summary.failed.push(failure(file, case, &differences)),
            Err(error) => summary.failed.push(failure(file, case, &[format!("{error:#}")])),
        }
    }
    drop(running);
    for engine in engines {
        if let Ok(engine) = Arc::try_unwrap(engine) {
            engine.stop().await;
        }
    }
    summary.took = began.elapsed();
    Ok(summary)
}

/// Requests that reached the partner and are not from our own executable, which says who it is unless the policy does.
fn strangers(circuit: &Circuit) -> Vec<String> {
    let names_itself = |(name, _): (&String, &String)| name.eq_ignore_ascii_case("user-agent");
    if circuit.policy.call.headers.0.iter().any(names_itself) {
        return Vec::new();
    }
    let log = circuit.partner.log();
    let agents = log
        .entries
        .iter()
        .map(|entry| entry.header("user-agent").unwrap_or_default());
    agents
        .filter(|agent| !agent.is_empty() && !agent.starts_with("stepbreaker/"))
        .map(|agent| format!("a request is from {agent:?} and not from our function"))
        .collect()
}

/// How many cases run at once on another engine, which may be slower than a Task's second allows.
fn at_once() -> anyhow::Result<usize> {
    match std::env::var("CASES_AT_ONCE") {
        Ok(number) => number.parse().context("CASES_AT_ONCE is a number"),
        Err(_) => Ok(AT_ONCE),
    }
}

fn failure(file: &str, case: &Case, differences: &[String]) -> String {
    let mut text = format!("{file}.json, {}: {}", case.id, case.about);
    for difference in differences {
        // Writing to a string does not fail.
        let _ = write!(text, "\n    {difference}");
    }
    text
}

/// A case with its partner, which its policy names.
pub(crate) struct Prepared<'a> {
    pub(crate) case: &'a Case,
    partner: Partner,
    pub(crate) file: Value,
}

fn prepare(file: &CaseFile) -> anyhow::Result<Vec<Prepared<'_>>> {
    let prepared = file.cases.iter().map(|case| {
        let partner = Partner::start(case.partner.clone())?;
        let file = policy_file(&case.id, &case.policy, partner.address());
        Ok(Prepared { case, partner, file })
    });
    prepared.collect()
}

impl Prepared<'_> {
    async fn play(self, engine: Arc<Engine>) -> anyhow::Result<Vec<String>> {
        let policy = deployed(&self.case.id, &self.file)?;
        let mut variation = Variation {
            read_table: self.case.read_table.clone(),
            policy: self.case.bound_policy.clone(),
            definition: self.case.bound_definition.clone(),
            ..Variation::default()
        };
        if let Some(local) = &engine.local {
            for (name, function) in &self.case.functions {
                variation
                    .names
                    .push((*name, local.add(*name, function, &self.case.id)?));
            }
        }
        let machine_arn = engine.deploy(&policy, &variation).await?;
        let circuit = Circuit {
            engine,
            policy,
            machine_arn,
            partner: self.partner,
        };
        let mut played = trial::play(self.case, &circuit).await;
        if let (Ok(differences), None) = (&mut played, &circuit.engine.local) {
            differences.extend(strangers(&circuit));
        }
        circuit.engine.undeploy(&circuit.machine_arn).await?;
        played
    }
}
