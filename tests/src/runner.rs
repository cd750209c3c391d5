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
use crate::circuit::{Circuit, Way};
use crate::coverage::Coverage;
use crate::engine::{Engine, Variation};
use crate::nonce;
use crate::policy_file::{deployed, policy_file};
use crate::remote;
use crate::trial;

/// How many cases run at once: a Task has a second, also on two busy cores.
const AT_ONCE: usize = 6;
/// How many circuits one system has at most: an API holds 300 resources, and a circuit takes two.
const CIRCUITS: usize = 140;
/// Only cases whose id contains this, for whoever works on one.
const ONLY: &str = "CASES";

/// What came of a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// How many cases passed.
    pub passed: usize,
    /// A text for each case that failed.
    pub failed: Vec<String>,
    /// The cases that this engine can't run, with what they need.
    pub skipped: Vec<String>,
    /// How many of those that passed start executions, and passed with calls at the front door instead as well.
    pub passed_twice: usize,
    /// How long it took.
    pub took: Duration,
    /// Whether every case was to be run, in this process: only then their coverage means something.
    pub is_whole: bool,
}

impl Summary {
    /// Takes what came of a case: each difference, one line each.
    pub(crate) fn add(&mut self, file: &str, case: &Case, played: anyhow::Result<Vec<String>>) {
        match played {
            Ok(differences) if differences.is_empty() => self.passed += 1,
            Ok(differences) => self.failed.push(failure(file, case, &differences)),
            Err(error) => self.failed.push(failure(file, case, &[format!("{error:#}")])),
        }
    }
}

/// Runs every case: on the engine that `AWS_ENDPOINT_URL*` names, or else on a system of its own for each file.
///
/// # Errors
/// A case can't be read, or an engine can't be started.
pub async fn run(coverage: Arc<Coverage>) -> anyhow::Result<Summary> {
    let files = chosen(load()?);
    match Engine::from_environment()? {
        Some(engine) => remote::play(&files, engine).await,
        None => play_all(files, AT_ONCE, coverage).await,
    }
}

/// Runs cases that a test has made, in the form of a file of cases, on a system in this process; so many at once.
///
/// # Errors
/// A case can't be read, or the system can't be started.
pub async fn run_made(name: &str, cases: Vec<Value>, at_once: usize) -> anyhow::Result<Summary> {
    let files = (cases.chunks(CIRCUITS).enumerate())
        .map(|(index, cases)| CaseFile::made(&format!("{name}-{index}"), cases.to_vec()))
        .collect::<anyhow::Result<_>>()?;
    play_all(chosen(files), at_once, Arc::default()).await
}

/// The cases that were asked for.
fn chosen(mut files: Vec<CaseFile>) -> Vec<CaseFile> {
    let only = only();
    for file in &mut files {
        file.cases.retain(|case| case.id.contains(&only));
    }
    files.retain(|file| !file.cases.is_empty());
    files
}

fn only() -> String {
    std::env::var(ONLY).unwrap_or_default()
}

async fn play_all(files: Vec<CaseFile>, at_once: usize, coverage: Arc<Coverage>) -> anyhow::Result<Summary> {
    let began = Instant::now();
    let mut summary = Summary {
        is_whole: only().is_empty(),
        ..Summary::default()
    };
    let room = Semaphore::new(at_once);
    let mut running = FuturesUnordered::new();
    let mut engines = Vec::new();
    for file in &files {
        let prepared = prepare(file)?;
        let policies: Vec<Value> = prepared.iter().map(|prepared| prepared.file.clone()).collect();
        let store_faults = file.cases.iter().any(|case| !case.store.is_empty());
        let observer = Arc::clone(&coverage) as Arc<dyn Observer>;
        let engine = Engine::start(&policies, store_faults, Some(observer)).await;
        let engine = Arc::new(engine.with_context(|| format!("the system for {}.json", file.name))?);
        for prepared in prepared {
            let case = prepared.case;
            let engine = Arc::clone(&engine);
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
        engines.push(engine);
    }
    while let Some((file, case, played)) = running.next().await {
        summary.add(file, case, played);
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

fn failure(file: &str, case: &Case, differences: &[String]) -> String {
    let mut text = format!("{file}.json, {}: {}", case.id, case.about);
    for difference in differences {
        // Writing to a string does not fail.
        let _ = write!(text, "\n    {difference}");
    }
    text
}

/// A case with its partner, which its policy names.
struct Prepared<'a> {
    case: &'a Case,
    partner: Partner,
    file: Value,
}

fn prepare(file: &CaseFile) -> anyhow::Result<Vec<Prepared<'_>>> {
    let prepared = file.cases.iter().map(|case| {
        let partner = Partner::start(nonce::signed(&case.partner))?;
        let file = policy_file(&case.id, &case.policy, partner.address());
        Ok(Prepared { case, partner, file })
    });
    prepared.collect()
}

impl Prepared<'_> {
    async fn play(self, engine: Arc<Engine>) -> anyhow::Result<Vec<String>> {
        let policy = deployed(&self.case.id, &self.file)?;
        let mut variation = Variation::of(self.case);
        let local = engine.local.as_ref().context("a system in this process")?;
        for (name, function) in &self.case.functions {
            variation
                .names
                .push((*name, local.add(*name, function, &self.case.id)?));
        }
        let machine_arn = engine.deploy(&policy, &variation).await?;
        let circuit = Circuit::new(engine, policy, machine_arn, Arc::new(self.partner));
        trial::play(self.case, &circuit.played(self.case, Way::AsItSays)).await
    }
}
