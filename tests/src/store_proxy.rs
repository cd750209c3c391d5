//! A DynamoDB that fails: it stands before a real one, and breaks what the rules of a circuit say.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::case::{StoreFault, StoreRule};

/// A hanging request is given up after this long, which nobody waits for.
const HANG: Duration = Duration::from_secs(60);

/// Stands before a DynamoDB.
#[derive(Debug)]
pub(crate) struct StoreProxy {
    address: SocketAddr,
    rules: Arc<Rules>,
    server: tokio::task::JoinHandle<()>,
}

/// The rules of each circuit.
#[derive(Debug)]
struct Rules {
    upstream: String,
    client: reqwest::Client,
    circuits: Mutex<BTreeMap<String, Circuit>>,
    /// Counts the answers that are held back.
    held: watch::Sender<u64>,
}

/// The rules of one circuit, and what it has asked so far.
#[derive(Debug, Default)]
struct Circuit {
    rules: Vec<(StoreRule, Option<Map<String, Value>>)>,
    asked: BTreeMap<String, u64>,
    held: u64,
}

/// What is done with a request. A stale item is DynamoDB's JSON.
enum Fate {
    Forwarded,
    Broken(StoreFault, Option<Map<String, Value>>),
}

impl StoreProxy {
    /// Starts one on a free port.
    pub(crate) async fn start(upstream: String, client: reqwest::Client) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let rules = Arc::new(Rules {
            upstream,
            client,
            circuits: Mutex::default(),
            held: watch::Sender::new(0),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&rules)));
        Ok(Self { address, rules, server })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Breaks a circuit's requests by these rules from now on, each with the item that it shows if it is stale.
    pub(crate) fn set(&self, circuit: &str, rules: Vec<(StoreRule, Option<Map<String, Value>>)>) {
        let circuit_rules = Circuit {
            rules,
            ..Circuit::default()
        };
        self.rules.circuits().insert(circuit.to_owned(), circuit_rules);
    }

    /// Waits until an answer to this circuit is held back.
    pub(crate) async fn wait_until_held(&self, circuit: &str, within: Duration) -> anyhow::Result<()> {
        let mut held = self.rules.held.subscribe();
        let is_held = |_: &u64| {
            self.rules
                .circuits()
                .get(circuit)
                .is_some_and(|circuit| circuit.held > 0)
        };
        tokio::time::timeout(within, held.wait_for(is_held))
            .await
            .map_err(|_| anyhow::anyhow!("the table held no answer back within {within:?}"))??;
        Ok(())
    }
}

impl Drop for StoreProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Rules {
    fn circuits(&self) -> MutexGuard<'_, BTreeMap<String, Circuit>> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fate(&self, circuit: &str, operation: &str) -> Fate {
        let mut circuits = self.circuits();
        let Some(circuit) = circuits.get_mut(circuit) else {
            return Fate::Forwarded;
        };
        let asked = circuit.asked.entry(operation.to_owned()).or_default();
        *asked += 1;
        let rule = circuit
            .rules
            .iter()
            .find(|(rule, _)| rule.on == operation && rule.is_for(*asked));
        rule.map_or(Fate::Forwarded, |(rule, stale)| {
            Fate::Broken(rule.fault.clone(), stale.clone())
        })
    }

    /// None closes the connection without an answer.
    async fn answer(&self, request: Request<Incoming>) -> Option<Response<Full<Bytes>>> {
        let (head, body) = request.into_parts();
        let target = head.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
        let target = target.unwrap_or_default().to_owned();
        let operation = target.rsplit('.').next().unwrap_or_default();
        let body = body.collect().await.ok()?.to_bytes();
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let circuit = asked["Key"]["circuit"]["S"].as_str().unwrap_or_default().to_owned();
        let Fate::Broken(fault, stale) = self.fate(&circuit, operation) else {
            return Some(self.forward(&target, body).await);
        };
        match fault {
            StoreFault::Throttle => Some(refusal(400, "ProvisionedThroughputExceededException")),
            StoreFault::Fail => Some(refusal(500, "InternalServerError")),
            StoreFault::Hang => self.hold_back(&circuit).await,
            StoreFault::Hold => {
                self.forward(&target, body).await;
                self.hold_back(&circuit).await
            }
            StoreFault::Lose => {
                self.forward(&target, body).await;
                None
            }
            StoreFault::Stale(_) => Some(reply(200, &json!({ "Item": stale.unwrap_or_default() }))),
        }
    }

    /// Never answers, as far as anybody waits for it.
    async fn hold_back<T>(&self, circuit: &str) -> Option<T> {
        if let Some(circuit) = self.circuits().get_mut(circuit) {
            circuit.held += 1;
        }
        self.held.send_modify(|held| *held += 1);
        tokio::time::sleep(HANG).await;
        None
    }

    async fn forward(&self, target: &str, body: Bytes) -> Response<Full<Bytes>> {
        let request = self
            .client
            .post(&self.upstream)
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", target)
            .header("x-amz-date", "20250101T000000Z")
            .header("authorization", crate::http::UNVERIFIED)
            .body(body);
        let forwarded = async {
            let answer = request.send().await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        };
        match forwarded.await {
            Ok((status, bytes)) => {
                let mut response = Response::new(Full::new(bytes));
                *response.status_mut() = status;
                response
            }
            Err(_) => refusal(500, "InternalServerError"),
        }
    }
}

fn refusal(status: u16, name: &str) -> Response<Full<Bytes>> {
    let kind = format!("com.amazonaws.dynamodb.v20120810#{name}");
    reply(status, &json!({ "__type": kind, "message": "as the case wants it" }))
}

fn reply(status: u16, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.to_string().into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

async fn serve(listener: TcpListener, rules: Arc<Rules>) {
    // The connections end with the server.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                connections.spawn(converse(stream, Arc::clone(&rules)));
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse(stream: TcpStream, rules: Arc<Rules>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let rules = Arc::clone(&rules);
        // An error closes the connection.
        async move { rules.answer(request).await.ok_or(Unanswered) }
    });
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

#[derive(Debug, thiserror::Error)]
#[error("the case wants no answer")]
struct Unanswered;
