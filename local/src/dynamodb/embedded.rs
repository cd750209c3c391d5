//! The embedded database.

use std::fmt;

use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::{Database, DynoxideError};
use serde_json::Value;

use super::DynamoDbError;
use crate::http::{Server, StopReceiver, stopped};

/// A DynamoDB in this process's memory.
pub(super) struct Embedded(Database);

impl Embedded {
    /// Makes it and serves it on a free loopback port until `stop`; also gives its endpoint.
    pub(super) async fn start(mut stop: StopReceiver) -> Result<(Self, String), String> {
        let database = Database::memory().map_err(|error| error.to_string())?;
        let server = Server::bind(0).await.map_err(|error| error.to_string())?;
        let endpoint = format!("http://{}", server.address());
        let served = database.clone();
        tokio::spawn(async move {
            let stop = async move { stopped(&mut stop).await };
            if let Err(error) = dynoxide::server::serve_with_shutdown(server.into_listener(), served, stop).await {
                tracing::error!(error, "the embedded DynamoDB stopped");
            }
        });
        Ok((Self(database), endpoint))
    }

    /// `GetItem` without a detour through HTTP. None for parameters that it can't read: the endpoint words that better.
    pub(super) fn get_item(&self, parameters: &Value) -> Option<Result<Value, DynamoDbError>> {
        let request: GetItemRequest = serde::Deserialize::deserialize(parameters).ok()?;
        Some(match self.0.get_item(request) {
            Ok(response) => serde_json::to_value(response).map_err(|error| internal(&error)),
            Err(error) => Err(refused(&error)),
        })
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embedded")
    }
}

fn refused(error: &DynoxideError) -> DynamoDbError {
    DynamoDbError::Refused {
        name: super::connection::short_name(error.error_type()),
        message: error.to_string(),
        status: error.status_code(),
        request_id: uuid::Uuid::new_v4().to_string(),
    }
}

fn internal(error: &serde_json::Error) -> DynamoDbError {
    DynamoDbError::Unreachable {
        reason: error.to_string(),
    }
}
