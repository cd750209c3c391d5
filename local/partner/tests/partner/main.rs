//! The partner, seen from the other end of the socket and through its log.
// Helpers stand outside the tests themselves, where the lints do not know them for tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod behaviours;
mod control;
mod crowd;
mod raw;
