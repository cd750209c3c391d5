//! A local Step Functions: state machines by name, and their executions, run by the crate `states_language`.
//!
//! Deviations from AWS, all of them *local only*: an asynchronous EXPRESS execution can be described, runs once, and is
//! refused under a name that is still known; old executions are forgotten past a limit; no versions, aliases, history
//! or logs.

pub(crate) mod api;
mod arn;
mod error;
mod execution;
mod executions;
mod machine;
mod machines;
mod name;
mod service;

pub(crate) use arn::Arns;
pub(crate) use error::StepFunctionsError;
pub(crate) use execution::Finished;
pub(crate) use machine::{Kind, MachineSpec};
pub(crate) use service::StepFunctions;

/// The most bytes of an execution's input, inclusive
/// (<https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html>).
pub(crate) const INPUT_LIMIT: usize = 262_144;
