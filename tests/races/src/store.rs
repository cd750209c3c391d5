//! The table: embedded, and a real one to everybody who uses it.

use breaker::attribute::{Attribute, Attributes};
use breaker::item::Item;
use circuit_table::Table;
use dynoxide::Database;
use serde_json::json;

#[path = "../../../lambdas/circuit-table/tests/embedded/mod.rs"]
mod embedded;

/// The table of circuits. Writes go the way that production takes, by the SDK and HTTP.
#[derive(Clone)]
pub struct Store {
    /// For conditional updates.
    pub table: Table,
    database: Database,
}

impl Store {
    /// An empty table of its own.
    pub async fn start() -> Self {
        let (client, database) = embedded::start().await;
        Self {
            table: Table::new(client, embedded::TABLE),
            database,
        }
    }

    /// The item of a circuit as the workflow reads it; empty where there is none.
    pub fn read(&self, circuit: &str) -> Item {
        let request = json!({ "TableName": embedded::TABLE, "Key": { embedded::KEY: { "S": circuit } } });
        let answer = self
            .database
            .get_item(serde_json::from_value(request).unwrap())
            .unwrap();
        let answer = serde_json::to_value(answer).unwrap();
        let mut item: Attributes = match answer.get("Item") {
            Some(item) => serde_json::from_value(item.clone()).unwrap(),
            None => Attributes::new(),
        };
        item.remove(embedded::KEY);
        item.into()
    }

    /// Stores an item as it is.
    pub fn put(&self, circuit: &str, item: &Item) {
        let mut item = item.attributes().clone();
        item.insert(embedded::KEY.to_owned(), Attribute::string(circuit));
        let request = json!({ "TableName": embedded::TABLE, "Item": item });
        self.database
            .put_item(serde_json::from_value(request).unwrap())
            .unwrap();
    }
}
