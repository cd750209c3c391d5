//! One pooled client for the requests that the local system forwards (to a DynamoDB or a Lambda endpoint).

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client as PooledClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The most that DynamoDB answers is 16 MB; anything longer is not DynamoDB.
const ANSWER_LIMIT: usize = 17 * 1024 * 1024;

/// Why a forwarded request got no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// No connection, or it broke before the head of an answer.
    #[error("no answer: {0}")]
    Unreachable(#[from] hyper_util::client::legacy::Error),
    /// The answer broke off or is larger than any that is expected.
    #[error("the answer could not be read to its end")]
    BadAnswer,
}

/// Why there is no answer, in a word: the pooled client hides it (`Connection refused`) in its error's sources.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A client that keeps its connections.
#[derive(Clone, Debug)]
pub(crate) struct Client(PooledClient<HttpConnector, Full<Bytes>>);

impl Client {
    /// A client without any connection yet.
    pub(crate) fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(std::time::Duration::from_secs(3)));
        Self(PooledClient::builder(TokioExecutor::new()).build(connector))
    }

    /// Sends one request and reads its whole answer.
    ///
    /// # Errors
    /// [`ClientError`] when there is no complete answer; any status is an answer.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, ClientError> {
        let (head, body) = self.0.request(request).await?.into_parts();
        let body = Limited::new(body, ANSWER_LIMIT)
            .collect()
            .await
            .map_err(|_| ClientError::BadAnswer)?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}
