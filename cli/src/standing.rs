//! How a circuit stands at a moment, as people mean it: made of its item, its policy and the time, and of nothing else.

use breaker::attribute::Attribute;
use breaker::clock::Timestamp;
use breaker::item::{Item, Override, State, name};
use breaker::policy::Trip;
use breaker::window;

use crate::period;
use crate::text::printable;

/// What the breaker itself makes of the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Calls go through.
    Closed,
    /// Nobody calls before that time.
    Open { until: Timestamp },
    /// The wait is over: the next call is the probe.
    HalfOpen,
    /// A probe is out, and has its lease until that time.
    Probing { until: Timestamp },
}

impl Phase {
    fn of(item: &Item, now: Timestamp) -> Self {
        match (item.state(), item.open_until()) {
            (State::Closed, _) => Self::Closed,
            (State::Open, Some(until)) if now < until => match item.probe_token() {
                Some(_) => Self::Probing { until },
                None => Self::Open { until },
            },
            (State::Open, _) => Self::HalfOpen,
        }
    }

    /// One word, the same for as long as the phase lasts.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open { .. } => "open",
            Self::HalfOpen => "half-open",
            Self::Probing { .. } => "probing",
        }
    }

    fn said(self, now: Timestamp) -> String {
        match self {
            Self::Closed => "closed".to_owned(),
            Self::Open { until } => format!("open for {} more", period::left(between(now, until))),
            Self::HalfOpen => "half-open: the next call is the probe".to_owned(),
            Self::Probing { .. } => "half-open: a probe is under way".to_owned(),
        }
    }
}

/// A person's override that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forced {
    pub(crate) kind: Override,
    pub(crate) until: Option<Timestamp>,
    /// As they are stored: nobody checked them.
    pub(crate) by: Option<String>,
    pub(crate) reason: Option<String>,
}

impl Forced {
    fn of(item: &Item, now: Timestamp) -> Option<Self> {
        let text = |name: &str| item.attributes().get(name).and_then(Attribute::as_str);
        Some(Self {
            kind: item.forced(now)?,
            until: text(name::OVERRIDE_UNTIL).and_then(Timestamp::parse),
            by: text(name::OVERRIDE_BY).map(str::to_owned),
            reason: text(name::OVERRIDE_REASON).map(str::to_owned),
        })
    }

    pub(crate) fn word(&self) -> &'static str {
        forced_word(self.kind)
    }

    /// `forced open for 9 min more`, `forced open until lifted`.
    pub(crate) fn said(&self, now: Timestamp) -> String {
        match self.until {
            Some(until) => format!("{} for {} more", self.word(), period::left(between(now, until))),
            None => format!("{} until lifted", self.word()),
        }
    }

    /// Who and why, fit for a terminal: `by ana: the partner's maintenance`.
    pub(crate) fn explained(&self) -> String {
        let by = match &self.by {
            Some(by) => format!("by {}", printable(by)),
            None => "by nobody knows whom".to_owned(),
        };
        match &self.reason {
            Some(reason) => format!("{by}: {}", printable(reason)),
            None => by,
        }
    }
}

pub(crate) fn forced_word(kind: Override) -> &'static str {
    match kind {
        Override::Open => "forced open",
        Override::Closed => "forced closed",
        Override::DryRun => "dry run",
    }
}

/// The last failure that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastFailure {
    pub(crate) at: Option<Timestamp>,
    /// As they are stored.
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl LastFailure {
    fn of(item: &Item) -> Option<Self> {
        let Some(Attribute::M(fields)) = item.attributes().get(name::LAST_FAILURE) else {
            return None;
        };
        let text = |name: &str| fields.get(name).and_then(Attribute::as_str).unwrap_or_default();
        Some(Self {
            at: Timestamp::parse(text("at")),
            kind: text("kind").to_owned(),
            message: text("message").to_owned(),
        })
    }

    /// `timeout, 3 s ago`.
    pub(crate) fn said(&self, now: Timestamp) -> String {
        match self.at {
            Some(at) => format!("{}, {} ago", printable(&self.kind), period::gone(between(at, now))),
            None => printable(&self.kind),
        }
    }
}

/// The failures that still count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failures {
    pub(crate) counted: u64,
    /// When it opens, where that is known.
    pub(crate) trip: Option<Trip>,
}

/// How a circuit stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) now: Timestamp,
    pub(crate) phase: Phase,
    pub(crate) forced: Option<Forced>,
    /// None where neither policy nor item tells the window.
    pub(crate) failures: Option<Failures>,
    pub(crate) last_failure: Option<LastFailure>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) epoch: u64,
    pub(crate) openings: u64,
}

impl Standing {
    pub(crate) fn of(item: &Item, trip: Option<Trip>, now: Timestamp) -> Self {
        let changed_at = item.attributes().get(name::CHANGED_AT).and_then(Attribute::as_str);
        Self {
            now,
            phase: Phase::of(item, now),
            forced: Forced::of(item, now),
            failures: failures(item, trip, now),
            last_failure: LastFailure::of(item),
            since: changed_at.and_then(Timestamp::parse),
            epoch: item.epoch(),
            openings: item.openings(),
        }
    }

    /// One or two words, the same for as long as the state lasts: what a watcher is told changes of.
    pub(crate) fn word(&self) -> &'static str {
        match &self.forced {
            Some(forced) => forced.word(),
            None => self.phase.word(),
        }
    }

    /// The state in a table: what is forced, or what the breaker makes of it.
    pub(crate) fn said(&self) -> String {
        match &self.forced {
            Some(forced) => forced.said(self.now),
            None => self.phase.said(self.now),
        }
    }

    /// What the breaker makes of it, whatever is forced.
    pub(crate) fn underneath(&self) -> String {
        self.phase.said(self.now)
    }

    /// `3 of 5`; nothing where it is open, since an open circuit counts none.
    pub(crate) fn failures_said(&self) -> String {
        match (self.phase, self.failures) {
            (Phase::Closed, Some(Failures { counted, trip })) => match trip {
                Some(trip) => format!("{counted} of {}", trip.failures),
                None => counted.to_string(),
            },
            _ => "-".to_owned(),
        }
    }

    pub(crate) fn last_failure_said(&self) -> String {
        self.last_failure
            .as_ref()
            .map_or_else(|| "-".to_owned(), |failure| failure.said(self.now))
    }

    pub(crate) fn since_said(&self) -> String {
        self.since.map_or_else(
            || "-".to_owned(),
            |since| format!("{} ago", period::gone(between(since, self.now))),
        )
    }
}

/// Without a policy the item tells the window itself: `failingUntil` is the last failure and one window.
fn failures(item: &Item, trip: Option<Trip>, now: Timestamp) -> Option<Failures> {
    if let Some(known) = trip {
        let counted = window::failures_at(&known, item, now);
        return Some(Failures { counted, trip });
    }
    let failing_until = item.attributes().get(name::FAILING_UNTIL)?.as_str();
    let last = LastFailure::of(item)?.at?;
    let window_ms = between(last, Timestamp::parse(failing_until?)?);
    let counted = window::failures_at(&Trip { failures: 1, window_ms }, item, now);
    Some(Failures { counted, trip: None })
}

/// From one time to a later one, in milliseconds; 0 where it is not later.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> u64 {
    to.as_ms().saturating_sub(from.as_ms())
}

/// The time of day of a time, in UTC: `14:02:33Z`, with its date where that is another than today's.
pub(crate) fn time_of_day(at: Timestamp, now: Timestamp) -> String {
    let (text, today) = (at.to_string(), now.to_string());
    let seconds = format!("{}Z", &text[..19]);
    match seconds.split_once('T') {
        Some((date, time)) if today.starts_with(date) => time.to_owned(),
        _ => seconds,
    }
}
