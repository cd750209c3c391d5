//! `validate`: policies against every rule, alone and as a set. `policy`: what is deployed of a circuit.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use policy::{Policy, Problem};

use crate::circuits::Circuits;
use crate::connection::Connection;
use crate::error::CommandError;
use crate::options::{ConnectionOptions, ValidateOptions};
use crate::text::safe_json;

const CANT_BE_USED: u8 = 7;

/// Checks files, and directories of files, as whoever deploys does. Everything that is wrong is printed, not just the first.
///
/// # Errors
/// Standard output can't be written to.
pub(crate) fn validate(options: &ValidateOptions) -> Result<ExitCode, CommandError> {
    let mut problems = Vec::new();
    let mut policies: Vec<Policy> = Vec::new();
    for path in &options.files {
        let loaded = if path.is_dir() {
            policy::load_dir(path)
        } else {
            policy::load(path).map(|policy| vec![policy])
        };
        match loaded {
            Ok(loaded) => policies.extend(loaded),
            Err(refused) => problems.extend(refused.problems),
        }
    }
    // Each file once, however often it is named: by itself, and with its directory.
    let mut seen: Vec<PathBuf> = Vec::new();
    policies.retain(|policy| {
        let file = policy.file.canonicalize().unwrap_or_else(|_| policy.file.clone());
        let is_new = !seen.contains(&file);
        seen.push(file);
        is_new
    });
    if let Err(refused) = policy::set::check(&policies, Path::new("the set")) {
        for problem in refused.problems {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    report(&policies, &problems)
}

fn report(policies: &[Policy], problems: &[Problem]) -> Result<ExitCode, CommandError> {
    if problems.is_empty() {
        let names: Vec<_> = policies.iter().map(Policy::circuit).collect();
        let circuits = if names.len() == 1 { "circuit" } else { "circuits" };
        writeln!(std::io::stdout(), "{} {circuits}: {}", names.len(), names.join(", "))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut err = std::io::stderr().lock();
    for problem in problems {
        writeln!(err, "{problem}")?;
    }
    Ok(CANT_BE_USED.into())
}

/// Prints the policy that a circuit's machine carries, with all defaults filled in.
///
/// # Errors
/// The circuit is not deployed, or Step Functions can't be asked.
pub(crate) async fn deployed(connection: &ConnectionOptions, circuit: &str) -> Result<(), CommandError> {
    let connected = Connection::open(connection).await?;
    let circuits = Circuits::find(&connected, connection.table.as_deref()).await?;
    let machine = circuits.deployed(circuit)?;
    Ok(writeln!(
        std::io::stdout(),
        "{}",
        safe_json(&format!("{:#}", machine.policy))
    )?)
}
