//! The partner's own log: what arrived, and what became of it.

use std::{
    collections::VecDeque,
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::behaviour::Behaviour;

/// How many entries are kept; of more, the oldest go.
const ENTRIES_KEPT: usize = 100_000;

/// One request, or one connection that was cut before there was a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its number, from 1, in the order of arrival; never used twice.
    pub seq: u64,
    /// The number of its connection, from 1.
    pub connection: u64,
    /// What it met: `answer`, `hang`, `reset`, `truncate`, `drip`, `raw`.
    pub behaviour: String,
    /// The method; empty where no request was read.
    pub method: String,
    /// The target as it was sent, query included; empty where no request was read.
    pub path: String,
    /// The header fields in their order, names in small letters. All values are kept, credentials too: a test wants to see
    /// them, and this log never leaves the memory of a partner that plays a part.
    pub headers: Vec<(String, String)>,
    /// The request's body as text.
    pub body: String,
    /// What `{{nonce}}` stood for in its answer.
    pub nonce: String,
    /// When its first byte was read; for a connection that was cut before, when it was accepted.
    pub arrived: Stamp,
    /// When the first byte of the answer was about to be sent.
    pub first_byte: Option<Stamp>,
    /// When it was over.
    pub ended: Option<Stamp>,
    /// How it ended.
    pub how: How,
    /// The status that the answer has, or would have had.
    pub status: Option<u16>,
}

impl Entry {
    /// The value of the first header of this name, in whatever case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(held, _)| held.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it had arrived, and was not over, at the same time as another one.
    pub fn overlaps(&self, other: &Self) -> bool {
        let starts_before_end_of = |a: &Self, b: &Self| b.ended.is_none_or(|ended| a.arrived.after_us < ended.after_us);
        starts_before_end_of(self, other) && starts_before_end_of(other, self)
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Not yet: it waits, hangs or is being answered.
    UnderWay,
    /// The answer was sent to its last byte.
    Answered,
    /// We reset the connection.
    Reset,
    /// We closed the connection too early, or after something that is no answer.
    Truncated,
    /// The client went away first.
    ClientGone,
}

/// A moment, on the partner's one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stamp {
    /// Microseconds since the partner started, monotonic: what differences are taken of.
    pub after_us: u64,
    /// The time of day: milliseconds since 1970, to be laid beside what others wrote down.
    pub unix_ms: u64,
}

impl Stamp {
    /// Milliseconds from an earlier moment to this one; 0 if it was not earlier.
    pub fn ms_since(&self, earlier: &Self) -> u64 {
        self.after_us.saturating_sub(earlier.after_us) / 1000
    }
}

/// The log with its counters, as `GET /_log` gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    /// How many requests arrived, those cut before they could be read included.
    pub hits: u64,
    /// How many are not over.
    pub under_way: u64,
    /// The most that were under way at once.
    pub max_concurrent: u64,
    /// The requests, in the order of arrival.
    pub entries: Vec<Entry>,
}

/// What is known of a request when it arrives.
pub(crate) struct Arrival<'a> {
    pub connection: u64,
    pub arrived: Stamp,
    pub method: &'a str,
    pub path: &'a str,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// Where the log is kept.
#[derive(Debug)]
pub(crate) struct Journal {
    started: Instant,
    run: u64,
    kept: Mutex<Kept>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    hits: u64,
    under_way: u64,
    max_concurrent: u64,
    last_seq: u64,
    entries: VecDeque<Entry>,
}

impl Journal {
    pub fn new() -> Self {
        // A run's number, so that an answer can't be taken for one of another run: the standard library seeds its hashers
        // with random bytes.
        let run = RandomState::new().hash_one(std::process::id());
        Self {
            started: Instant::now(),
            run,
            kept: Mutex::default(),
            changes: watch::Sender::new(0),
        }
    }

    pub fn now(&self) -> Stamp {
        let unix_ms = OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000;
        Stamp {
            after_us: u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            unix_ms: u64::try_from(unix_ms).unwrap_or_default(),
        }
    }

    /// Writes an arrival down, and what it meets; gives its number and its nonce.
    pub fn arrive(&self, arrival: Arrival<'_>, behaviour: &Behaviour) -> (u64, String) {
        let mut kept = self.kept();
        kept.last_seq += 1;
        kept.hits += 1;
        kept.under_way += 1;
        kept.max_concurrent = kept.max_concurrent.max(kept.under_way);
        let seq = kept.last_seq;
        let nonce = format!("{:016x}-{seq}", self.run);
        if kept.entries.len() == ENTRIES_KEPT {
            kept.entries.pop_front();
        }
        kept.entries.push_back(Entry {
            seq,
            connection: arrival.connection,
            behaviour: behaviour.name().to_owned(),
            method: arrival.method.to_owned(),
            path: arrival.path.to_owned(),
            headers: arrival.headers,
            body: arrival.body,
            nonce: nonce.clone(),
            arrived: arrival.arrived,
            first_byte: None,
            ended: None,
            how: How::UnderWay,
            status: behaviour.answer().map(|answer| answer.status),
        });
        drop(kept);
        self.changed();
        (seq, nonce)
    }

    pub fn first_byte(&self, seq: u64) {
        let now = self.now();
        if let Some(entry) = self.kept().entry(seq) {
            entry.first_byte.get_or_insert(now);
        }
        self.changed();
    }

    pub fn end(&self, seq: u64, how: How) {
        let now = self.now();
        let mut kept = self.kept();
        kept.under_way = kept.under_way.saturating_sub(1);
        if let Some(entry) = kept.entry(seq) {
            entry.ended = Some(now);
            entry.how = how;
        }
        drop(kept);
        self.changed();
    }

    pub fn log(&self) -> Log {
        let kept = self.kept();
        Log {
            hits: kept.hits,
            under_way: kept.under_way,
            max_concurrent: kept.max_concurrent,
            entries: kept.entries.iter().cloned().collect(),
        }
    }

    /// Looks at the entries without copying them.
    pub fn look<T>(&self, look: impl FnOnce(&[Entry]) -> T) -> T {
        look(self.kept().entries.make_contiguous())
    }

    pub fn hits(&self) -> u64 {
        self.kept().hits
    }

    pub fn under_way(&self) -> u64 {
        self.kept().under_way
    }

    pub fn max_concurrent(&self) -> u64 {
        self.kept().max_concurrent
    }

    /// Forgets what is over, and counts anew from what is not.
    pub fn clear(&self) {
        let mut kept = self.kept();
        kept.entries.retain(|entry| entry.ended.is_none());
        kept.hits = kept.under_way;
        kept.max_concurrent = kept.under_way;
        drop(kept);
        self.changed();
    }

    /// Tells whenever something was written down.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic while it was held can only have left one entry without its end.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// The entry of this number, if it is still kept. Requests end near the end of the log, so it is sought from there.
    fn entry(&mut self, seq: u64) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|entry| entry.seq == seq)
    }
}
