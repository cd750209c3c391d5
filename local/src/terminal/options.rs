//! The command line.

use std::path::PathBuf;

use clap::Parser;
use stepbreaker_local::Config;

use super::LogFormat;

/// Runs the whole circuit breaker on this machine: front door, workflow engine, DynamoDB and Lambdas.
#[derive(Debug, Parser)]
#[command(name = "stepbreaker-local", version)]
pub(crate) struct Options {
    /// The directory with one policy file per circuit
    #[arg(long, value_name = "DIR", default_value = "statemachine/circuits")]
    circuits: PathBuf,
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
    /// The region of every ARN
    #[arg(long, value_name = "REGION", env = "AWS_REGION", default_value = Config::REGION)]
    region: String,
}

impl Options {
    pub(crate) fn config(self) -> Config {
        let json = self.log_format == LogFormat::Json;
        Config {
            definition: self.definition,
            lambdas: self.lambdas,
            port: self.port,
            aws_port: self.aws_port,
            dynamodb_endpoint: self.dynamodb_endpoint,
            table: self.table,
            max_concurrency: self.max_concurrency,
            region: self.region,
            function_variables: json
                .then(|| ("AWS_LAMBDA_LOG_FORMAT".to_owned(), "JSON".to_owned()))
                .into_iter()
                .collect(),
            ..Config::new(self.circuits)
        }
    }
}
