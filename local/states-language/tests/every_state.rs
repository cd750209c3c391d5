//! The definition of `examples/every_state.rs` does use every state type and every intrinsic function, and its history is the
//! one in `examples/every_state.history.txt`. `STATES_LANGUAGE_WRITE=1 cargo test -p states-language --test every_state` writes
//! that anew, for somebody to read over.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json;
use states_language::history::History;
use states_language::{Machine, Outcome, Start};
use support::{Act, Script, execute, result};

const DEFINITION: &str = include_str!("../examples/every_state.asl.json");
const HISTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/every_state.history.txt");

fn fails(error: &str) -> Act {
    Act {
        error: Some(error.to_owned()),
        ..Act::default()
    }
}

#[test]
fn the_definition_uses_every_state_type_and_intrinsic_function() {
    let machine = Machine::parse(DEFINITION, &|_| true).unwrap_or_else(|invalid| panic!("{invalid}"));
    let kinds: BTreeSet<&str> = machine.outline().map(|state| state.kind.as_str()).collect();
    let all = ["Choice", "Fail", "Map", "Parallel", "Pass", "Succeed", "Task", "Wait"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
    let readme = include_str!("../README.md");
    let (_, functions) = readme.split_once("| Intrinsic functions |").unwrap();
    let functions = functions.lines().next().unwrap();
    let functions: Vec<&str> = functions
        .split('`')
        .filter(|part| part.starts_with("States."))
        .collect();
    assert_eq!(functions.len(), 18);
    for function in functions {
        assert!(DEFINITION.contains(&format!("{function}(")), "{function}");
    }
}

#[tokio::test(start_paused = true)]
async fn its_history_is_the_one_that_is_shown() {
    let history = History::new("local");
    let input = json!({ "isbns": ["9783161484100", "0306406152"], "customer": "Ada, London" });
    let price = || result(json!({ "cents": 1000 }));
    let acts = vec![
        fails("Supplier.Busy"),
        price(),
        fails("Supplier.Busy"),
        price(),
        fails("Stock.Empty"),
    ];
    let (outcome, _) = execute(DEFINITION, Start::new(input), &Script::new(acts), &history).await;
    assert!(
        matches!(&outcome, Outcome::Failed { error, .. } if error == "Stock.Empty"),
        "{outcome:?}"
    );
    let mut shown = String::new();
    for event in history.events() {
        let event = serde_json::to_value(event).unwrap();
        let name = ["stateEnteredEventDetails", "stateExitedEventDetails"]
            .into_iter()
            .find_map(|details| event[details]["name"].as_str());
        let line = format!(
            "{:>3} after {:>3}  {:<24} {}",
            event["id"].as_u64().unwrap(),
            event["previousEventId"].as_u64().unwrap(),
            event["type"].as_str().unwrap(),
            name.unwrap_or_default()
        );
        writeln!(shown, "{}", line.trim_end()).unwrap();
    }
    let found = std::fs::read_to_string(HISTORY).unwrap_or_default();
    if found != shown && std::env::var_os("STATES_LANGUAGE_WRITE").is_some() {
        std::fs::write(HISTORY, &shown).unwrap();
        return;
    }
    assert_eq!(found, shown, "{HISTORY} is stale");
}
