//! Every Task of the shipped definition fails in turn, in every way that it can and in every situation in which it runs:
//! the answer, the item, and that nothing is stuck afterwards. Then each fault twice in a row.
//!
//! The Tasks are read from the definition, so that a new one can't be forgotten. Not here: a caller that hangs for the 22 s
//! of its Task, rather than for its function's own time, and a function killed from outside (`tests/cases/killed.json`).

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fault;
mod situation;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use stepbreaker_tests::run_made;

use fault::{Fault, Task, faults};
use situation::{Came, LEASE_MS, Left, OPEN_MS, Situation, TIMEOUT_MS};

const DEFINITION: &str = include_str!("../../../statemachine/circuit-breaker.asl.json");
/// More than of other cases: these mostly wait.
const AT_ONCE: usize = 8;

fn partner(works: bool) -> Value {
    json!([{ "answer": { "status": if works { 200 } else { 500 } } }])
}

fn case(task: Task, fault: &Fault, situation: Situation, id: String) -> Value {
    let mut case = json!({
        "id": id,
        "about": format!("{task:?} {}, while {situation:?}.", fault.key),
        "policy": {
            "call": { "timeoutMs": TIMEOUT_MS }, "open": { "forMs": OPEN_MS }, "probe": { "leaseMs": LEASE_MS }
        },
        "partner": partner(situation.partner_works()),
    });
    if let Some(item) = situation.item() {
        case["item"] = item;
    }
    fault.make(task, &id, &mut case);
    case
}

fn request(reason: &str) -> Value {
    json!({ "start": {}, "expect": reason })
}

fn events(types: impl IntoIterator<Item = Option<&'static str>>) -> Value {
    types
        .into_iter()
        .flatten()
        .map(|kind| json!({ "type": kind }))
        .collect()
}

/// The fault once: the answer, the item, what is announced.
fn once(mut case: Value, situation: Situation, came: Came) -> Value {
    case["steps"] = json!([request(came.reason)]);
    case["left"] = came.left.told();
    case["events"] = events([situation.event(came.left).filter(|_| came.announced)]);
    case["hits"] = came.hits.into();
    case
}

/// The fault twice, then none: with a working partner the circuit closes, after one wait or one lease at most.
fn twice_then_well(mut case: Value, situation: Situation, came: Came) -> Value {
    let dry_run = situation == Situation::ClosesInDryRun;
    let second = match came.left {
        // A dry run calls where it would have refused.
        Left::Opened | Left::Reopened | Left::LeaseOut if dry_run => None,
        Left::Opened | Left::Reopened => Some(("open", 0)),
        Left::LeaseOut => Some(("probe-busy", 0)),
        Left::Closed => Some(("live", 1)),
        Left::Unchanged | Left::Counted(_) | Left::Freed => Some((came.reason, came.hits)),
    };
    let mut steps = vec![request(came.reason)];
    let mut hits = came.hits + 1;
    if let Some((reason, more)) = second {
        steps.push(request(reason));
        hits += more;
    }
    steps.extend([json!({ "mend": true }), json!({ "partner": partner(true) })]);
    let is_open = came.left.is_waiting()
        || came.left == Left::Freed
        || (came.left == Left::Unchanged && situation.item().is_some_and(|item| item["state"] == "OPEN"));
    if is_open {
        steps.push(json!({ "due": true }));
    }
    steps.push(request("live"));
    case["steps"] = steps.into();
    case["left"] = "closed".into();
    let first = situation.event(came.left).filter(|_| came.announced);
    case["events"] = events([first, is_open.then_some("CircuitClosed")]);
    case["hits"] = hits.into();
    let needs = case["needs"].as_array().cloned().unwrap_or_default();
    case["needs"] = needs.into();
    case
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_task_fails_in_turn_and_nothing_is_stuck() {
    let definition: Value = serde_json::from_str(DEFINITION).unwrap();
    let states = definition["States"].as_object().unwrap();
    let tasks: Vec<Task> = (states.iter())
        .filter(|(_, state)| state["Type"] == "Task")
        .map(|(name, state)| Task::of(name, state))
        .collect();
    let mut cases = Vec::new();
    let mut matrix: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for &task in &tasks {
        for fault in faults(task) {
            let met = Situation::ALL.map(|situation| Some((situation, fault.came(task, situation)?)));
            let mut met = met.into_iter().flatten().peekable();
            assert!(met.peek().is_some(), "{task:?} never meets {}", fault.key);
            for (situation, came) in met {
                let id = format!("{}-{}-{}", task.key(), fault.key, situation.key());
                let first = case(task, &fault, situation, id.clone());
                cases.push(once(first, situation, came));
                let id = format!("{id}-twice");
                cases.push(twice_then_well(case(task, &fault, situation, id), situation, came));
                *matrix.entry((task.key(), fault.class)).or_default() += 2;
            }
        }
    }
    let summary = run_made("faults", cases, AT_ONCE).await.unwrap();
    let text = told(&matrix, &tasks, summary.passed, summary.took.as_secs_f64());
    std::fs::write(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fault-matrix.txt"),
        &text,
    )
    .unwrap();
    // Not with `print!`, which is only shown when a test fails.
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    assert!(
        summary.failed.is_empty(),
        "{} failed:\n{}",
        summary.failed.len(),
        summary.failed.join("\n\n")
    );
}

/// The table of tasks × classes of faults, with how many cases there were of each.
fn told(matrix: &BTreeMap<(&str, &str), usize>, tasks: &[Task], passed: usize, seconds: f64) -> String {
    let mut classes: Vec<&str> = matrix.keys().map(|(_, class)| *class).collect();
    classes.sort_unstable();
    classes.dedup();
    let mut text = format!(
        "every Task fails in turn: {passed} cases passed, in {seconds:.1} s\n{:10}",
        ""
    );
    classes.iter().for_each(|class| text.push_str(&format!("{class:>15}")));
    for task in tasks {
        text.push_str(&format!("\n{:10}", task.key()));
        for class in &classes {
            let count = matrix.get(&(task.key(), *class));
            text.push_str(&format!(
                "{:>15}",
                count.map_or_else(|| "-".to_owned(), usize::to_string)
            ));
        }
    }
    text.push('\n');
    text
}
