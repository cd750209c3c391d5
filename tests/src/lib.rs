//! What the engine tests, the cases and the model share.

mod answer;
mod case;
mod case_file;
mod circuit;
mod coverage;
mod deadline;
mod engine;
mod expectation;
mod function_maker;
mod given;
mod http;
mod nonce;
mod policy_file;
mod remote;
mod runner;
mod scene;
mod shared_circuit;
mod signature;
mod stack;
mod state_probe;
mod step;
mod store_proxy;
mod trial;

pub use answer::Answer;
pub use coverage::{Coverage, Report};
pub use runner::{Summary, run, run_made};
pub use scene::Scene;
pub use state_probe::{ProbedState, probe_states};
