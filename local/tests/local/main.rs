//! The local system: its parts over their own ports, and the command.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in a helper too"
)]

mod aws_port;
mod cases;
mod command;
mod common;
mod executions;
mod front_door;
mod lambda_host;
mod refusals;
mod sfn_local;

#[test]
#[ignore = "it is the function that the other tests run"]
fn scripted_function() {
    common::scripted_function::run();
}
