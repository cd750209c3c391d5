//! Every case, with the shipped definition and the real functions; and what they cover of the definition.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use stepbreaker_tests::{Coverage, Summary, run};

const DEFINITION: &str = include_str!("../../statemachine/circuit-breaker.asl.json");

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_case_holds_and_takes_every_state_rule_and_catch_edge() {
    let coverage = Arc::new(Coverage::default());
    let summary = run(Arc::clone(&coverage)).await.unwrap();
    let report = coverage.report(DEFINITION).unwrap();
    let mut text = format!("{}\n", told(&summary));
    if summary.is_whole {
        text.push_str(&format!("coverage of the definition: {report}\n"));
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/definition-coverage.txt");
        std::fs::write(target, &text).unwrap();
    }
    // Not with `print!`, which is only shown when a test fails.
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    for skipped in &summary.skipped {
        println!("skipped: {skipped}");
    }
    assert!(
        summary.failed.is_empty(),
        "{}\n\n{}",
        told(&summary),
        summary.failed.join("\n\n")
    );
    if summary.is_whole {
        assert!(
            report.missed().is_empty(),
            "no case takes {}",
            report.missed().join(", ")
        );
    }
}

fn told(summary: &Summary) -> String {
    let Summary {
        passed,
        failed,
        skipped,
        passed_twice,
        took,
        ..
    } = summary;
    let (failed, skipped) = (failed.len(), skipped.len());
    let twice = match passed_twice {
        0 => String::new(),
        number => format!(" ({number} of them in both ways, started and at the front door)"),
    };
    format!(
        "cases: {passed} passed{twice}, {failed} failed, {skipped} skipped, in {:.1} s",
        took.as_secs_f64()
    )
}
