//! Races on a real table: what was written must make sense whatever order it came in.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crowd;
mod late_success;
mod lost_lease;
mod outage;
mod probes;
mod sabotage;
mod window;
