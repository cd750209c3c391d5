//! `call.secretHeaders`: headers whose values are secrets. A policy says where a value is kept, never what it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the value of a header is kept: in `secret` or in `parameter`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretHeader {
    /// The name or ARN of a secret of Secrets Manager.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 2048))]
    pub secret: Option<String>,
    /// The name or ARN of a SecureString of SSM's Parameter Store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 2048))]
    pub parameter: Option<String>,
    /// What is kept is a JSON object, and the value is this field of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 256))]
    pub field: Option<String>,
    /// What stands before the value: `"Bearer "`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub prefix: Option<String>,
}
