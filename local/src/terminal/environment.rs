//! The environment variables of Step Functions Local
//! (<https://docs.aws.amazon.com/step-functions/latest/dg/sfn-local-config-options.html>).

/// Those that are set and mean something here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    pub(super) lambda_endpoint: Option<String>,
    pub(super) dynamodb_endpoint: Option<String>,
    pub(super) mock_config: Option<String>,
    pub(super) region: Option<String>,
    pub(super) account: Option<String>,
}

/// Those that mean nothing here, and do no harm.
const UNUSED: [&str; 9] = [
    "BATCH_ENDPOINT",
    "ECS_ENDPOINT",
    "EVENTS_ENDPOINT",
    "GLUE_ENDPOINT",
    "SAGE_MAKER_ENDPOINT",
    "SNS_ENDPOINT",
    "SQS_ENDPOINT",
    "STEP_FUNCTIONS_ENDPOINT",
    "WAIT_TIME_SCALE",
];

impl Environment {
    /// Reads them. An empty one is as if it were not set.
    pub(super) fn read() -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        for name in UNUSED.into_iter().filter(|name| variable(name).is_some()) {
            tracing::warn!(name, "this variable of Step Functions Local has no effect here");
        }
        Self {
            lambda_endpoint: variable("LAMBDA_ENDPOINT"),
            dynamodb_endpoint: variable("DYNAMODB_ENDPOINT"),
            mock_config: variable("SFN_MOCK_CONFIG"),
            region: variable("AWS_DEFAULT_REGION"),
            account: variable("AWS_ACCOUNT_ID"),
        }
    }
}
