//! The breaker protocol, model-checked with the code that runs in production.
//!
//! # Theory of operation
//!
//! A [`System`](system::System) is a design in a [`Scenario`](scenario::Scenario): who comes how often, what may get lost,
//! how long it is watched. Its [`State`](state::State) holds the stored item, the executions under way with the breaker's
//! own procedures in them, and what the laws remember. An [`Action`](action::Action) is one step: a read, the beginning or
//! the end of a call, one write with or without its answer, a death, a person's write, a second that passes. Every
//! decision is `breaker`'s, every write is the evaluation of its conditional update; what stands here decides nothing.
//!
//! Each write that is accepted is audited by what no writer knows: whose lease is really out, which failures were
//! accepted, how many epochs there were. A [`Law`](law::Law) that is broken is a property of the state that does not
//! hold, and the way there is a [`Trace`](explore::Trace), which can be told ([`story`]) and drawn ([`picture`]).
//!
//! A proof is worth what it can refute. So [`removed`] takes each condition and each assignment of each update away,
//! [`guards`] what holds a decision back, and [`refuted`] puts a known design in our design's place: each time a law
//! must break.

pub mod action;
mod alone;
mod audit;
pub mod design;
pub mod document;
mod execution;
pub mod explore;
pub mod gallery;
pub mod guards;
pub mod law;
mod outcome;
mod person;
pub mod picture;
pub mod recovery;
pub mod refuted;
pub mod removed;
pub mod scenario;
pub mod scenarios;
pub mod shared;
pub mod sight;
pub mod state;
pub mod story;
pub mod system;
mod table;
pub mod workflow;
