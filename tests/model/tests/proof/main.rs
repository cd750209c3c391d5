//! The protocol, proven: the laws hold in every interleaving, and the model finds what breaks them.
#![allow(clippy::expect_used, reason = "helpers of tests may fail as tests do")]

mod document;
mod explored;
mod laws;
mod recovery;
mod refuted;
mod removed;
mod workflow;
