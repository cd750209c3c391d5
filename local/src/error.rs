//! Why the system can't be started.

use std::io;
use std::path::PathBuf;

use crate::circuits::{CircuitError, MissingExecutable, SecretsError};
use crate::dynamodb::{OpenError, TableError};
use crate::sfn_local::MockConfigError;

/// One clear line, except for policies: a line for each thing that is wrong with one.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StartError(#[from] Cause);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    #[error("--max-concurrency 0, allowed: at least 1")]
    NoConcurrency,
    #[error("the region {region:?}, allowed: lower-case letters, digits and -")]
    Region { region: String },
    #[error("the account {account:?}, allowed: twelve digits")]
    Account { account: String },
    #[error(transparent)]
    MockConfig(#[from] MockConfigError),
    #[error("LAMBDA_ENDPOINT {endpoint}: {problem}, allowed: http://HOST:PORT")]
    LambdaEndpoint { endpoint: String, problem: String },
    #[error(transparent)]
    Circuits(#[from] CircuitError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error("--definition {}: {source}", .file.display())]
    Definition { file: PathBuf, source: io::Error },
    #[error(transparent)]
    Executable(#[from] MissingExecutable),
    #[error("{flag} {port}: {}", .source.kind_of_trouble())]
    Port {
        flag: &'static str,
        port: u16,
        source: io::Error,
    },
    #[error(transparent)]
    DynamoDb(#[from] OpenError),
    #[error("DynamoDB at {endpoint}: {source}")]
    Table { endpoint: String, source: TableError },
}

trait Trouble {
    fn kind_of_trouble(&self) -> String;
}

impl Trouble for io::Error {
    fn kind_of_trouble(&self) -> String {
        match self.kind() {
            io::ErrorKind::AddrInUse => "the port is in use; choose another one, or 0 for any that is free".to_owned(),
            io::ErrorKind::PermissionDenied => {
                "the port needs rights that you don't have; choose one above 1023".to_owned()
            }
            _ => self.to_string(),
        }
    }
}
