//! What Step Functions refuses, under AWS's names.

use states_language::InvalidDefinition;

use super::INPUT_LIMIT;

/// A refusal. Names: <https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html>.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum StepFunctionsError {
    #[error("Invalid Arn: '{problem}'")]
    InvalidArn { problem: String },
    #[error("Invalid Name: '{name}'")]
    InvalidName { name: String },
    #[error(transparent)]
    InvalidDefinition(#[from] InvalidDefinition),
    #[error("Invalid State Machine Definition: '{problem}'")]
    NotTestable { problem: String },
    #[error("Invalid State Machine Execution Input: '{problem}'")]
    InvalidExecutionInput { problem: String },
    #[error("Invalid Token: 'Invalid token'")]
    InvalidToken,
    #[error("State Machine Does Not Exist: '{arn}'")]
    MachineDoesNotExist { arn: String },
    #[error("Resource not found: '{arn}'")]
    ResourceNotFound { arn: String },
    #[error("A resource has {limit} tags at most: '{arn}'")]
    TooManyTags { arn: String, limit: usize },
    #[error("State Machine Already Exists: '{arn}'")]
    MachineAlreadyExists { arn: String },
    #[error("The state machine was changed by another request at the same time: '{arn}'")]
    Conflict { arn: String },
    #[error("This operation is not supported by this type of state machine")]
    MachineTypeNotSupported,
    #[error("The maximum number of state machines ({limit}) has been reached")]
    MachineLimitExceeded { limit: usize },
    #[error("Execution Already Exists: '{arn}'")]
    ExecutionAlreadyExists { arn: String },
    #[error("Execution Does Not Exist: '{arn}'")]
    ExecutionDoesNotExist { arn: String },
    #[error("The maximum number of running executions ({limit}) has been reached")]
    ExecutionLimitExceeded { limit: usize },
    #[error(
        "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified"
    )]
    MissingRequiredParameter,
    #[error("1 validation error detected: {problem}")]
    Validation { problem: String },
    #[error("{problem}")]
    Serialization { problem: String },
    #[error("The operation {operation} is not supported here")]
    UnknownOperation { operation: String },
}

impl StepFunctionsError {
    /// The exception's name, `__type` on the wire.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::InvalidArn { .. } => "InvalidArn",
            Self::InvalidName { .. } => "InvalidName",
            Self::InvalidDefinition(_) | Self::NotTestable { .. } => "InvalidDefinition",
            Self::InvalidExecutionInput { .. } => "InvalidExecutionInput",
            Self::InvalidToken => "InvalidToken",
            Self::MachineDoesNotExist { .. } => "StateMachineDoesNotExist",
            Self::ResourceNotFound { .. } => "ResourceNotFound",
            Self::TooManyTags { .. } => "TooManyTags",
            Self::MachineAlreadyExists { .. } => "StateMachineAlreadyExists",
            Self::Conflict { .. } => "ConflictException",
            Self::MachineTypeNotSupported => "StateMachineTypeNotSupported",
            Self::MachineLimitExceeded { .. } => "StateMachineLimitExceeded",
            Self::ExecutionAlreadyExists { .. } => "ExecutionAlreadyExists",
            Self::ExecutionDoesNotExist { .. } => "ExecutionDoesNotExist",
            Self::ExecutionLimitExceeded { .. } => "ExecutionLimitExceeded",
            Self::MissingRequiredParameter => "MissingRequiredParameter",
            Self::Validation { .. } => "ValidationException",
            Self::Serialization { .. } => "SerializationException",
            Self::UnknownOperation { .. } => "UnknownOperationException",
        }
    }

    /// A required field that is not there.
    pub(super) fn missing(field: &str) -> Self {
        Self::constraint(field, "Member must not be null")
    }

    /// A field that does not have what is allowed.
    pub(super) fn constraint(field: &str, constraint: &str) -> Self {
        Self::Validation {
            problem: format!("Value at '{field}' failed to satisfy constraint: {constraint}"),
        }
    }

    /// A text with more characters than its field takes.
    pub(super) fn too_long(field: &str, limit: usize) -> Self {
        Self::constraint(field, &format!("Member must have length less than or equal to {limit}"))
    }

    /// An input past [`INPUT_LIMIT`].
    pub(super) fn input_too_long() -> Self {
        Self::too_long("input", INPUT_LIMIT)
    }
}
