//! The HTTP client: one call, one deadline, a bounded answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use breaker::clock::Timestamp;
use policy::Call;
use reqwest::{Request, redirect, retry};
use rustls::ClientConfig;
use tokio::time::{Instant, sleep, timeout_at};

use crate::answer::Answer;
use crate::classification::{Body, End, Fault, Kind, classify};
use crate::retry as again;
use crate::{fault, response};

/// How long an idle connection is kept. Many servers close theirs after five seconds; a request that meets the closing
/// looks like a partner that drops connections, so ours are given up first.
const IDLE_MS: u64 = 4_000;

/// A client that lives as long as its process, so that a warm function has a warm connection.
///
/// Between two invocations the process may be frozen for any time, in which no timer of its own runs: then the connections
/// of before are dead, and some of them silently. So what is kept is judged by the clock on the wall.
#[derive(Debug)]
pub struct Client {
    /// Roots, and sessions that can be resumed: they outlive every connection.
    tls: ClientConfig,
    connections: Mutex<Connections>,
}

#[derive(Debug)]
struct Connections {
    client: reqwest::Client,
    used_at: Option<Timestamp>,
}

/// What a call must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// When it has to be over.
    pub deadline: Instant,
    /// How often it may be sent again.
    pub retries: u32,
    /// How many bytes the answer may have as JSON.
    pub room: usize,
}

/// A call whose answer is not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// Why not.
    pub kind: Kind,
    /// How far the call came.
    pub end: End,
    /// When the partner says that it will be there again.
    pub retry_after: Option<Duration>,
}

impl Client {
    /// Builds the client. A redirect is an answer like any other, and the environment's proxies are not asked: only the
    /// policy says where a call goes.
    ///
    /// # Errors
    /// There can be no client with this TLS.
    pub fn new(tls: ClientConfig) -> Result<Self, reqwest::Error> {
        let connections = Connections {
            client: connect(&tls)?,
            used_at: None,
        };
        Ok(Self {
            tls,
            connections: Mutex::new(connections),
        })
    }

    /// Sends the request, and again where the terms allow it. The deadline covers all of it: name resolution, connecting,
    /// TLS, the head and the body, of every attempt. Dropping the future ends the call.
    ///
    /// # Errors
    /// Why there is no answer to pass on.
    pub async fn send(&self, request: Request, call: &Call, terms: Terms, now: Timestamp) -> Result<Answer, NoAnswer> {
        let began = Instant::now();
        let client = self.client(now);
        let mut attempt = 0;
        let result = loop {
            // Every body of ours is in memory, so that there always is a copy.
            let Some(copy) = request.try_clone() else {
                break Err(unanswered(Fault::Protocol));
            };
            let result = once(&client, copy, call, terms).await;
            let failed = result.as_ref().err().filter(|_| attempt < terms.retries);
            let left = terms.deadline.saturating_duration_since(Instant::now());
            match failed.and_then(|failed| again::pause(failed, attempt, again::spread(), left)) {
                Some(pause) => sleep(pause).await,
                None => break result,
            }
            attempt += 1;
        };
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.connections().used_at = Some(now.plus_ms(took));
        result
    }

    /// The client with its connections, or one without any when these have been idle for too long.
    fn client(&self, now: Timestamp) -> reqwest::Client {
        let mut connections = self.connections();
        let is_fresh = connections.used_at.is_none_or(|used_at| used_at.plus_ms(IDLE_MS) > now);
        if !is_fresh && let Ok(client) = connect(&self.tls) {
            connections.client = client;
        }
        connections.client.clone()
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        // Nothing under this lock can leave it half changed.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(tls: &ClientConfig) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .user_agent(concat!("stepbreaker/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        // hyper still sends a request again whose connection was closed before any of it was written.
        .retry(retry::never())
        .referer(false)
        .no_proxy()
        .pool_idle_timeout(Duration::from_millis(IDLE_MS))
        .pool_max_idle_per_host(1)
        .build()
}

/// One attempt.
async fn once(client: &reqwest::Client, request: Request, call: &Call, terms: Terms) -> Result<Answer, NoAnswer> {
    let is_https = request.url().scheme() == "https";
    let mut response = match timeout_at(terms.deadline, client.execute(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(unanswered(fault::of_head(&error, is_https))),
        Err(_) => return Err(unanswered(Fault::Deadline)),
    };
    let status = response.status().as_u16();
    let retry_after = response::retry_after(response.headers());
    let judge = |body| {
        let end = End::Answered(status, body);
        classify(end, call.sends_credentials()).map_err(|kind| NoAnswer { kind, end, retry_after })
    };
    judge(Body::Unread)?;
    if !response::may_be_expected(call, status, response.headers()) {
        judge(Body::OtherType)?;
    }
    let read = timeout_at(terms.deadline, response::body(&mut response, call.max_response_bytes)).await;
    let (body, end) = match read {
        Ok(Ok(body)) => (body, Body::Complete),
        Ok(Err(end)) => (String::new(), end),
        Err(_) => (String::new(), Body::Deadline),
    };
    judge(end)?;
    let headers = response.headers();
    if !response::may_be_untyped(call, status, headers, &body) {
        judge(Body::OtherType)?;
    }
    let answer = Answer {
        status,
        content_type: response::content_type(headers),
        headers: response::passed(headers, &call.pass_headers),
        body,
    };
    if !answer.fits(terms.room) {
        judge(Body::TooLarge)?;
    }
    Ok(answer)
}

fn unanswered(fault: Fault) -> NoAnswer {
    let end = End::Unanswered(fault);
    // Without a head there is no status, so credentials make no difference.
    NoAnswer {
        kind: classify(end, false).err().unwrap_or(Kind::Protocol),
        end,
        retry_after: None,
    }
}
