//! `stepbreaker-policy`: checks policies, alone and together, and tells what is deployed of them.
//!
//! The CDK app runs it at synth, so that a policy is refused there with the words that it is refused with locally. Prints
//! one JSON list, an object per circuit; or the problems on standard error, one a line, and exits with 2.

#![allow(clippy::print_stdout, reason = "what it prints is what it is run for")]

mod circuit;
mod source;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use policy::definition::Names;

use circuit::Circuit;
use source::{Given, policies};

/// Checks policies, alone and together, and tells as JSON what is deployed of them.
#[derive(Debug, Parser)]
#[command(name = "stepbreaker-policy", version)]
struct Arguments {
    /// Policy files, or one directory of them; `-` reads a JSON list of {"file", "text"} from standard input.
    #[arg(required = true)]
    policies: Vec<PathBuf>,
    /// The workflow's definition, to be bound to each policy; its names are left as `{{CircuitsTable}}` and so on.
    #[arg(long)]
    definition: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            // What a person wrote is refused with 2, as other tools do with arguments.
            match error.downcast_ref::<policy::Refused>() {
                Some(_) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let given = Given::of(&arguments.policies)?;
    let policies = policies(&given)?;
    let definition = match &arguments.definition {
        Some(file) => Some(std::fs::read_to_string(file).with_context(|| file.display().to_string())?),
        None => None,
    };
    let circuits: Vec<Circuit> = policies
        .into_iter()
        .map(|policy| Circuit::of(policy, definition.as_deref(), &names()))
        .collect::<anyhow::Result<_>>()?;
    println!("{}", serde_json::to_string(&circuits)?);
    Ok(())
}

/// Names that whoever deploys knows only later.
fn names() -> Names {
    let later = |name: &str| format!("{{{{{name}}}}}");
    Names {
        circuits_table: later("CircuitsTable"),
        call_partner_function: later("CallPartnerFunction"),
        acquire_probe_function: later("AcquireProbeFunction"),
        record_outcome_function: later("RecordOutcomeFunction"),
    }
}
