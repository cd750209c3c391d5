//! One case, played on its circuit.

use std::collections::BTreeSet;

use anyhow::Context;
use futures_util::future::{join, try_join_all};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::case::{Case, Function, FunctionName, Left, StoreFault};
use crate::circuit::{Circuit, now};
use crate::deadline::{WITHIN, eventually};
use crate::engine::{Local, Variation};
use crate::expectation::{Span, differences, plain};
use crate::given;
use crate::step::Step;

/// An item outlives its last write by seven days at least, in milliseconds.
const KEPT_MS: i64 = 7 * 24 * 3_600 * 1_000;

/// Plays a case and gives each difference between what was expected and what came, one line each.
///
/// # Errors
/// The case could not be played to its end.
pub(crate) async fn play(case: &Case, circuit: &Circuit) -> anyhow::Result<Vec<String>> {
    let window_ms = circuit.policy.trip.window_ms;
    let given = match &case.item {
        Some(item) => Some(given::item(item, window_ms, now())?),
        None => None,
    };
    match &given {
        Some(item) => circuit.put(item).await?,
        None => circuit.forget().await?,
    }
    let rules = case.store.iter().map(|rule| {
        let stale = match &rule.fault {
            StoreFault::Stale(item) => Some(given::item(item, window_ms, now())?),
            _ => None,
        };
        Ok((rule.clone(), stale))
    });
    let rules = rules.collect::<anyhow::Result<Vec<_>>>()?;
    if !rules.is_empty() {
        let store = local(circuit)?.store.as_ref().context("a table that can fail")?;
        store.set(circuit.name(), rules);
    }
    let told = announcements(case, circuit).await?.map_or(0, |events| events.len());
    let from = now();
    let mut found = steps(&case.steps, "", circuit).await?;
    let span = Span { from, to: now() };
    found.extend(left(case, given.as_ref(), circuit, span).await?);
    found.extend(announced(case, told, circuit, span).await?);
    let hits = circuit.partner.hits();
    if hits != case.hits {
        found.push(format!("hits on the partner: expected {}, got {hits}", case.hits));
    }
    Ok(found)
}

fn local(circuit: &Circuit) -> anyhow::Result<&Local> {
    circuit
        .engine
        .local
        .as_ref()
        .context("only the system in this process can do that")
}

/// Steps are numbered from 1; those that are done meanwhile as `2.1`.
async fn steps(steps: &[Step], above: &str, circuit: &Circuit) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for (index, each) in steps.iter().enumerate() {
        let at = format!("{above}{}", index + 1);
        let differences = step(each, &at, circuit).await.with_context(|| format!("step {at}"))?;
        found.extend(
            differences
                .into_iter()
                .map(|difference| format!("step {at}: {difference}")),
        );
    }
    Ok(found)
}

async fn step(step: &Step, at: &str, circuit: &Circuit) -> anyhow::Result<Vec<String>> {
    if let Some(expect) = &step.expect {
        let above = format!("{at}.");
        let meanwhile = Box::pin(steps(&step.meanwhile, &above, circuit));
        let (answers, meanwhile) = join(requests(step, circuit), meanwhile).await;
        let (mut found, answers) = (meanwhile?, answers?);
        found.extend(expect.differences(&answers, &circuit.policy));
        found.extend(circuit.strange(&answers));
        return Ok(found);
    }
    if let Some(hits) = step.hits {
        circuit.partner.wait_for_hits(hits, WITHIN).await?;
    }
    if step.release == Some(true) {
        circuit.partner.release();
    }
    if step.due == Some(true) {
        eventually("the circuit is due", async || circuit.is_due().await).await?;
    }
    if step.held == Some(true) {
        let store = local(circuit)?.store.as_ref().context("a table that can fail")?;
        store.wait_until_held(circuit.name(), WITHIN).await?;
    }
    if let Some(function) = step.kill {
        circuit.kill(function).await?;
    }
    if step.mend == Some(true) {
        if let Some(store) = &local(circuit)?.store {
            store.set(circuit.name(), Vec::new());
        }
        // The caller is the circuit's own, so that another in its place has its name.
        local(circuit)?.add(FunctionName::CallPartner, &Function::shipped(), circuit.name())?;
        circuit.engine.deploy(&circuit.policy, &Variation::default()).await?;
    }
    if let Some(script) = &step.partner {
        circuit.set_partner(script);
    }
    for (name, value) in step.write.iter().flatten() {
        let value = match value {
            Value::Null => None,
            value => Some(given::attribute(value, now())?),
        };
        circuit.write(name, value).await?;
    }
    Ok(Vec::new())
}

async fn requests(step: &Step, circuit: &Circuit) -> anyhow::Result<Vec<Answer>> {
    let times = step.times.unwrap_or(1);
    if step.together {
        return try_join_all((0..times).map(|_| request(step, circuit))).await;
    }
    let mut answers = Vec::new();
    for _ in 0..times {
        answers.push(request(step, circuit).await?);
    }
    Ok(answers)
}

async fn request(step: &Step, circuit: &Circuit) -> anyhow::Result<Answer> {
    match (&step.start, &step.post, &step.get) {
        (Some(input), ..) => circuit.start(input).await,
        (_, Some(Value::String(text)), _) => circuit.post(text.clone()).await,
        (_, Some(body), _) => circuit.post(body.to_string()).await,
        (.., Some(path)) => circuit.get(path).await,
        _ => anyhow::bail!("the step makes no request"),
    }
}

/// Compares the item with the one that was given and with what has to have changed.
async fn left(
    case: &Case,
    given: Option<&Map<String, Value>>,
    circuit: &Circuit,
    span: Span,
) -> anyhow::Result<Vec<String>> {
    let found = circuit.item().await?;
    let changes = match &case.left {
        Left::Word(word) if word == "closed" => return Ok(closed(given, found.as_ref())),
        Left::Word(_) if given == found.as_ref() => return Ok(Vec::new()),
        Left::Word(_) => return Ok(vec![format!("item: expected {given:?}, unchanged, got {found:?}")]),
        Left::Changes(changes) => changes,
    };
    let Some(found) = found else {
        return Ok(vec!["item: expected one, got nothing".to_owned()]);
    };
    let none = Map::new();
    let given = given.unwrap_or(&none);
    let mut names: BTreeSet<&str> = [given, &found, changes]
        .iter()
        .flat_map(|item| item.keys())
        .map(String::as_str)
        .collect();
    let mut differing = Vec::new();
    if let Some(expected) = changes.get("$failures") {
        names.retain(|name| *name != "$failures" && !is_slice(name));
        let sum = failures(&found);
        differing.extend(differences(
            "failures in all slices",
            expected,
            Some(&sum.into()),
            span,
        )?);
    }
    if !changes.contains_key("expiresAt") {
        names.remove("expiresAt");
        differing.extend(expiry(circuit, given, &found, span)?);
    }
    for name in names {
        let held = found.get(name).map(plain).transpose()?;
        let as_given = given.get(name).map(plain).transpose()?.unwrap_or_default();
        let expected = changes.get(name).unwrap_or(&as_given);
        differing.extend(differences(&format!("item.{name}"), expected, held.as_ref(), span)?);
    }
    Ok(differing)
}

/// That a circuit is closed, with no lease out and a person's override as it was given.
fn closed(given: Option<&Map<String, Value>>, found: Option<&Map<String, Value>>) -> Vec<String> {
    let held = |item: Option<&Map<String, Value>>, name: &str| item.and_then(|item| item.get(name)).cloned();
    let is_open = held(found, "state").is_some_and(|state| state["S"] == "OPEN");
    let is_kept = held(given, "override") == held(found, "override");
    if is_open || held(found, "probeToken").is_some() || !is_kept {
        return vec![format!("item: expected a closed circuit, got {found:?}")];
    }
    Vec::new()
}

/// The rule that holds for every written item: with an override its expiry is as it was, without one it is moved.
fn expiry(
    circuit: &Circuit,
    given: &Map<String, Value>,
    found: &Map<String, Value>,
    span: Span,
) -> anyhow::Result<Vec<String>> {
    let held = found.get("expiresAt");
    if found.contains_key("override") {
        let is_same = given.get("expiresAt") == held;
        return Ok(Vec::from_iter(
            (!is_same).then(|| format!("item.expiresAt: was moved to {held:?} on an override")),
        ));
    }
    let policy = &circuit.policy;
    let longest = policy.trip.window_ms.max(policy.open.for_ms).max(policy.probe.lease_ms);
    let seconds = |time: breaker::clock::Timestamp, ms: i64| time.as_ms().saturating_add_signed(ms) / 1_000;
    let (from, to) = (
        seconds(span.from, KEPT_MS),
        seconds(span.to, KEPT_MS.saturating_add(longest.try_into()?)) + 2,
    );
    let held = held.map(plain).transpose()?;
    let is_between = held
        .as_ref()
        .and_then(Value::as_u64)
        .is_some_and(|at| (from..=to).contains(&at));
    Ok(Vec::from_iter((!is_between).then(|| {
        format!("item.expiresAt: expected {from} to {to}, got {held:?}")
    })))
}

/// Whether an attribute's name is that of a slice, as it is written: no sign, no leading zero.
fn is_slice(name: &str) -> bool {
    let number = name
        .strip_prefix('w')
        .and_then(|digits| Some((digits, digits.parse::<u64>().ok()?)));
    number.is_some_and(|(digits, number)| number.to_string() == digits)
}

fn failures(item: &Map<String, Value>) -> u64 {
    let slices = item.iter().filter(|(name, _)| is_slice(name));
    slices
        .filter_map(|(_, count)| count["N"].as_str()?.parse::<u64>().ok())
        .sum()
}

/// What was announced of the circuit, or of the case by a stand-in, where the engine can tell.
async fn announcements(case: &Case, circuit: &Circuit) -> anyhow::Result<Option<Vec<Value>>> {
    circuit.engine.events(&[circuit.name(), &case.id]).await
}

/// Compares what was announced after those so many that were told before.
async fn announced(case: &Case, told: usize, circuit: &Circuit, span: Span) -> anyhow::Result<Vec<String>> {
    let Some(mut events) = announcements(case, circuit).await? else {
        return Ok(Vec::new());
    };
    events.drain(..told);
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event["detail-type"].as_str())
        .collect();
    let expected: Vec<&str> = case.events.iter().map(|event| event.kind.as_str()).collect();
    if kinds != expected {
        return Ok(vec![format!("events: expected {expected:?}, got {kinds:?}")]);
    }
    let mut found = Vec::new();
    for (expected, event) in case.events.iter().zip(&events) {
        for (name, value) in &expected.detail {
            let at = format!("event {}.{name}", expected.kind);
            found.extend(differences(&at, value, event["detail"].get(name), span)?);
        }
    }
    Ok(found)
}
