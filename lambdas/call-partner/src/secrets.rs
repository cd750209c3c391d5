//! The headers whose values are secrets: read where the policy says, kept for a while, shown nowhere.
//!
//! A value lives in this process's memory and in the requests to the partner. It is not in the definition, nor in an
//! execution's data; neither an error nor `Debug` shows it.

mod store;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use breaker::clock::Timestamp;
use policy::SecretHeader;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

pub use store::Store;
use store::{Place, StoreError};

/// How long a value is kept before it is read again.
const KEPT_MS: u64 = 300_000;

/// How soon a value is read again that the partner refused, or that could not be renewed: a wrong one must not cost a read
/// for each call. A reading that has not ended by then is given up: the process was frozen in it.
const AGAIN_MS: u64 = 10_000;

/// The same for a secret of which there is no value at all, so that nothing can be called.
const AGAIN_WITHOUT_MS: u64 = 1_000;

/// How long a call waits for a newer value when it has one.
const RENEWAL: Duration = Duration::from_millis(250);

/// The secrets of one process.
#[derive(Debug)]
pub struct Secrets {
    store: Arc<Store>,
    /// One call at a time asks the store; a process has only one anyway.
    known: Mutex<HashMap<Place, Known>>,
}

/// What is known of one secret.
#[derive(Default)]
struct Known {
    kept: Option<Kept>,
    /// When the store was last asked, by the clock on the wall.
    asked_at: Option<Timestamp>,
    /// The asking, as long as it lasts. It outlives a call that could not wait for it: else a first reading that takes longer
    /// than the policy's time-out would never come to an end.
    reading: Option<JoinHandle<Result<String, StoreError>>>,
}

struct Kept {
    text: String,
    /// When it was read, by the clock on the wall.
    read_at: Timestamp,
    /// The partner has refused it.
    is_doubted: bool,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known")
            .field("asked_at", &self.asked_at)
            .finish_non_exhaustive()
    }
}

impl Known {
    /// Whether there is a value, and no reason to ask for another.
    fn is_good(&self, now: Timestamp) -> bool {
        let kept = self.kept.as_ref();
        kept.is_some_and(|kept| !kept.is_doubted && now < kept.read_at.plus_ms(KEPT_MS))
    }

    /// Whether the store may be asked: not too soon after the last time.
    fn may_ask(&self, now: Timestamp) -> bool {
        let pause = if self.kept.is_none() && self.reading.is_none() {
            AGAIN_WITHOUT_MS
        } else {
            AGAIN_MS
        };
        self.asked_at.is_none_or(|asked_at| asked_at.plus_ms(pause) <= now)
    }

    fn ask(&mut self, store: &Arc<Store>, place: &Place, now: Timestamp) {
        if let Some(hanging) = self.reading.take() {
            hanging.abort();
        }
        let (store, place) = (Arc::clone(store), place.clone());
        self.reading = Some(tokio::spawn(async move { store.read(&place).await }));
        self.asked_at = Some(now);
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
            store: Arc::new(store),
            known: Mutex::default(),
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
        let mut known = self.known.lock().await;
        for place in wanted.values().filter_map(Place::of) {
            if let Some(kept) = known.get_mut(&place).and_then(|known| known.kept.as_mut()) {
                kept.is_doubted = true;
            }
        }
    }

    async fn text(&self, place: Place, now: Timestamp, deadline: Instant) -> Result<String, Problem> {
        let mut all = self.known.lock().await;
        let known = all.entry(place.clone()).or_default();
        let mut problem = Problem::Unreadable;
        if !known.is_good(now) {
            let asks = known.may_ask(now);
            if asks {
                known.ask(&self.store, &place, now);
            }
            let limit = match &known.kept {
                None => deadline,
                Some(_) if asks => deadline.min(Instant::now() + RENEWAL),
                // An earlier call has waited: this one takes what there is.
                Some(_) => Instant::now(),
            };
            problem = renew(known, &place, now, limit).await.unwrap_or(problem);
        }
        // An old value is better than none: it may well be good still.
        known.kept.as_ref().map(|kept| kept.text.clone()).ok_or(problem)
    }
}

/// Waits for the reading that is under way, if one is, and keeps what it brings. Tells what is wrong, if something is.
async fn renew(known: &mut Known, place: &Place, now: Timestamp, limit: Instant) -> Option<Problem> {
    let reading = known.reading.as_mut()?;
    // The place is the policy's own text; the store's message may say more than that.
    let Ok(read) = timeout_at(limit, reading).await else {
        tracing::warn!(%place, "a secret did not come in time");
        return Some(Problem::TooLate);
    };
    known.reading = None;
    let error = match read {
        Ok(Ok(text)) => {
            known.kept = Some(Kept {
                text,
                // It may have been there for long, if the process was frozen.
                read_at: known.asked_at.unwrap_or(now),
                is_doubted: false,
            });
            return None;
        }
        Ok(Err(error)) => error.name(),
        // Nobody aborts it but whoever asks anew.
        Err(_) => "Aborted".to_owned(),
    };
    tracing::warn!(%place, error, "a secret could not be read");
    Some(Problem::Unreadable)
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
