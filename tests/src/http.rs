//! The one HTTP client of the tests, and AWS's JSON protocol on it.

use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

/// Longer than any request of a case may take: the machine's own limit is 28 s.
const LIMIT: Duration = Duration::from_secs(40);
/// A local endpoint looks at the form of a signature and never at its truth.
pub(crate) const UNVERIFIED: &str = "AWS4-HMAC-SHA256 Credential=tests/20250101/us-east-1/any/aws4_request, \
                          SignedHeaders=host;x-amz-date;x-amz-target, Signature=0";

/// A client with a pool of connections, each time the same one for a runtime's own sake.
pub(crate) fn client() -> anyhow::Result<reqwest::Client> {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        // It fails when there is one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    Ok(reqwest::Client::builder().no_proxy().timeout(LIMIT).build()?)
}

/// A service of AWS behind an endpoint, unsigned.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    client: reqwest::Client,
    endpoint: String,
    /// What stands before the operation: `DynamoDB_20120810`, `AWSStepFunctions`.
    target: &'static str,
}

impl Service {
    pub(crate) fn dynamodb(client: reqwest::Client, endpoint: impl Into<String>) -> Self {
        Self {
            client,
            endpoint: endpoint.into(),
            target: "DynamoDB_20120810",
        }
    }

    pub(crate) fn step_functions(client: reqwest::Client, endpoint: impl Into<String>) -> Self {
        Self {
            client,
            endpoint: endpoint.into(),
            target: "AWSStepFunctions",
        }
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// One operation that has to succeed.
    pub(crate) async fn call(&self, operation: &str, parameters: &Value) -> anyhow::Result<Value> {
        let answer = self
            .client
            .post(&self.endpoint)
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", format!("{}.{operation}", self.target))
            .header("x-amz-date", "20250101T000000Z")
            .header("authorization", UNVERIFIED)
            .body(parameters.to_string())
            .send()
            .await
            .with_context(|| format!("{operation} at {}", self.endpoint))?;
        let (status, text) = (answer.status(), answer.text().await?);
        if !status.is_success() {
            bail!("{operation} at {}: {status} {text}", self.endpoint);
        }
        serde_json::from_str(&text).with_context(|| format!("{operation} at {}: {text}", self.endpoint))
    }
}
