//! The policy file of a circuit: fields, defaults, ranges, and what is refused.
//!
//! One file per circuit, `statemachine/circuits/NAME.json`, is read by whoever deploys, by the local system and by the
//! tests, all of them through this crate. [`load`] and [`load_dir`] refuse a policy that can't work, with every problem
//! at once: the file, the field, the value it had and what is allowed. What an execution needs of it is [`Deployed`];
//! [`definition::bind`] puts it into the workflow's definition. [`Params::check`] checks a request's parameters, in the
//! front door and again in the caller; [`url::Template`] fills them into the URL.

mod check;
pub mod definition;
mod deployed;
mod file;
mod headers;
mod json;
pub mod limits;
mod load;
mod params;
mod pattern;
mod problem;
mod route;
mod rules;
pub mod set;
pub mod url;

pub use deployed::{Call, Deployed, Fallback, Headers, Method};
pub use file::{CallFile, FallbackFile, OpenFile, PolicyFile, ProbeFile, Route, TripFile, schema};
pub use load::{Policy, load, load_dir, parse};
pub use params::{InvalidParams, InvalidPattern, Params};
pub use pattern::{Pattern, PatternError};
pub use problem::{Problem, Refused};
pub use route::{InvalidPath, Segment};
