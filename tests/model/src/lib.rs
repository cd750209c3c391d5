//! The breaker protocol, model-checked with the code that runs in production.

pub mod action;
mod alone;
mod audit;
pub mod design;
pub mod explore;
pub mod law;
pub mod scenario;
pub mod scenarios;
pub mod shared;
pub mod sight;
pub mod state;
pub mod system;
pub mod workflow;
