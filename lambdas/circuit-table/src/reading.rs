//! Reading items, for whoever shows them to a person. The workflow reads by itself, and the functions never do: they are
//! handed what it read.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;

use aws_config::retry::RetryConfig;
use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::AttributeValue;
use breaker::attribute::Attributes;
use breaker::item::Item;

use crate::attribute::{UnknownType, item_from_sdk};
use crate::table::{KEY, Table, code_of, without_key};

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// DynamoDB did not answer, or with an error.
    #[error("table {table} can't be read ({code})")]
    Failed {
        /// The table.
        table: String,
        /// DynamoDB's code, or what kept its answer from us.
        code: String,
        /// The SDK's own words.
        source: Box<dyn Error + Send + Sync>,
    },
    /// An item can't be read.
    #[error("an item of table {table} can't be read")]
    Unreadable {
        /// The table.
        table: String,
        /// Why.
        source: UnknownType,
    },
}

impl Table {
    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A circuit's item as it is at this moment; none where there is none.
    ///
    /// # Errors
    /// [`ReadError`]
    pub async fn read(&self, circuit: &str) -> Result<Option<Item>, ReadError> {
        let request = (self.client.get_item())
            .table_name(&self.name)
            .key(KEY, AttributeValue::S(circuit.to_owned()))
            .consistent_read(true);
        let answer = request.customize().config_override(patient()).send().await;
        let item = answer.map_err(|error| self.failed(error))?.item;
        item.map(|item| self.item(item).map(|(_, item)| item)).transpose()
    }

    /// Every circuit that has an item, by its name.
    ///
    /// # Errors
    /// [`ReadError`]
    pub async fn list(&self) -> Result<BTreeMap<String, Item>, ReadError> {
        let mut found = BTreeMap::new();
        let mut start = None;
        loop {
            let request = (self.client.scan())
                .table_name(&self.name)
                .consistent_read(true)
                .set_exclusive_start_key(start);
            let answer = request.customize().config_override(patient()).send().await;
            let page = answer.map_err(|error| self.failed(error))?;
            for item in page.items.unwrap_or_default() {
                let (circuit, item) = self.item(item)?;
                found.insert(circuit, item);
            }
            start = page.last_evaluated_key.filter(|key| !key.is_empty());
            if start.is_none() {
                return Ok(found);
            }
        }
    }

    fn item(&self, item: HashMap<String, AttributeValue>) -> Result<(String, Item), ReadError> {
        let read = item_from_sdk(item).map_err(|source| ReadError::Unreadable {
            table: self.name.clone(),
            source,
        })?;
        Ok((name_of(&read), without_key(read).into()))
    }

    fn failed<E>(&self, error: SdkError<E>) -> ReadError
    where
        E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    {
        ReadError::Failed {
            table: self.name.clone(),
            code: code_of(&error),
            source: Box::new(error),
        }
    }
}

/// A read may be repeated.
fn patient() -> Builder {
    Builder::new().retry_config(RetryConfig::standard())
}

/// The key is a string in every table of ours.
fn name_of(item: &Attributes) -> String {
    let name = item.get(KEY).and_then(|name| name.as_str());
    name.unwrap_or_default().to_owned()
}
