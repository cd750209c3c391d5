//! Executions that race for one circuit on a real table.
//!
//! Hundreds of tasks do what the workflow and its functions do, with the production procedures, against an embedded
//! DynamoDB. Every write is kept with what it came to ([`journal`]), the partner keeps who called it when ([`partner`]),
//! and afterwards [`invariant`] holds the protocol's invariants against both. Nothing is predicted: whatever order the
//! tasks came in, what they wrote must make sense.
//!
//! Time passes as often as somebody looks at the [`clock`], so that a slow machine changes nothing and nobody sleeps.
//!
//! [`model::workflow`] says in Rust what the shipped definition does; a test here holds the two against each other on any
//! item.

// All of this crate is test code, which may panic; clippy only knows that of test functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod clock;
pub mod execution;
pub mod invariant;
pub mod journal;
pub mod partner;
pub mod store;
