//! Each state of the definition by itself, put to the TestState API: of the system in this process, or of the engine that
//! `AWS_ENDPOINT_URL*` names.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::io::Write as _;

use stepbreaker_tests::probe_states;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_state_rule_and_catch_edge_leads_where_the_definition_says() {
    let probed = probe_states().await.unwrap();
    let mut table = String::new();
    for state in &probed {
        writeln!(table, "{state}").unwrap();
    }
    let differing = probed.iter().filter(|state| !state.differences.is_empty()).count();
    writeln!(
        table,
        "teststate: {} of {} as expected",
        probed.len() - differing,
        probed.len()
    )
    .unwrap();
    // Not with `print!`, which is only shown when a test fails.
    std::io::stdout().write_all(table.as_bytes()).unwrap();
    assert_eq!(differing, 0, "what differs stands in the table");
}
