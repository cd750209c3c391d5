//! What the system is started with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use states_language::Observer;

use crate::sfn_local::StepFunctionsLocal;

/// How the system is set up. [`Config::new`] has the defaults of the command line, but takes any free ports.
#[derive(Clone)]
pub struct Config {
    /// The directory with one policy per circuit. Without one there are no circuits, and neither functions nor a table are
    /// set up.
    pub circuits: Option<PathBuf>,
    /// Another definition than the shipped one.
    pub definition: Option<PathBuf>,
    /// Where the functions' executables are; by default beside the running executable (for a test: above `deps`).
    pub lambdas: Option<PathBuf>,
    /// The front door's port on 127.0.0.1; 0 takes any free one, and so does a system without circuits.
    pub port: u16,
    /// The port for AWS SDKs and the CLI on 127.0.0.1; 0 takes any free one.
    pub aws_port: u16,
    /// Another DynamoDB than the embedded one: `http://HOST:PORT`. Its table is made if it is missing.
    pub dynamodb_endpoint: Option<String>,
    /// The table's name.
    pub table: String,
    /// How many invocations of each function may run at once; at least 1.
    pub max_concurrency: usize,
    /// The region of every ARN.
    pub region: String,
    /// The account of every ARN: twelve digits.
    pub account: String,
    /// Whether EXPRESS executions are unknown afterwards, as on AWS. Otherwise they can be described and listed and have a
    /// history, as STANDARD ones.
    pub strict: bool,
    /// Whether, and how, it stands in for Step Functions Local too.
    pub step_functions_local: Option<StepFunctionsLocal>,
    /// Variables that every function gets besides those that Lambda sets.
    pub function_variables: Vec<(String, String)>,
    /// Hears of every execution's steps.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Config {
    /// The account when nobody says.
    pub const ACCOUNT: &'static str = "000000000000";
    /// The region when nobody says.
    pub const REGION: &'static str = "us-east-1";
    /// The table's name when nobody says.
    pub const TABLE: &'static str = "stepbreaker-circuits";
    /// Enough that calls of 1,000 callers, 50 of them at once, never meet the limit. Each process has some megabytes.
    pub const MAX_CONCURRENCY: usize = 250;

    /// The defaults, with these circuits, on free ports.
    pub fn new(circuits: impl Into<PathBuf>) -> Self {
        Self {
            circuits: Some(circuits.into()),
            ..Self::without_circuits()
        }
    }

    /// The defaults without any circuits, on free ports.
    #[must_use]
    pub fn without_circuits() -> Self {
        Self {
            circuits: None,
            definition: None,
            lambdas: None,
            port: 0,
            aws_port: 0,
            dynamodb_endpoint: None,
            table: Self::TABLE.to_owned(),
            max_concurrency: Self::MAX_CONCURRENCY,
            region: Self::REGION.to_owned(),
            account: Self::ACCOUNT.to_owned(),
            strict: false,
            step_functions_local: None,
            function_variables: Vec::new(),
            observer: None,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("circuits", &self.circuits)
            .field("port", &self.port)
            .field("aws_port", &self.aws_port)
            .field("dynamodb_endpoint", &self.dynamodb_endpoint)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
