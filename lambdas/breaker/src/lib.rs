//! The breaker protocol: pure decisions and conditional updates as data.
//!
//! # Theory of operation
//!
//! A circuit is one item with many writers and no locks. The workflow reads it, branches, and hands on what it read;
//! two Lambdas decide on that and write. Two ideas carry it.
//!
//! **One fence.** Every write is conditional on the `epoch` that it was decided on, and every write but a count begins a
//! new epoch. So a decision holds for exactly the item that it saw. A late failure, a late success, a probe whose lease
//! was taken: each is refused by the table.
//!
//! **One gate.** `openUntil` says until when nobody calls. Granting the probe's lease pushes it one lease ahead, so that
//! a probe under way looks like an open circuit to everybody else, and a probe that never returns heals by itself.
//!
//! # Map
//!
//! - [`attribute`], [`item`], [`clock`], [`window`]: what is stored, and how anything that may be stored is read.
//! - [`update`]: a conditional update as data, evaluated in memory here and rendered by `circuit-table`.
//! - [`decision`]: each decision as a function of the item seen, (state × event) → update.
//! - [`procedure`], [`acquisition`], [`recording`]: decisions in sequence, second tries included, with no I/O.
//! - [`event`], [`handover`]: what is announced, and the payloads of the workflow.
//!
//! Nothing here reads a clock, the environment or a network: time is an argument, a write is data.

pub mod acquisition;
pub mod attribute;
pub mod clock;
pub mod decision;
pub mod event;
pub mod handover;
pub mod item;
mod number;
pub mod policy;
pub mod procedure;
pub mod recording;
pub mod update;
pub mod window;

#[cfg(test)]
mod tests;
