//! Wait states.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/state-wait.html>

use time::OffsetDateTime;

use super::fields::Fields;
use super::graph::{self, Next};
use super::quantity::{Quantity, reference};
use super::report::Report;
use super::state::Body;
use super::{MAX_WHOLE, Scope};
use crate::path::Path;
use crate::timestamp;

#[derive(Debug)]
pub(crate) struct WaitBody {
    pub(crate) until: Until,
    pub(crate) next: Next,
}

/// How long a Wait waits.
#[derive(Debug)]
pub(crate) enum Until {
    Seconds(Quantity),
    Timestamp(OffsetDateTime),
    TimestampPath(Path),
}

const FIELDS: [&str; 4] = ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"];

pub(super) fn wait(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Option<Body> {
    let next = graph::next(fields, scope, report);
    if FIELDS.into_iter().filter(|name| fields.has(name)).count() != 1 {
        for name in FIELDS {
            fields.take(name);
        }
        let message = format!("a Wait must hold exactly one of {}", FIELDS.join(", "));
        report.schema(fields.location(), message);
        return None;
    }
    let until = if fields.has("Seconds") || fields.has("SecondsPath") {
        Quantity::parse(fields, "Seconds", 0..=MAX_WHOLE, report).map(Until::Seconds)
    } else if fields.has("TimestampPath") {
        reference(fields, "TimestampPath", report).map(Until::TimestampPath)
    } else {
        fields.warn_of_path("Timestamp", report);
        let text = fields.string("Timestamp", report)?;
        let at = timestamp::parse(&text);
        if at.is_none() {
            let message = format!("{text:?} is not a timestamp such as 2016-03-14T01:59:00Z");
            report.schema(&fields.at("Timestamp"), message);
        }
        at.map(Until::Timestamp)
    };
    Some(Body::Wait(WaitBody {
        until: until?,
        next: next?,
    }))
}

impl Until {
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Seconds(seconds) => seconds.path(),
            Self::Timestamp(_) => None,
            Self::TimestampPath(path) => Some(path),
        }
    }
}
