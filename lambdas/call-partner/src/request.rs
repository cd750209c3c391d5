//! The request that a policy makes of parameters and body.

use policy::Call;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Method, Request, Url};

use crate::idempotency;
use function::error::Error;

/// Builds the request, without the headers that are secrets.
///
/// # Errors
/// [`Error::BadPayload`]: the policy's URL or headers can't be sent, which a loaded policy's can; or there is no execution
/// to name in a call that may change something.
pub fn build(call: &Call, url: &str, body: Option<String>, execution: Option<&str>) -> Result<Request, Error> {
    let bad = |what: &str| Error::BadPayload { what: what.to_owned() };
    let url = Url::parse(url).map_err(|_| bad("policy.call.url is no URL"))?;
    let method = Method::from_bytes(call.method.as_str().as_bytes()).map_err(|_| bad("policy.call.method is none"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in &call.headers.0 {
        let name = HeaderName::try_from(name).map_err(|_| bad("policy.call.headers has a name that is none"))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|_| bad("policy.call.headers has a value that can't be sent"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    if !call.method.is_safe() {
        let execution = execution.ok_or_else(|| bad("missing field `execution`"))?;
        headers.insert(idempotency::HEADER, idempotency::key(execution));
    }
    let has_content = body.as_ref().is_some_and(|body| !body.is_empty());
    if !has_content && [Method::POST, Method::PUT, Method::PATCH].contains(&method) {
        // These usually bring something, so a partner may ask for the length of nothing too (RFC 9110, 8.6).
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    let mut request = Request::new(method, url);
    if let Some(body) = body {
        headers
            .entry(CONTENT_TYPE)
            .or_insert(HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(Body::from(body));
    }
    *request.headers_mut() = headers;
    Ok(request)
}
