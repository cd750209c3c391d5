//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use policy::{Pattern, limits};
use url::Url;

use crate::text;

const EXIT_STATUS: &str = "\
Exit status:
  0  done; of `call`: the partner answered; of `validate`: every policy can be used
  1  AWS, or what stands in for it, did not answer or refused
  2  an argument, or the configuration, is not allowed
  3  there is no such circuit, and nobody said to go on
  4  the circuit changed since it was shown: nothing was written
  5  `call`: answered without the partner; `x-circuit` says why
  6  `call`: the execution failed or timed out, and the customer would get an error
  7  `validate`: a policy, or the set, can't be used";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Shows circuit breakers to the person who runs them, and does what that person says.
#[derive(Debug, Parser)]
#[command(name = "stepbreaker", version, after_help = EXIT_STATUS, styles = STYLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where the circuits are.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Where the circuits are")]
pub(crate) struct ConnectionOptions {
    /// Something that stands in for AWS, such as http://localhost:4566 of `make local` [default: AWS_ENDPOINT_URL and
    /// AWS_ENDPOINT_URL_DYNAMODB, _SFN, _STS; without them AWS]
    #[arg(long, global = true, value_name = "URL", value_parser = endpoint, value_hint = ValueHint::Url)]
    pub(crate) endpoint: Option<Url>,
    /// The table of circuits [default: the one that the circuits' machines read]
    #[arg(long, global = true, value_name = "NAME", env = "CIRCUITS_TABLE", value_parser = table)]
    pub(crate) table: Option<String>,
    /// The region [default: AWS_REGION, or the profile's]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) region: Option<String>,
    /// The profile of ~/.aws that has the credentials [default: AWS_PROFILE, and what else the SDKs look for]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows circuits: their state, failures, and since when
    Status(StatusOptions),
    /// Forces a circuit open: nobody calls the partner, everybody gets the fallback
    Open(ForceOptions),
    /// Forces a circuit closed: everybody calls the partner, and nothing is recorded
    Close(ForceOptions),
    /// Records and probes as usual, but calls where it would have refused
    DryRun(ForceOptions),
    /// Lifts what was forced: the breaker decides again, from where it stands
    Auto(LiftOptions),
    /// Closes a circuit and forgets its failures; what was forced stays
    Reset(LiftOptions),
    /// Calls a circuit once, and prints what the front door would answer
    Call(CallOptions),
    /// Checks policies against every rule, each alone and all as a set
    Validate(ValidateOptions),
    /// Prints the policy as the workflow holds it; that is no policy file
    Policy(PolicyOptions),
    /// Prints the transitions that were announced, and where one is missing
    History(HistoryOptions),
    /// Prints a shell's completions, as in `source <(stepbreaker completions bash)`
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct StatusOptions {
    /// One circuit, with all that is known of it [default: a table of all]
    #[arg(value_parser = circuit)]
    pub(crate) circuit: Option<String>,
    /// Prints JSON; with --watch an object per change
    #[arg(long)]
    pub(crate) json: bool,
    /// Goes on until Ctrl-C: redrawn in place on a terminal, otherwise a line per change of a state
    #[arg(long)]
    pub(crate) watch: bool,
    /// How often to look, with --watch: 100ms to 1h
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = pace, requires = "watch")]
    pub(crate) every: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct ForceOptions {
    #[command(flatten)]
    pub(crate) on: LiftOptions,
    /// Ends by itself after this time: 1s to 365d, as in 90s, 10m, 2h30m [default: until `auto`]
    #[arg(long = "for", value_name = "TIME", value_parser = length)]
    pub(crate) lasts: Option<Duration>,
    /// Why, for whoever looks at the circuit next: up to 200 characters
    #[arg(long, value_name = "TEXT", value_parser = remark)]
    pub(crate) reason: Option<String>,
    /// Who says so: up to 200 characters [default: USER; on AWS the credentials' identity is put beside it]
    #[arg(long, value_name = "NAME", value_parser = remark)]
    pub(crate) by: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LiftOptions {
    /// The circuit
    #[arg(value_parser = circuit)]
    pub(crate) circuit: String,
    /// Only if the circuit still has the epoch that `status` showed
    #[arg(long, value_name = "EPOCH")]
    pub(crate) if_epoch: Option<u64>,
    /// Goes on without asking, also with a circuit that is not found
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallOptions {
    /// The circuit
    #[arg(value_parser = circuit)]
    pub(crate) circuit: String,
    /// Its parameters, as in isbn=9783161484100
    #[arg(value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) params: Vec<(String, String)>,
    /// The body, of a circuit that passes bodies on
    #[arg(long, value_name = "TEXT")]
    pub(crate) body: Option<String>,
    /// Prints the states that the execution passed too, with their times, and why it failed, on standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateOptions {
    /// Policy files, or directories of them
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyOptions {
    /// The circuit
    #[arg(value_parser = circuit)]
    pub(crate) circuit: String,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryOptions {
    /// The circuit
    #[arg(value_parser = circuit)]
    pub(crate) circuit: String,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn parameter(given: &str) -> Result<(String, String), String> {
    match given.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("allowed: NAME=VALUE, as in isbn=9783161484100".to_owned()),
    }
}

fn endpoint(given: &str) -> Result<Url, String> {
    match Url::parse(given) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err("allowed: http:// or https://, a host, and a port".to_owned()),
    }
}

fn table(given: &str) -> Result<String, String> {
    let is_name = |text: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        (3..=255).contains(&text.len()) && text.bytes().all(allowed)
    };
    // An ARN names a table too, and its last part is held to the same rule.
    let name = match given.strip_prefix("arn:") {
        Some(rest) => rest.rsplit('/').next().unwrap_or_default(),
        None => given,
    };
    if is_name(name) {
        Ok(given.to_owned())
    } else {
        Err("allowed: a table's name of 3 to 255 letters, digits and _.-, or its ARN".to_owned())
    }
}

pub(crate) fn circuit(given: &str) -> Result<String, String> {
    let pattern = Pattern::parse(limits::CIRCUIT).map_err(|error| error.to_string())?;
    if pattern.accepts(given) {
        Ok(given.to_owned())
    } else {
        Err(format!("allowed: {}", limits::CIRCUIT))
    }
}

fn duration(given: &str, least: Duration, most: Duration, allowed: &str) -> Result<Duration, String> {
    match humantime::parse_duration(given) {
        Ok(duration) if (least..=most).contains(&duration) => Ok(duration),
        _ => Err(format!("allowed: {allowed}")),
    }
}

fn length(given: &str) -> Result<Duration, String> {
    let (least, most) = (Duration::from_secs(1), Duration::from_secs(365 * 24 * 3600));
    duration(
        given,
        least,
        most,
        "a time from 1s to 365d with its unit, as in 90s, 10m, 2h30m, 7d",
    )
}

fn pace(given: &str) -> Result<Duration, String> {
    let (least, most) = (Duration::from_millis(100), Duration::from_secs(3600));
    duration(
        given,
        least,
        most,
        "a time from 100ms to 1h with its unit, as in 500ms, 2s",
    )
}

fn remark(given: &str) -> Result<String, String> {
    let length = given.chars().count();
    if (1..=200).contains(&length) && text::is_printable(given) {
        Ok(given.to_owned())
    } else {
        Err("allowed: 1 to 200 characters on one line, none of them a control character".to_owned())
    }
}
