//! The environment of a function's process: what Lambda sets, and nothing of the host's own but a short list.

use std::net::SocketAddr;

use super::FunctionSpec;

/// Variables of the host that a child gets too: its certificates, the file that takes the place of Secrets Manager, its
/// log filter, and coverage of tests.
/// `HOME`, `AWS_PROFILE` and the like are not among them, so a function can't pick up real credentials.
const HANDED_ON: [&str; 6] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SECRETS_FILE",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "LLVM_PROFILE_FILE",
];

/// What all functions of a host have in common.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The region of ARNs, and `AWS_REGION`.
    pub region: String,
    /// The account of ARNs: twelve digits.
    pub account: String,
    /// Variables that every function gets, such as `AWS_ENDPOINT_URL`.
    pub variables: Vec<(String, String)>,
}

impl Surroundings {
    /// The ARN of a function.
    pub(crate) fn arn(&self, function: &str) -> String {
        format!("arn:aws:lambda:{}:{}:function:{function}", self.region, self.account)
    }

    /// The whole environment of one process, later entries replacing earlier ones.
    ///
    /// Source: <https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html>.
    pub(super) fn of(&self, spec: &FunctionSpec, runtime_api: SocketAddr) -> Vec<(String, String)> {
        let mut variables = vec![
            ("AWS_LAMBDA_RUNTIME_API", runtime_api.to_string()),
            ("AWS_LAMBDA_FUNCTION_NAME", spec.name.clone()),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST".to_owned()),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", spec.memory_mb.to_string()),
            ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand".to_owned()),
            ("AWS_LAMBDA_LOG_GROUP_NAME", format!("/aws/lambda/{}", spec.name)),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "local".to_owned()),
            ("AWS_REGION", self.region.clone()),
            ("AWS_DEFAULT_REGION", self.region.clone()),
            ("AWS_ACCESS_KEY_ID", "local".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "local".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
            ("_HANDLER", "bootstrap".to_owned()),
            ("LANG", "en_US.UTF-8".to_owned()),
            ("TZ", ":UTC".to_owned()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect::<Vec<_>>();
        variables.extend(
            HANDED_ON
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))),
        );
        variables.extend(self.variables.iter().cloned());
        variables.extend(spec.variables.iter().cloned());
        variables
    }
}
