//! `lambda:invoke`.
//!
//! Result and errors: <https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html>.

use bytes::Bytes;
use serde_json::{Map, Value};
use states_language::TaskError;

use super::sdk;
use crate::lambda_host::{Invocation, InvokeError, LambdaHost};

pub(super) async fn run(lambda: &LambdaHost, parameters: &Value) -> Result<Value, TaskError> {
    let Some(function) = parameters["FunctionName"].as_str() else {
        return Err(invalid("FunctionName must be a string"));
    };
    match &parameters["InvocationType"] {
        Value::Null => {}
        Value::String(kind) if kind == "RequestResponse" => {}
        _ => return Err(invalid("InvocationType: only RequestResponse is supported here")),
    }
    let payload = parameters
        .get("Payload")
        .map_or_else(|| "{}".to_owned(), Value::to_string);
    match lambda.invoke(function, Bytes::from(payload)).await {
        Ok(invocation) if invocation.failed => Err(function_error(&invocation.payload)),
        Ok(invocation) => result(&invocation),
        Err(error) => Err(service_error(&error)),
    }
}

fn result(invocation: &Invocation) -> Result<Value, TaskError> {
    let payload: Value = serde_json::from_slice(&invocation.payload).map_err(|_| unknown("it is no JSON"))?;
    let mut result = Map::new();
    result.insert("ExecutedVersion".to_owned(), "$LATEST".into());
    result.insert("Payload".to_owned(), payload);
    sdk::add_metadata(&mut result, &invocation.request_id);
    result.insert("StatusCode".to_owned(), 200.into());
    Ok(Value::Object(result))
}

/// The function's own error: its `errorType` is the name, its whole text the cause.
fn function_error(payload: &[u8]) -> TaskError {
    let error: Value = serde_json::from_slice(payload).unwrap_or_default();
    match error["errorType"].as_str() {
        Some(name) if !name.is_empty() => TaskError::new(name, String::from_utf8_lossy(payload)),
        _ => unknown("it has no errorType"),
    }
}

fn unknown(why: &str) -> TaskError {
    let cause = "The cause could not be determined because Lambda did not return an error type";
    TaskError::new("Lambda.Unknown", format!("{cause}: {why}"))
}

fn service_error(error: &InvokeError) -> TaskError {
    let request_id = uuid::Uuid::new_v4().to_string();
    let cause = sdk::cause(
        &error.to_string(),
        "AWSLambda",
        error.status(),
        error.name(),
        &request_id,
    );
    TaskError::new(format!("Lambda.{}", error.name()), cause)
}

fn invalid(why: &str) -> TaskError {
    TaskError::new("Lambda.ValidationException", why)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_functions_error_keeps_its_name_and_its_whole_text() {
        let text = r#"{"errorType":"Stepbreaker.BadPayload","errorMessage":"no policy"}"#;
        assert_eq!(
            function_error(text.as_bytes()),
            TaskError::new("Stepbreaker.BadPayload", text)
        );
    }

    #[test]
    fn an_error_without_a_name_is_unknown() {
        for payload in ["{}", r#"{"errorType":""}"#, r#"{"errorType":3}"#, "text", ""] {
            assert_eq!(function_error(payload.as_bytes()).error, "Lambda.Unknown", "{payload}");
        }
    }

    #[test]
    fn service_errors_have_the_services_prefix() {
        let limit = InvokeError::TooManyRequests {
            function: "f".to_owned(),
            limit: 1,
        };
        assert_eq!(service_error(&limit).error, "Lambda.TooManyRequestsException");
        assert_eq!(
            service_error(&InvokeError::NotFound { arn: "a".to_owned() }).error,
            "Lambda.ResourceNotFoundException"
        );
    }

    #[test]
    fn the_result_has_the_payload_as_json_and_awss_fields_around_it() {
        let invocation = Invocation {
            request_id: "ID".to_owned(),
            payload: "{\"a\":1}".into(),
            failed: false,
        };
        let result = result(&invocation).unwrap();
        let fields: Vec<_> = result.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "ExecutedVersion",
                "Payload",
                "SdkHttpMetadata",
                "SdkResponseMetadata",
                "StatusCode"
            ]
        );
        assert_eq!(result["Payload"], json!({ "a": 1 }));
        assert_eq!(result["SdkHttpMetadata"]["HttpStatusCode"], 200);
        assert_eq!(result["SdkResponseMetadata"]["RequestId"], "ID");
    }
}
