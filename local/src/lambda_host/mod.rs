//! A local Lambda: functions are real executables, run as processes behind the Runtime API.
//!
//! # Theory of operation
//!
//! A *function* has a pool of *processes*; a process works on one invocation at a time, as on Lambda. An invocation takes an
//! idle process, or starts one, or is refused with 429 when the limit is reached. Each process has a Runtime API listener
//! of its own on a loopback port, so that a request needs no further sign of who sent it, and `AWS_LAMBDA_RUNTIME_API` has
//! the form `host:port` that every runtime understands.
//!
//! A process's *slot* holds the invocation it works on. The listener hands it out (`/next`) and takes its answer
//! (`/{id}/response`, `/{id}/error`), both directly between the caller and the process: no other task stands on that way.
//! Beside it one *supervisor* per process owns the child, and ends it: at the function's time-out, when it dies, when it
//! has been idle for long, when the host stops. Whoever gives up waiting for an invocation changes nothing: the process
//! finishes and is used again, or is killed at its time-out.
//!
//! Source of the protocol: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>.

mod environment;
mod error;
mod function;
mod host;
mod invocation;
mod log;
mod process;
mod runtime_api;
mod supervisor;

pub use environment::Surroundings;
pub use error::InvokeError;
pub use function::FunctionSpec;
pub use host::{FunctionReport, LambdaHost, ProcessReport, ProcessState};
pub use invocation::Invocation;

/// The most bytes of an invocation's payload and of its answer: 6 MB, inclusive
/// (<https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html>).
pub const PAYLOAD_LIMIT: usize = 6 * 1024 * 1024;
