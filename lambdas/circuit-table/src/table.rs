//! The table: one update at a time, and procedures driven by it.

use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use breaker::attribute::Attributes;
use breaker::clock::Timestamp;
use breaker::procedure::{Next, Procedure};
use breaker::update::{Update, Written};

use crate::attribute::{UnknownType, item_from_sdk};
use crate::connection::{half_the_time, repeated_once};
use crate::expression::Expressions;

/// The table's key.
pub(crate) const KEY: &str = "circuit";

/// Why a write came to nothing that is known. It may have been made all the same.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// DynamoDB did not answer, or with an error other than a refused condition.
    #[error("the update of circuit {circuit} failed ({code})")]
    Failed {
        /// The circuit.
        circuit: String,
        /// DynamoDB's code, or what kept its answer from us.
        code: String,
        /// The SDK's own words.
        source: Box<SdkError<UpdateItemError>>,
    },
    /// The item can't be read.
    #[error("the item of circuit {circuit} can't be read")]
    Unreadable {
        /// The circuit.
        circuit: String,
        /// Why.
        source: UnknownType,
    },
}

/// The table of circuits.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) name: String,
}

impl Table {
    /// The table of this name, through this client.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    /// The table of this name, for a command: with a configuration that was loaded elsewhere. As for a function, no write
    /// is repeated.
    pub fn configured(config: &SdkConfig, name: impl Into<String>) -> Self {
        let config = Builder::from(config).retry_config(RetryConfig::disabled()).build();
        Self::new(Client::from_conf(config), name)
    }

    /// Makes one conditional update of a circuit's item.
    ///
    /// # Errors
    /// [`StoreError`]. A refused condition is no error.
    pub async fn write(&self, circuit: &str, update: &Update) -> Result<Written, StoreError> {
        let expressions = Expressions::of(update);
        let request = (self.client.update_item())
            .table_name(&self.name)
            .key(KEY, AttributeValue::S(circuit.to_owned()))
            .set_condition_expression(expressions.condition)
            .update_expression(expressions.update)
            .set_expression_attribute_names(Some(expressions.names))
            .set_expression_attribute_values(Some(expressions.values).filter(|values| !values.is_empty()))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize();
        let request = if update.repeatable {
            request.config_override(
                Builder::new()
                    .retry_config(repeated_once())
                    .timeout_config(half_the_time()),
            )
        } else {
            request
        };
        let item = |item: Option<_>| {
            let read = item_from_sdk(item.unwrap_or_default());
            read.map(without_key).map_err(|source| StoreError::Unreadable {
                circuit: circuit.to_owned(),
                source,
            })
        };
        match request.send().await {
            Ok(answer) => Ok(Written::Applied(item(answer.attributes)?)),
            Err(SdkError::ServiceError(refused)) if refused.err().is_conditional_check_failed_exception() => {
                match refused.into_err() {
                    UpdateItemError::ConditionalCheckFailedException(refused) => {
                        Ok(Written::Refused(item(refused.item)?))
                    }
                    _ => Ok(Written::Refused(Attributes::new())),
                }
            }
            Err(error) => Err(StoreError::Failed {
                circuit: circuit.to_owned(),
                code: code_of(&error),
                source: Box::new(error),
            }),
        }
    }

    /// Runs a procedure to its end on a circuit's item.
    ///
    /// # Errors
    /// [`StoreError`]: the write under way failed, and with it the procedure; nothing is repeated blindly.
    pub async fn drive<P: Procedure>(
        &self,
        circuit: &str,
        mut procedure: P,
        now: impl Fn() -> Timestamp,
    ) -> Result<P::Answer, StoreError> {
        let mut next = procedure.begin(now());
        loop {
            match next {
                Next::Done(answer) => return Ok(answer),
                Next::Write(update) => {
                    let written = self.write(circuit, &update).await?;
                    next = procedure.resume(written, now());
                }
            }
        }
    }
}

/// The key is on every stored item and in no update: without it an item is what the breaker makes of it.
pub(crate) fn without_key(mut item: Attributes) -> Attributes {
    item.remove(KEY);
    item
}

pub(crate) fn code_of<E: ProvideErrorMetadata>(error: &SdkError<E>) -> String {
    match error {
        SdkError::TimeoutError(_) => "no answer in time".to_owned(),
        SdkError::DispatchFailure(_) => "not reachable".to_owned(),
        other => other.code().unwrap_or("no usable answer").to_owned(),
    }
}
