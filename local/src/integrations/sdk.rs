//! What AWS adds to the result of an optimised integration: the metadata of the SDK call.

use serde_json::{Map, Value, json};

/// Adds `SdkHttpMetadata` and `SdkResponseMetadata` to a result. Of the headers, only the request's id is given.
pub(super) fn add_metadata(result: &mut Map<String, Value>, request_id: &str) {
    let http = json!({
        "AllHttpHeaders": { "x-amzn-RequestId": [request_id] },
        "HttpHeaders": { "x-amzn-RequestId": request_id },
        "HttpStatusCode": 200,
    });
    result.insert("SdkHttpMetadata".to_owned(), http);
    result.insert("SdkResponseMetadata".to_owned(), json!({ "RequestId": request_id }));
}

/// A service's error in the words of the SDK that Step Functions uses.
pub(super) fn cause(message: &str, service: &str, status: u16, code: &str, request_id: &str) -> String {
    format!(
        "{message} (Service: {service}; Status Code: {status}; Error Code: {code}; Request ID: {request_id}; Proxy: null)"
    )
}
