//! `lambda:invoke`, and a function's own ARN as a `Resource`.
//!
//! Result and errors: <https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html>.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};
use states_language::TaskError;

use super::{LambdaEndpoint, sdk};
use crate::lambda_host::{Invocation, InvokeError, LambdaHost};

/// The functions that a Task can reach: those of the host, and the others behind an endpoint, if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    pub(crate) host: Arc<LambdaHost>,
    pub(crate) others: Option<Arc<LambdaEndpoint>>,
}

/// Whether a `Resource` is a function's ARN.
pub(super) fn is_function(resource: &str) -> bool {
    let mut parts = resource.splitn(7, ':');
    let mut next = || parts.next().unwrap_or_default();
    let (arn, _, lambda, _, _, kind, name) = (next(), next(), next(), next(), next(), next(), next());
    (arn, lambda, kind) == ("arn", "lambda", "function") && !name.is_empty()
}

impl Functions {
    /// `lambda:invoke`: the answer is the payload with what AWS puts around it.
    pub(super) async fn invoke(&self, parameters: &Value) -> Result<Value, TaskError> {
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
        result(&self.run(function, payload).await?)
    }

    /// A function's ARN as the `Resource`: the parameters are the payload, the answer is the result.
    pub(super) async fn call(&self, arn: &str, parameters: &Value) -> Result<Value, TaskError> {
        payload(&self.run(arn, parameters.to_string()).await?)
    }

    async fn run(&self, function: &str, payload: String) -> Result<Invocation, TaskError> {
        let payload = Bytes::from(payload);
        let invocation = match (self.host.invoke(function, payload.clone()).await, &self.others) {
            (Err(InvokeError::NotFound { .. }), Some(others)) => others.invoke(function, payload).await?,
            (invoked, _) => invoked.map_err(|error| service_error(&error))?,
        };
        if invocation.failed {
            Err(function_error(&invocation.payload))
        } else {
            Ok(invocation)
        }
    }
}

fn payload(invocation: &Invocation) -> Result<Value, TaskError> {
    serde_json::from_slice(&invocation.payload).map_err(|_| unknown("it is no JSON"))
}

fn result(invocation: &Invocation) -> Result<Value, TaskError> {
    let payload = payload(invocation)?;
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
    fn a_function_is_known_by_its_arn() {
        for (resource, expected) in [
            ("arn:aws:lambda:eu-west-1:000000000000:function:f", true),
            ("arn:aws:lambda:eu-west-1:000000000000:function:f:7", true),
            ("arn:aws:lambda:eu-west-1:000000000000:function:", false),
            ("arn:aws:lambda:eu-west-1:000000000000:layer:f", false),
            ("arn:aws:states:::lambda:invoke", false),
        ] {
            assert_eq!(is_function(resource), expected, "{resource}");
        }
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
