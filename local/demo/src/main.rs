//! The demo: an outage, told on a terminal and checked against the partner's own log.
// It is made to be read on a terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod answer;
mod checks;
mod circuit;
mod front_door;
mod story;
mod summary;
mod system;
mod terminal;

use std::{path::PathBuf, process::ExitCode, time::Instant};

use anyhow::Context as _;
use clap::Parser;
use scripted_partner::{Behaviour, Partner};
use tokio::signal::unix::{SignalKind, signal};

use crate::{circuit::Circuit, front_door::FrontDoor, story::Twists, system::System, terminal::Terminal};

/// Shows what the breaker does in an outage of its partner, and checks the story against the partner's own log.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Proof that the checks check: the recovered partner fails the first probe, and the demo must fail.
    #[arg(long)]
    fail_first_probe: bool,
    /// Proof that the checks check: somebody else's request reaches the partner during the wait, and the demo must fail.
    #[arg(long)]
    stray_request: bool,
    /// The system to show [default: the `stepbreaker-local` beside this program]
    #[arg(long)]
    system: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match show(&arguments).await {
        Ok(Ending::True) => ExitCode::SUCCESS,
        Ok(Ending::NotTrue) => ExitCode::FAILURE,
        // What a shell expects of a program that was interrupted.
        Ok(Ending::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

enum Ending {
    True,
    NotTrue,
    Interrupted,
}

async fn show(arguments: &Arguments) -> anyhow::Result<Ending> {
    let began = Instant::now();
    let mut terminate = signal(SignalKind::terminate())?;
    let partner = Partner::start(Behaviour::healthy()).context("can't start the partner")?;
    let circuit = Circuit::protecting(&partner).context("can't write the policy")?;
    let program = match &arguments.system {
        Some(program) => program.clone(),
        None => system::beside_this_program()?,
    };
    let mut system = System::spawn(&program, circuit.folder())?;
    let told = tokio::select! {
        told = tell(arguments, &partner, &mut system, began) => told.map(Some),
        interrupted = tokio::signal::ctrl_c() => interrupted.map(|()| None).context("can't wait for Ctrl-C"),
        _ = terminate.recv() => Ok(None),
    };
    // Whatever happened, the child goes first: it must not outlive the demo.
    let said = system.stop().await;
    if matches!(told, Ok(Some(false)) | Err(_)) && !said.is_empty() {
        eprintln!("\nThe last lines that the system wrote:\n{said}");
    }
    Ok(match told? {
        Some(true) => Ending::True,
        Some(false) => Ending::NotTrue,
        None => Ending::Interrupted,
    })
}

/// Tells the story; says whether it is true.
async fn tell(arguments: &Arguments, partner: &Partner, system: &mut System, began: Instant) -> anyhow::Result<bool> {
    let terminal = Terminal::new();
    terminal.title("Stepbreaker: a partner's outage, in a few seconds");
    let addresses = system.ready().await?;
    let front_door = FrontDoor::new(&addresses.front_door)?;
    terminal.fact(
        "the system",
        &format!("{}  (AWS APIs: {})", addresses.front_door, addresses.aws),
    );
    terminal.fact(
        "the partner",
        &format!("{}  (scripted; its log has the last word)", partner.url("")),
    );
    terminal.fact("the policy", &circuit::in_words());
    let twists = Twists {
        fail_first_probe: arguments.fail_first_probe,
        stray_request: arguments.stray_request,
    };
    let started = began.elapsed();
    let story = story::tell(terminal, partner, &front_door, twists).await?;
    let log = partner.log();
    summary::print(terminal, &story, &log, started);
    Ok(checks::print(terminal, &checks::all(&story, &log)))
}
