//! `stepbreaker`: shows circuits to the person who runs them, and does what that person says. The same against AWS, the
//! local system, and whatever else stands in for AWS.

mod call;
mod circuits;
mod connection;
mod error;
mod forcing;
mod history;
mod identity;
mod machine;
mod options;
mod paint;
mod period;
mod policies;
mod report;
mod screen;
mod standing;
mod status;
mod sync_host;
mod text;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use breaker::item::Override;
use clap::{CommandFactory, Parser};
use clap_complete::Shell;

use crate::error::CommandError;
use crate::options::{Command, Options};

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2)
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return end(&CommandError::Output(error), None),
    };
    let asked = connection::asked(&options.connection);
    match runtime.block_on(run(options)) {
        Ok(code) => code,
        Err(error) => end(&error, asked),
    }
}

async fn run(options: Options) -> Result<ExitCode, CommandError> {
    let connection = &options.connection;
    match &options.command {
        Command::Status(options) => status::status(connection, options).await?,
        Command::Open(options) => forcing::set(connection, options, Override::Open).await?,
        Command::Close(options) => forcing::set(connection, options, Override::Closed).await?,
        Command::DryRun(options) => forcing::set(connection, options, Override::DryRun).await?,
        Command::Auto(options) => forcing::auto(connection, options).await?,
        Command::Reset(options) => forcing::close_anew(connection, options).await?,
        Command::Call(options) => return call::call(connection, options).await,
        Command::Validate(options) => return policies::validate(options),
        Command::Policy(options) => policies::deployed(connection, &options.circuit).await?,
        Command::History(options) => history::history(connection, options).await?,
        Command::Completions { shell } => complete(*shell)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn complete(shell: Shell) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Options::command(), "stepbreaker", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

fn end(error: &CommandError, asked: Option<String>) -> ExitCode {
    // Whoever reads our output may have gone, as `head` does: that is no trouble.
    if let CommandError::Output(output) = error
        && output.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let of_a_service = matches!(error, CommandError::Service { .. } | CommandError::Unread(_));
    let asked = asked.filter(|_| of_a_service).map(|asked| format!(" (asked: {asked})"));
    let _ = writeln!(std::io::stderr(), "stepbreaker: {error}{}", asked.unwrap_or_default());
    error.exit_code()
}
