//! The headers whose values are secrets: read where the policy says, kept for a while, shown nowhere.
//!
//! A value lives in this process's memory and in the requests to the partner. It is not in the definition, nor in an
//! execution's data; neither an error nor `Debug` shows it.

mod store;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

use breaker::clock::Timestamp;
use policy::SecretHeader;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use store::Place;
pub use store::Store;

/// How long a value is kept before it is read again.
const KEPT_MS: u64 = 300_000;

/// How soon a value is read again that the partner refused, or that could not be read: a wrong one must not cost a read for
/// each call.
const AGAIN_MS: u64 = 10_000;

/// How long a call waits for a newer value when it has one.
const RENEWAL: Duration = Duration::from_millis(250);

/// The secrets of one process.
#[derive(Debug)]
pub struct Secrets {
    store: Store,
    /// One call at a time asks the store; a process has only one anyway.
    kept: Mutex<HashMap<Place, Kept>>,
}

struct Kept {
    text: String,
    /// When it was read, by the clock on the wall.
    read_at: Timestamp,
    /// When that was last tried.
    tried_at: Timestamp,
    /// The partner has refused it.
    is_doubted: bool,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("read_at", &self.read_at)
            .finish_non_exhaustive()
    }
}

impl Kept {
    fn is_due(&self, now: Timestamp) -> bool {
        let is_old = self.is_doubted || self.read_at.plus_ms(KEPT_MS) <= now;
        is_old && self.tried_at.plus_ms(AGAIN_MS) <= now
    }
}

/// A header's value could not be had. The header's name is the policy's own.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret for the header {header} {problem}")]
pub struct NoSecret {
    /// The header.
    pub header: String,
    /// What is wrong.
    pub problem: Problem,
}

/// Why a header's value could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The policy names none.
    #[error("has no place")]
    NoPlace,
    /// The store refused, failed or has no such secret.
    #[error("could not be read")]
    Unreadable,
    /// It did not come within the call's time.
    #[error("did not come in time")]
    TooLate,
    /// The policy names a field, and there is no such text in it.
    #[error("has no such field")]
    NoField,
    /// It holds what no header can.
    #[error("is no value of a header")]
    NoHeader,
}

impl Secrets {
    /// Nothing is read before the first call needs it.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            kept: Mutex::default(),
        }
    }

    /// The headers of a call.
    ///
    /// # Errors
    /// The first one whose value can't be had by the deadline.
    pub async fn headers(
        &self,
        wanted: &BTreeMap<String, SecretHeader>,
        now: Timestamp,
        deadline: Instant,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, NoSecret> {
        let mut headers = Vec::new();
        for (name, source) in wanted {
            let refuse = |problem| NoSecret {
                header: name.clone(),
                problem,
            };
            let place = Place::of(source).ok_or_else(|| refuse(Problem::NoPlace))?;
            let text = self.text(place, now, deadline).await.map_err(refuse)?;
            let value = value(&text, source).map_err(refuse)?;
            let name = HeaderName::try_from(name).map_err(|_| refuse(Problem::NoHeader))?;
            headers.push((name, value));
        }
        Ok(headers)
    }

    /// The partner has refused these: they are read again, but not for each call.
    pub async fn doubt(&self, wanted: &BTreeMap<String, SecretHeader>) {
        let mut kept = self.kept.lock().await;
        for place in wanted.values().filter_map(Place::of) {
            if let Some(kept) = kept.get_mut(&place) {
                kept.is_doubted = true;
            }
        }
    }

    async fn text(&self, place: Place, now: Timestamp, deadline: Instant) -> Result<String, Problem> {
        let mut all = self.kept.lock().await;
        let limit = match all.get_mut(&place) {
            Some(kept) if !kept.is_due(now) => return Ok(kept.text.clone()),
            Some(kept) => {
                kept.tried_at = now;
                deadline.min(Instant::now() + RENEWAL)
            }
            None => deadline,
        };
        let problem = match timeout_at(limit, self.store.read(&place)).await {
            Ok(Ok(text)) => {
                let kept = Kept {
                    text: text.clone(),
                    read_at: now,
                    tried_at: now,
                    is_doubted: false,
                };
                all.insert(place, kept);
                return Ok(text);
            }
            Ok(Err(error)) => {
                // The place is the policy's own text; the store's message may say more than that.
                tracing::warn!(%place, error = error.name(), "a secret could not be read");
                Problem::Unreadable
            }
            Err(_) => {
                tracing::warn!(%place, "a secret did not come in time");
                Problem::TooLate
            }
        };
        // An old value is better than none: it may well be good still.
        all.get(&place).map(|kept| kept.text.clone()).ok_or(problem)
    }
}

/// What is kept, as the header's value.
fn value(text: &str, source: &SecretHeader) -> Result<HeaderValue, Problem> {
    let field = match &source.field {
        None => None,
        Some(field) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(mut fields)) => match fields.remove(field) {
                Some(Value::String(text)) => Some(text),
                _ => return Err(Problem::NoField),
            },
            _ => return Err(Problem::NoField),
        },
    };
    // Who writes a secret into a file or a console often leaves a line break behind it.
    let text = field.as_deref().unwrap_or(text).trim();
    let text = format!("{}{text}", source.prefix.as_deref().unwrap_or_default());
    let is_value = !text.is_empty() && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let mut value = HeaderValue::try_from(text)
        .ok()
        .filter(|_| is_value)
        .ok_or(Problem::NoHeader)?;
    value.set_sensitive(true);
    Ok(value)
}
