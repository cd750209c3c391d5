//! A local Step Functions: state machines by name, and their executions, run by the crate `states_language`.
//!
//! Deviations from AWS, all of them *local only*: unless it is asked to be strict, EXPRESS executions can be described and
//! listed and have a history; asynchronous ones run exactly once; old executions are forgotten past a limit; there are no
//! versions, aliases, activities, map runs, redrives or logs.

pub(crate) mod api;
mod arn;
mod error;
mod execution;
mod executions;
mod journal;
mod machine;
mod machines;
mod name;
mod running;
mod service;
mod tags;
mod token;

pub(crate) use arn::Arns;
pub(crate) use error::StepFunctionsError;
pub(crate) use execution::Finished;
pub(crate) use machine::{Kind, MachineSpec};
pub(crate) use service::{Manners, StepFunctions};
pub(crate) use tags::Tags;

/// The most bytes of an execution's input, inclusive
/// (<https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html>).
pub(crate) const INPUT_LIMIT: usize = 262_144;
