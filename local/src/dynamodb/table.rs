//! The table: found, or made.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{DynamoDb, DynamoDbError};

/// How long a table may take to become active.
const ACTIVE_LIMIT: Duration = Duration::from_secs(30);

/// Why there is no table that can be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    /// No DynamoDB, or it refuses.
    #[error(transparent)]
    Call(#[from] DynamoDbError),
    /// There is one of that name with another key.
    #[error("the table {table} has another key than circuit (a string)")]
    OtherKey {
        /// Its name.
        table: String,
    },
    /// It was made and does not become active.
    #[error("the table {table} did not become active within {} s", ACTIVE_LIMIT.as_secs())]
    NotActive {
        /// Its name.
        table: String,
    },
}

impl DynamoDb {
    /// Sees to it that the table of circuits exists: key `circuit` (S), on demand, TTL on `expiresAt`.
    pub(crate) async fn ensure_table(&self, table: &str) -> Result<(), TableError> {
        match self.describe(table).await? {
            Some(found) if has_our_key(&found) => return Ok(()),
            Some(_) => {
                return Err(TableError::OtherKey {
                    table: table.to_owned(),
                });
            }
            None => {}
        }
        let definition = json!({
            "TableName": table,
            "AttributeDefinitions": [{ "AttributeName": "circuit", "AttributeType": "S" }],
            "KeySchema": [{ "AttributeName": "circuit", "KeyType": "HASH" }],
            "BillingMode": "PAY_PER_REQUEST",
        });
        match self.call("CreateTable", definition).await {
            // Somebody else made it in the meantime.
            Err(DynamoDbError::Refused { name, .. }) if name == "ResourceInUseException" => {}
            other => drop(other?),
        }
        self.wait_until_active(table).await?;
        let ttl = json!({ "Enabled": true, "AttributeName": "expiresAt" });
        let request = json!({ "TableName": table, "TimeToLiveSpecification": ttl });
        if let Err(error) = self.call("UpdateTimeToLive", request).await {
            // Clean-up of dead circuits only: no decision depends on it.
            tracing::warn!(table, %error, "TTL on expiresAt could not be switched on");
        }
        Ok(())
    }

    async fn describe(&self, table: &str) -> Result<Option<Value>, DynamoDbError> {
        match self.call("DescribeTable", json!({ "TableName": table })).await {
            Ok(described) => Ok(Some(described)),
            Err(DynamoDbError::Refused { name, .. }) if name == "ResourceNotFoundException" => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn wait_until_active(&self, table: &str) -> Result<(), TableError> {
        let deadline = Instant::now() + ACTIVE_LIMIT;
        while Instant::now() < deadline {
            let found = self.describe(table).await?;
            if found.is_some_and(|found| found["Table"]["TableStatus"] == "ACTIVE") {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err(TableError::NotActive {
            table: table.to_owned(),
        })
    }
}

fn has_our_key(described: &Value) -> bool {
    let table = &described["Table"];
    let ours = json!([{ "AttributeName": "circuit", "KeyType": "HASH" }]);
    let is_string = |attribute: &Value| attribute["AttributeName"] == "circuit" && attribute["AttributeType"] == "S";
    table["KeySchema"] == ours
        && table["AttributeDefinitions"]
            .as_array()
            .is_some_and(|attributes| attributes.iter().any(is_string))
}
