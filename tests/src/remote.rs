//! Cases on another engine: which of them, on which circuits, in which ways; and why the others are not played there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::case::{Case, Need};
use crate::case_file::CaseFile;
use crate::circuit::Way;
use crate::engine::Engine;
use crate::runner::Summary;
use crate::shared_circuit::SharedCircuit;
use crate::stack::{CIRCUITS, Stack};

/// A file that says which cases an engine can't run, and why.
const EXCEPT: &str = "CASES_EXCEPT";
/// How many cases are played at once, where nothing else is said: another engine may be slower than a Task's second allows.
const AT_ONCE: usize = 2;
/// How often a case is played at most until it passes, each time told: a Task has a second, which an engine on a busy machine may
/// be late for. What is wrong differs each time.
const ATTEMPTS: usize = 3;
/// How many cases share a circuit at most, as long as each of those that are played at once has one.
const PER_CIRCUIT: usize = 40;

/// Why an engine can't run some of the cases.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Exceptions {
    /// The file that they stand in. Where there is one, it has a reason for each case that is not played.
    #[serde(skip)]
    file: Option<String>,
    /// By what a case needs.
    #[serde(default)]
    needs: BTreeMap<Need, String>,
    /// By a case's id: what the engine does differently from AWS.
    #[serde(default)]
    cases: BTreeMap<String, String>,
}

/// A case, the file that it is from, and the ways in which it is played.
struct Play<'a> {
    file: &'a str,
    case: &'a Case,
    ways: Vec<Way>,
}

/// Plays the cases on an engine, deployed as a stack if `STACK_DEPLOY` says how.
///
/// # Errors
/// The exceptions are about no case, or the engine can't be used.
pub(crate) async fn play(files: &[CaseFile], engine: Engine) -> anyhow::Result<Summary> {
    let began = Instant::now();
    let exceptions = Exceptions::from_environment()?;
    let at_once = at_once()?;
    let command = Stack::command();
    let mut summary = Summary::default();
    let mut by_policy: BTreeMap<String, Vec<Play<'_>>> = BTreeMap::new();
    for file in files {
        for case in &file.cases {
            if let Some(reason) = exceptions.reason(case, command.is_some(), &engine)? {
                summary.skipped.push(format!("{}: {reason}", case.id));
                continue;
            }
            let play = Play {
                file: &file.name,
                case,
                ways: ways(case, command.is_some()),
            };
            let policy = Value::Object(case.policy.clone()).to_string();
            by_policy.entry(policy).or_default().push(play);
        }
    }
    ensure!(!by_policy.is_empty(), "there is no case that this engine can run");
    let mut queues = Vec::new();
    for plays in by_policy.into_values() {
        for plays in dealt(plays, at_once) {
            let policy = plays.first().context("nobody plays on it")?.case.policy.clone();
            let name = format!("cases-{}", queues.len() + 1);
            queues.push((SharedCircuit::start(name, &policy)?, plays));
        }
    }
    // The longest first, so that none is left over at the end.
    queues.sort_by_key(|(_, plays)| std::cmp::Reverse(plays.len()));
    let engines = deploy(engine, command.as_deref(), &queues).await?;
    let room = Semaphore::new(at_once);
    let mut running: FuturesUnordered<_> = (queues.chunks(CIRCUITS).zip(&engines))
        .flat_map(|(queues, engine)| queues.iter().map(move |queue| (queue, engine)))
        .map(async |((circuit, plays), engine)| {
            let _place = room.acquire().await;
            let mut played = Vec::new();
            for play in plays {
                played.push((play, played_in_all_ways(circuit, engine, play).await));
            }
            played
        })
        .collect();
    while let Some(played) = running.next().await {
        for (play, differences) in played {
            let passed = summary.passed;
            summary.add(play.file, play.case, differences);
            if summary.passed > passed && play.ways.len() > 1 {
                summary.passed_twice += 1;
            }
        }
    }
    summary.took = began.elapsed();
    Ok(summary)
}

/// The engine of each stack's circuits: with the stack, if one can be deployed.
async fn deploy(
    engine: Engine,
    command: Option<&str>,
    queues: &[(SharedCircuit, Vec<Play<'_>>)],
) -> anyhow::Result<Vec<Arc<Engine>>> {
    let Some(command) = command else {
        let engine = Arc::new(engine);
        return Ok(queues.chunks(CIRCUITS).map(|_| Arc::clone(&engine)).collect());
    };
    let mut engines = Vec::new();
    for queues in queues.chunks(CIRCUITS) {
        let files: Vec<_> = queues.iter().map(|(circuit, _)| &circuit.file).collect();
        let name = format!("StepbreakerCases{}", engines.len() + 1);
        engines.push(Arc::new(engine.with_stack(command, &name, &files).await?));
    }
    Ok(engines)
}

async fn played_in_all_ways(
    circuit: &SharedCircuit,
    engine: &Arc<Engine>,
    play: &Play<'_>,
) -> anyhow::Result<Vec<String>> {
    let mut differences = Vec::new();
    for way in &play.ways {
        let mut found = circuit.play(engine, play.case, *way).await;
        for _ in 1..ATTEMPTS {
            if found.as_ref().is_ok_and(Vec::is_empty) {
                break;
            }
            eprintln!("{} differs, and is played again: {found:?}", play.case.id);
            found = circuit.play(engine, play.case, *way).await;
        }
        let found = found.with_context(|| format!("played {way:?}"))?;
        differences.extend(found.into_iter().map(|difference| match way {
            Way::AsItSays => difference,
            Way::FrontDoor => format!("at the front door: {difference}"),
        }));
    }
    Ok(differences)
}

/// Deals what is to be played on one policy out to as many circuits as it needs.
fn dealt(plays: Vec<Play<'_>>, at_once: usize) -> Vec<Vec<Play<'_>>> {
    let circuits = plays.len().div_ceil(PER_CIRCUIT).min(at_once).max(1);
    let mut hands: Vec<Vec<Play<'_>>> = (0..circuits).map(|_| Vec::new()).collect();
    for (index, play) in plays.into_iter().enumerate() {
        if let Some(hand) = hands.get_mut(index % circuits) {
            hand.push(play);
        }
    }
    hands
}

fn at_once() -> anyhow::Result<usize> {
    match std::env::var("CASES_AT_ONCE") {
        Ok(number) => number.parse().context("CASES_AT_ONCE is a number"),
        Err(_) => Ok(AT_ONCE),
    }
}

/// A case that only starts executions, on a machine as it is deployed, is played at the front door too.
fn ways(case: &Case, has_front_door: bool) -> Vec<Way> {
    let mut ways = vec![Way::AsItSays];
    if has_front_door && case.is_for_front_door_too() {
        ways.push(Way::FrontDoor);
    }
    ways
}

impl Exceptions {
    fn from_environment() -> anyhow::Result<Self> {
        let Ok(file) = std::env::var(EXCEPT) else {
            return Ok(Self::default());
        };
        let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
        let mut exceptions: Self = serde_json::from_str(&text).with_context(|| file.clone())?;
        exceptions.check(&file)?;
        exceptions.file = Some(file);
        Ok(exceptions)
    }

    /// Whether each is about something.
    fn check(&self, file: &str) -> anyhow::Result<()> {
        let files = crate::case_file::load()?;
        let cases: Vec<_> = files.iter().flat_map(|file| &file.cases).collect();
        let ids: BTreeSet<_> = cases.iter().map(|case| case.id.as_str()).collect();
        let needs: BTreeSet<_> = cases.iter().flat_map(|case| &case.needs).collect();
        for id in self.cases.keys() {
            ensure!(ids.contains(id.as_str()), "{file}: there is no case {id}");
        }
        for need in self.needs.keys() {
            ensure!(needs.contains(need), "{file}: no case needs {need:?}");
        }
        Ok(())
    }

    /// Why a case is not played, if it is not.
    ///
    /// # Errors
    /// It can't be, and the file gives no reason.
    fn reason(&self, case: &Case, has_stack: bool, engine: &Engine) -> anyhow::Result<Option<String>> {
        let own = self.cases.get(&case.id);
        let told = own.or_else(|| case.needs.iter().find_map(|need| self.needs.get(need)));
        if told.is_some() {
            return Ok(told.cloned());
        }
        if case.hits > 0 && !engine.reaches_partners {
            return Ok(Some("needs a partner that the engine reaches: PARTNER_HOST".to_owned()));
        }
        let lacks = |need: &&Need| match need {
            Need::Patience => false,
            Need::FrontDoor => !has_stack,
            Need::Functions => engine.function_maker.is_none(),
            Need::StoreFaults => true,
        };
        let Some(need) = case.needs.iter().find(lacks) else {
            return Ok(None);
        };
        match &self.file {
            Some(file) => bail!(
                "{} needs {need:?}, and {file} does not say why it is not played",
                case.id
            ),
            None => Ok(Some(format!("needs {need:?}"))),
        }
    }
}
