//! The command as a person runs it: the real binary, against a whole local system with real Lambdas and a partner that
//! misbehaves as it is told.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arguments;
mod calls;
mod common;
mod events;
mod items;
mod overrides;
mod session;
mod status;
mod terminal;
mod watch;
