//! The HTTP client: one call, one deadline, a bounded answer.

use std::time::Duration;

use policy::Call;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request, Response, Url, redirect, retry};
use tokio::time::{Instant, timeout_at};

use crate::answer::{Answer, PLAIN_TEXT};
use crate::classification::{Body, End, Fault, Kind, classify};
use crate::fault;
use function::error::Error;

/// How long an idle connection is kept. Many servers close theirs after five seconds; a request that meets the closing
/// looks like a partner that drops connections, so ours are given up first.
const IDLE: Duration = Duration::from_secs(4);

/// A client that lives as long as its process, so that a warm function has a warm connection.
#[derive(Clone, Debug)]
pub struct Client(reqwest::Client);

/// A call whose answer is not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// Why not.
    pub kind: Kind,
    /// How far the call came.
    pub end: End,
}

impl Client {
    /// Builds the client. A redirect is an answer like any other, nothing is retried, and the environment's proxies are
    /// not asked: only the policy says where a call goes.
    ///
    /// # Errors
    /// The system's root certificates can't be used.
    pub fn new() -> Result<Self, reqwest::Error> {
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("stepbreaker/", env!("CARGO_PKG_VERSION")))
                .redirect(redirect::Policy::none())
                // hyper still sends a request again whose connection was closed before any of it was written.
                .retry(retry::never())
                .referer(false)
                .no_proxy()
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(1)
        };
        builder().build().map(Self).or_else(|error| {
            // A machine without root certificates can still call plain HTTP; each https call is then a `tls` failure.
            let client = builder().tls_certs_only([]).build()?;
            tracing::warn!(%error, "no root certificates: https partners can't be called");
            Ok(Self(client))
        })
    }

    /// The request of a policy.
    ///
    /// # Errors
    /// [`Error::BadPayload`]: the policy's URL or headers can't be sent, which a loaded policy's can.
    pub fn request(call: &Call, url: &str) -> Result<Request, Error> {
        let bad = |what: &str| Error::BadPayload { what: what.to_owned() };
        let url = Url::parse(url).map_err(|_| bad("policy.call.url is no URL"))?;
        let method = match call.method {
            policy::Method::Get => Method::GET,
            policy::Method::Head => Method::HEAD,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in &call.headers.0 {
            let name = HeaderName::try_from(name).map_err(|_| bad("policy.call.headers has a name that is none"))?;
            let mut value =
                HeaderValue::try_from(value).map_err(|_| bad("policy.call.headers has a value that can't be sent"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let mut request = Request::new(method, url);
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Sends the request once. The call's time-out covers all of it: name resolution, connecting, TLS, the head and the
    /// body. Dropping the future ends the call.
    ///
    /// # Errors
    /// Why there is no answer to pass on.
    pub async fn send(&self, request: Request, call: &Call) -> Result<Answer, NoAnswer> {
        let deadline = Instant::now() + Duration::from_millis(call.timeout_ms);
        let sends_credentials = call.headers.hold_credentials();
        let judge = |end| classify(end, sends_credentials).map_err(|kind| NoAnswer { kind, end });
        let is_https = request.url().scheme() == "https";
        let mut response = match timeout_at(deadline, self.0.execute(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(unanswered(fault::of_head(&error, is_https))),
            Err(_) => return Err(unanswered(Fault::Deadline)),
        };
        let status = response.status().as_u16();
        judge(End::Answered(status, Body::Unread))?;
        let content_type = content_type(response.headers());
        let read = timeout_at(deadline, read(&mut response, call.max_response_bytes)).await;
        let (body, end) = match read {
            Ok(Ok(body)) => (body, Body::Complete),
            Ok(Err(end)) => (String::new(), end),
            Err(_) => (String::new(), Body::Deadline),
        };
        judge(End::Answered(status, end))?;
        Ok(Answer {
            status,
            content_type,
            body,
        })
    }
}

fn unanswered(fault: Fault) -> NoAnswer {
    let end = End::Unanswered(fault);
    // Without a head there is no status, so credentials make no difference.
    NoAnswer {
        kind: classify(end, false).err().unwrap_or(Kind::Protocol),
        end,
    }
}

/// The body as text. Memory is bounded by the limit and one chunk: what lies past the limit is not read.
async fn read(response: &mut Response, max_bytes: u64) -> Result<String, Body> {
    let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| fault::of_body(&error))? {
        if chunk.len() > limit - body.len() {
            return Err(Body::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    // The client takes the header off when it decodes: one that is left was not asked for and can't be undone.
    let is_encoded = response
        .headers()
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| encoding != "identity");
    if is_encoded && !body.is_empty() {
        return Err(Body::Undecodable);
    }
    let body = String::from_utf8(body).map_err(|_| Body::NotText)?;
    if Answer::fits(&body) {
        Ok(body)
    } else {
        Err(Body::TooLarge)
    }
}

fn content_type(headers: &HeaderMap) -> String {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    sent.filter(|value| (1..=256).contains(&value.len()))
        .unwrap_or(PLAIN_TEXT)
        .to_owned()
}
