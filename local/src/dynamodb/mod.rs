//! The table of circuits: an embedded DynamoDB, or another one behind an endpoint.
//!
//! Both have an HTTP endpoint, which the functions' SDK and forwarded requests use. The read on the healthy path of each
//! call goes to the embedded database directly: it takes some tens of microseconds in memory, less than handing it to
//! another thread would.

mod connection;
mod embedded;
mod error;
mod table;

use http::Request;
use hyper::body::Incoming;
use serde_json::Value;

use crate::http::{Reply, StopReceiver};

use connection::Connection;
use embedded::Embedded;
pub(crate) use error::DynamoDbError;
pub(crate) use table::TableError;

/// A DynamoDB that answers.
#[derive(Debug)]
pub(crate) struct DynamoDb {
    connection: Connection,
    embedded: Option<Embedded>,
}

/// Why there is no DynamoDB.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The embedded database can't be made, or has no port to listen on.
    #[error("the embedded DynamoDB can't be started: {0}")]
    Embedded(String),
    /// The endpoint is none that can be used.
    #[error("--dynamodb-endpoint {endpoint}: {problem}, allowed: http://HOST:PORT")]
    Endpoint {
        /// As it was given.
        endpoint: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl DynamoDb {
    /// Starts an embedded database in memory, with an endpoint on a free loopback port.
    pub(crate) async fn embed(stop: StopReceiver) -> Result<Self, OpenError> {
        let (embedded, endpoint) = Embedded::start(stop).await.map_err(OpenError::Embedded)?;
        let connection = Connection::to(&endpoint).map_err(OpenError::Embedded)?;
        Ok(Self {
            connection,
            embedded: Some(embedded),
        })
    }

    /// Uses another DynamoDB; nothing is sent yet.
    pub(crate) fn at(endpoint: &str) -> Result<Self, OpenError> {
        let refuse = |problem| OpenError::Endpoint {
            endpoint: endpoint.to_owned(),
            problem,
        };
        Ok(Self {
            connection: Connection::to(endpoint).map_err(refuse)?,
            embedded: None,
        })
    }

    /// The endpoint for an SDK.
    pub(crate) fn endpoint(&self) -> &str {
        self.connection.endpoint()
    }

    /// One operation, as `DynamoDB_20120810.OPERATION`.
    ///
    /// # Errors
    /// DynamoDB refused it, or gave no answer.
    pub(crate) async fn call(&self, operation: &str, parameters: Value) -> Result<Value, DynamoDbError> {
        if let (Some(embedded), "GetItem") = (&self.embedded, operation)
            && let Some(answer) = embedded.get_item(&parameters)
        {
            return answer;
        }
        self.connection.call(operation, &parameters).await
    }

    /// Hands a request of an SDK on as it is, and its answer back.
    pub(crate) async fn forward(&self, request: Request<Incoming>) -> Reply {
        self.connection.forward(request).await
    }
}
