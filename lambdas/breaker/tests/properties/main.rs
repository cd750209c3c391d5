//! What holds of the protocol for any item, any order and any clock, rather than for the examples of the unit tests.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attribute;
mod counting;
mod decisions;
mod item;
mod reading;
mod time;

/// So many cases, and no file left behind: a failure prints what it shrank to.
fn cases(cases: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        failure_persistence: None,
        ..proptest::test_runner::Config::with_cases(cases)
    }
}
