//! Any partner, through the whole system: whatever a request says, however large an answer is, and what nobody may see.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod echo;
mod planted;
mod requests;
mod room;
mod spelling;
mod system;
