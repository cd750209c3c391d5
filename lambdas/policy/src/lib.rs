//! The policy file of a circuit: fields, defaults, ranges, and what is refused.
//!
//! One file per circuit, `statemachine/circuits/NAME.json`, is read by whoever deploys, by the local system and by the
//! tests, all of them through this crate. [`load`] and [`load_dir`] refuse a policy that can't work, with every problem
//! at once: the file, the field, the value it had and what is allowed. What an execution needs of it is [`Deployed`];
//! [`definition::bind`] puts it into the workflow's definition. [`Params::check`] checks a request's parameters, in the
//! front door and again in the caller, as [`body::check`] does a body; [`url::Template`] and [`body::fill`] fill them in.

pub mod body;
mod call;
mod check;
pub mod definition;
mod deployed;
mod fields;
mod file;
mod headers;
mod json;
pub mod limits;
mod load;
pub mod media_type;
mod method;
mod params;
mod pattern;
mod problem;
mod query;
mod route;
mod rules;
mod secret;
pub mod set;
pub mod url;

pub use body::{Body, BodyFile, InvalidBody};
pub use deployed::{Call, Deployed, Fallback, Headers};
pub use file::{CallFile, FallbackFile, OpenFile, PolicyFile, ProbeFile, Route, TripFile, schema};
pub use load::{Policy, load, load_dir, parse};
pub use method::Method;
pub use params::{InvalidParams, InvalidPattern, Params};
pub use pattern::{Pattern, PatternError};
pub use problem::{Problem, Refused};
pub use route::{InvalidPath, Segment};
pub use secret::SecretHeader;
