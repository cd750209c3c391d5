//! `stepbreaker-local`: the whole system in one process.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a terminal")]

mod terminal;

use std::process::ExitCode;

use clap::Parser;
use stepbreaker_local::{StartError, System};
use tokio::signal::unix::{Signal, SignalKind, signal};

use terminal::{Options, announce, start_log};

/// What could not be used: an option, a policy, a port, an executable, a DynamoDB.
const REFUSED: u8 = 2;

fn main() -> ExitCode {
    let options = Options::parse();
    if let Err(problem) = start_log(options.log_format) {
        return refuse(&problem);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("stepbreaker-local: no threads to run on: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

fn refuse(problem: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("stepbreaker-local: {problem}");
    ExitCode::from(REFUSED)
}

async fn run(options: Options) -> Result<(), StartError> {
    // From here on neither signal ends the process before its children.
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        tracing::error!("signals can't be handled");
        return Ok(());
    };
    let format = options.log_format;
    let system = tokio::select! {
        system = System::start(options.config()) => system?,
        // A start may wait for long, for a DynamoDB elsewhere say; dropping it kills every child.
        () = asked_to_stop(&mut interrupt, &mut terminate) => return Ok(()),
    };
    announce(&system, format);
    asked_to_stop(&mut interrupt, &mut terminate).await;
    tracing::info!("stopping");
    tokio::select! {
        () = system.stop() => {}
        // Asked a second time, it waits no longer; dropping the runtime still kills every child.
        () = asked_to_stop(&mut interrupt, &mut terminate) => {}
    }
    Ok(())
}

async fn asked_to_stop(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
