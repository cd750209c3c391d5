//! The one HTTP client of the tests, and AWS's JSON protocol on it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::signature::Signer;

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

/// A service of AWS behind an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    client: reqwest::Client,
    endpoint: String,
    /// What it is signed for.
    name: &'static str,
    /// What stands before the operation: `DynamoDB_20120810`, `AWSStepFunctions`.
    target: &'static str,
    /// Signs requests, where that is looked at.
    signer: Option<Arc<Signer>>,
}

impl Service {
    pub(crate) fn dynamodb(client: reqwest::Client, endpoint: impl Into<String>) -> Self {
        Self {
            client,
            endpoint: endpoint.into(),
            name: "dynamodb",
            target: "DynamoDB_20120810",
            signer: None,
        }
    }

    pub(crate) fn step_functions(client: reqwest::Client, endpoint: impl Into<String>) -> Self {
        Self {
            client,
            endpoint: endpoint.into(),
            name: "states",
            target: "AWSStepFunctions",
            signer: None,
        }
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The same service, with signed requests.
    pub(crate) fn signed(self, signer: Arc<Signer>) -> Self {
        Self {
            signer: Some(signer),
            ..self
        }
    }

    /// One operation that has to succeed.
    pub(crate) async fn call(&self, operation: &str, parameters: &Value) -> anyhow::Result<Value> {
        self.call_at(&self.endpoint, operation, parameters).await
    }

    /// StartSyncExecution, which AWS has under a host name of its own.
    pub(crate) async fn start_sync(&self, parameters: &Value) -> anyhow::Result<Value> {
        let endpoint = match self.signer {
            Some(_) => self.endpoint.replacen("://", "://sync-", 1),
            None => self.endpoint.clone(),
        };
        self.call_at(&endpoint, "StartSyncExecution", parameters).await
    }

    async fn call_at(&self, endpoint: &str, operation: &str, parameters: &Value) -> anyhow::Result<Value> {
        let body = parameters.to_string();
        let mut headers = vec![
            ("content-type".to_owned(), "application/x-amz-json-1.0".to_owned()),
            ("x-amz-target".to_owned(), format!("{}.{operation}", self.target)),
        ];
        match &self.signer {
            Some(signer) => headers.extend(signer.sign(self.name, endpoint, &headers, &body)?),
            None => {
                headers.push(("x-amz-date".to_owned(), "20250101T000000Z".to_owned()));
                headers.push(("authorization".to_owned(), UNVERIFIED.to_owned()));
            }
        }
        let mut request = self.client.post(endpoint);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let answer = request.body(body).send().await;
        let answer = answer.with_context(|| format!("{operation} at {endpoint}"))?;
        let (status, text) = (answer.status(), answer.text().await?);
        if !status.is_success() {
            bail!("{operation} at {endpoint}: {status} {text}");
        }
        serde_json::from_str(&text).with_context(|| format!("{operation} at {endpoint}: {text}"))
    }
}
