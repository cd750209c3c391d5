//! The breaker protocol, model-checked with the code that runs in production.

pub mod action;
mod alone;
mod audit;
pub mod design;
pub mod document;
pub mod explore;
pub mod gallery;
pub mod law;
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
pub mod workflow;
