//! `dynamodb:getItem`, `putItem`, `updateItem`, `deleteItem`.
//!
//! Result and errors: <https://docs.aws.amazon.com/step-functions/latest/dg/connect-ddb.html>.

use serde_json::Value;
use states_language::TaskError;

use super::sdk;
use crate::dynamodb::{DynamoDb, DynamoDbError};

/// The exceptions that the SDK has a class for; anything else, a `ValidationException` too, is its base class.
const MODELLED: [(&str, &str); 7] = [
    ("ConditionalCheckFailedException", "ConditionalCheckFailedException"),
    ("InternalServerError", "InternalServerErrorException"),
    (
        "ItemCollectionSizeLimitExceededException",
        "ItemCollectionSizeLimitExceededException",
    ),
    (
        "ProvisionedThroughputExceededException",
        "ProvisionedThroughputExceededException",
    ),
    ("RequestLimitExceeded", "RequestLimitExceededException"),
    ("ResourceNotFoundException", "ResourceNotFoundException"),
    ("TransactionConflictException", "TransactionConflictException"),
];

pub(super) async fn run(dynamodb: &DynamoDb, operation: &str, parameters: Value) -> Result<Value, TaskError> {
    let mut result = dynamodb.call(operation, parameters).await.map_err(task_error)?;
    if let Value::Object(fields) = &mut result {
        sdk::add_metadata(fields, &uuid::Uuid::new_v4().simple().to_string());
    }
    Ok(result)
}

pub(super) fn task_error(error: DynamoDbError) -> TaskError {
    match error {
        DynamoDbError::Refused {
            name,
            message,
            status,
            request_id,
        } => {
            let modelled = MODELLED.iter().find(|(code, _)| *code == name);
            let class = modelled.map_or("AmazonDynamoDBException", |(_, class)| *class);
            let cause = sdk::cause(&message, "AmazonDynamoDBv2", status, &name, &request_id);
            TaskError::new(format!("DynamoDB.{class}"), cause)
        }
        DynamoDbError::Unreachable { reason } => TaskError::new(
            "DynamoDB.SdkClientException",
            format!("Unable to execute HTTP request: {reason}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str) -> TaskError {
        task_error(DynamoDbError::Refused {
            name: name.to_owned(),
            message: "No.".to_owned(),
            status: 400,
            request_id: "ID".to_owned(),
        })
    }

    #[test]
    fn a_refused_condition_has_its_own_name_and_a_bad_request_the_base_class() {
        assert_eq!(
            refused("ConditionalCheckFailedException").error,
            "DynamoDB.ConditionalCheckFailedException"
        );
        assert_eq!(
            refused("ProvisionedThroughputExceededException")
                .error
                .split('.')
                .nth(1)
                .unwrap()
                .len(),
            38
        );
        let validation = refused("ValidationException");
        assert_eq!(validation.error, "DynamoDB.AmazonDynamoDBException");
        assert_eq!(
            validation.cause,
            "No. (Service: AmazonDynamoDBv2; Status Code: 400; Error Code: ValidationException; Request ID: ID; Proxy: null)"
        );
    }

    #[test]
    fn no_answer_is_an_error_of_the_client() {
        let error = task_error(DynamoDbError::Unreachable {
            reason: "Connection refused".to_owned(),
        });
        assert_eq!(
            error,
            TaskError::new(
                "DynamoDB.SdkClientException",
                "Unable to execute HTTP request: Connection refused"
            )
        );
    }
}
