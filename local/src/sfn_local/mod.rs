//! Step Functions Local's manners: its port, its environment variables and its mock configuration file, for who has tests
//! that were written against it.
//!
//! Sources: <https://docs.aws.amazon.com/step-functions/latest/dg/sfn-local-config-options.html> and
//! <https://docs.aws.amazon.com/step-functions/latest/dg/sfn-local-mock-cfg-file.html>.

mod mock_config;
mod mocked;
mod response;

use std::path::PathBuf;

pub(crate) use mock_config::{MockConfig, MockConfigError, TestCase};
pub(crate) use mocked::Mocked;

/// How the system stands in for Step Functions Local.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepFunctionsLocal {
    /// The port beside the usual one on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    /// Where functions are invoked that are none of the circuits': `http://HOST:PORT`.
    pub lambda_endpoint: Option<String>,
    /// The mock configuration file.
    pub mock_config: Option<PathBuf>,
}

impl StepFunctionsLocal {
    /// Step Functions Local's own port.
    pub const PORT: u16 = 8083;
    /// The account of its ARNs, which tests often have spelled out.
    pub const ACCOUNT: &'static str = "123456789012";
}
