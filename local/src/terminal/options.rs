//! The command line.

use std::path::PathBuf;

use clap::Parser;
use stepbreaker_local::{Config, StepFunctionsLocal};

use super::LogFormat;
use super::environment::Environment;

/// The variables that stand for no option.
const VARIABLES: &str = "\
Environment:
  SECRETS_FILE  A JSON file with the values of the policies' secretHeaders, by the names of their secrets and parameters:
                {\"wholesaler/api\": {\"token\": \"…\"}, \"/wholesaler/shop\": \"…\"}
  RUST_LOG      What to log [default: info,dynoxide=error]; the functions' own lines: info,dynoxide=error,lambda=debug
  NO_COLOR      If it is set, nothing is coloured";

/// Runs the whole circuit breaker on this machine: front door, workflow engine, DynamoDB and Lambdas.
#[derive(Debug, Parser)]
#[command(name = "stepbreaker-local", version, after_help = VARIABLES)]
pub(crate) struct Options {
    /// The directory with one policy file per circuit [default: statemachine/circuits; with --sfn-local: no circuits]
    #[arg(long, value_name = "DIR")]
    circuits: Option<PathBuf>,
    /// The front door's port on 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    /// The port for AWS SDKs and the CLI on 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = 4566)]
    aws_port: u16,
    /// Another DynamoDB instead of the embedded one; its table is made if it is missing
    #[arg(long, value_name = "URL")]
    dynamodb_endpoint: Option<String>,
    /// The table's name
    #[arg(long, value_name = "NAME", default_value = Config::TABLE)]
    table: String,
    /// How many invocations of each function may run at once
    #[arg(long, value_name = "N", default_value_t = Config::MAX_CONCURRENCY)]
    max_concurrency: usize,
    /// How to write the log, and what says that the system is ready
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Where the functions' executables are [default: beside this one]
    #[arg(long, value_name = "DIR")]
    lambdas: Option<PathBuf>,
    /// Another definition than the shipped one
    #[arg(long, value_name = "FILE")]
    definition: Option<PathBuf>,
    /// The region of every ARN [default: us-east-1; with --sfn-local: AWS_DEFAULT_REGION, if it is set]
    #[arg(long, value_name = "REGION", env = "AWS_REGION")]
    region: Option<String>,
    /// Describe, list and tell the history of STANDARD executions alone, as AWS does
    #[arg(long)]
    strict: bool,
    /// Stand in for Step Functions Local too, and read its environment variables: LAMBDA_ENDPOINT, DYNAMODB_ENDPOINT,
    /// SFN_MOCK_CONFIG, AWS_DEFAULT_REGION, AWS_ACCOUNT_ID
    #[arg(long)]
    sfn_local: bool,
    /// Where to stand in for it on 127.0.0.1; 0 takes any free port
    #[arg(long, value_name = "PORT", default_value_t = StepFunctionsLocal::PORT, requires = "sfn_local")]
    sfn_local_port: u16,
}

impl Options {
    pub(crate) fn config(self) -> Config {
        let json = self.log_format == LogFormat::Json;
        let Environment {
            lambda_endpoint,
            dynamodb_endpoint,
            mock_config,
            region,
            account,
        } = if self.sfn_local {
            Environment::read()
        } else {
            Environment::default()
        };
        let usual_account = if self.sfn_local {
            StepFunctionsLocal::ACCOUNT
        } else {
            Config::ACCOUNT
        };
        let step_functions_local = self.sfn_local.then_some(StepFunctionsLocal {
            port: self.sfn_local_port,
            lambda_endpoint,
            mock_config: mock_config.map(PathBuf::from),
        });
        let usual_circuits = || (!self.sfn_local).then(|| PathBuf::from("statemachine/circuits"));
        Config {
            circuits: self.circuits.or_else(usual_circuits),
            strict: self.strict,
            step_functions_local,
            account: account.unwrap_or_else(|| usual_account.to_owned()),
            definition: self.definition,
            lambdas: self.lambdas,
            port: self.port,
            aws_port: self.aws_port,
            dynamodb_endpoint: self.dynamodb_endpoint.or(dynamodb_endpoint),
            table: self.table,
            max_concurrency: self.max_concurrency,
            region: self.region.or(region).unwrap_or_else(|| Config::REGION.to_owned()),
            function_variables: json
                .then(|| ("AWS_LAMBDA_LOG_FORMAT".to_owned(), "JSON".to_owned()))
                .into_iter()
                .collect(),
            ..Config::without_circuits()
        }
    }
}
