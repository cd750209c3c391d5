//! `Retry` and `Catch`.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html>

use serde_json::Value;

use super::fields::Fields;
use super::flow::ResultPlace;
use super::report::Report;
use super::{MAX_WHOLE, Scope, graph};
use crate::failure::ALL;

/// The longest `MaxDelaySeconds`, exclusive: 366 days.
const MAX_DELAY_S: u32 = 31_622_400;

/// One item of `Retry`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Retrier {
    pub(crate) errors: Vec<String>,
    pub(crate) interval_s: u32,
    pub(crate) max_attempts: u32,
    pub(crate) backoff_rate: f64,
    pub(crate) max_delay_s: Option<u32>,
    /// `JitterStrategy` is `FULL`.
    pub(crate) jitter: bool,
}

/// One item of `Catch`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Catcher {
    pub(crate) errors: Vec<String>,
    pub(crate) place: ResultPlace,
    /// The index of the state that goes on.
    pub(crate) next: usize,
}

pub(super) fn retriers(fields: &mut Fields, report: &mut Report) -> Vec<Retrier> {
    each(fields, "Retry", report, retrier)
}

pub(super) fn catchers(fields: &mut Fields, scope: &Scope<'_>, report: &mut Report) -> Vec<Catcher> {
    each(fields, "Catch", report, |item, is_last, report| {
        catcher(item, is_last, scope, report)
    })
}

fn each<T>(
    fields: &mut Fields,
    name: &str,
    report: &mut Report,
    mut parse: impl FnMut(Fields, bool, &mut Report) -> Option<T>,
) -> Vec<T> {
    let items = fields.array(name, report).unwrap_or_default();
    let last = items.len().saturating_sub(1);
    let mut parsed = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let location = format!("{}[{index}]", fields.at(name));
        if let Some(item) = Fields::of(item, &location, report) {
            parsed.extend(parse(item, index == last, report));
        }
    }
    parsed
}

fn retrier(mut fields: Fields, is_last: bool, report: &mut Report) -> Option<Retrier> {
    fields.string("Comment", report);
    let errors = error_equals(&mut fields, is_last, report);
    let interval_s = fields.whole("IntervalSeconds", 1..=MAX_WHOLE, report).unwrap_or(1);
    let max_attempts = fields.whole("MaxAttempts", 0..=MAX_WHOLE, report).unwrap_or(3);
    let backoff_rate = backoff_rate(&mut fields, report);
    let max_delay_s = fields.whole("MaxDelaySeconds", 1..=MAX_DELAY_S - 1, report);
    if let Some(max_delay_s) = max_delay_s.filter(|max_delay_s| *max_delay_s <= interval_s) {
        let message = format!("{max_delay_s} must be greater than IntervalSeconds, which is {interval_s}");
        report.schema(&fields.at("MaxDelaySeconds"), message);
    }
    let jitter = match fields.string("JitterStrategy", report).as_deref() {
        None | Some("NONE") => false,
        Some("FULL") => true,
        Some(other) => {
            report.schema(&fields.at("JitterStrategy"), format!("'{other}' must be FULL or NONE"));
            false
        }
    };
    fields.finish("a retrier", report);
    Some(Retrier {
        errors: errors?,
        interval_s,
        max_attempts,
        backoff_rate,
        max_delay_s,
        jitter,
    })
}

fn backoff_rate(fields: &mut Fields, report: &mut Report) -> f64 {
    const DEFAULT: f64 = 2.0;
    let Some(value) = fields.take("BackoffRate") else {
        return DEFAULT;
    };
    match value.as_f64().filter(|rate| rate.is_finite() && *rate >= 1.0) {
        Some(rate) => rate,
        None => {
            report.schema(
                &fields.at("BackoffRate"),
                format!("{value} is not a number of at least 1.0"),
            );
            DEFAULT
        }
    }
}

fn catcher(mut fields: Fields, is_last: bool, scope: &Scope<'_>, report: &mut Report) -> Option<Catcher> {
    fields.string("Comment", report);
    let errors = error_equals(&mut fields, is_last, report);
    let place = ResultPlace::parse(&mut fields, report);
    let next = graph::target(&mut fields, "Next", scope, report);
    fields.finish("a catcher", report);
    Some(Catcher {
        errors: errors?,
        place,
        next: next?,
    })
}

fn error_equals(fields: &mut Fields, is_last: bool, report: &mut Report) -> Option<Vec<String>> {
    const NAME: &str = "ErrorEquals";
    if !fields.has(NAME) {
        fields.missing(NAME, report);
        return None;
    }
    let items = fields.array(NAME, report)?;
    let names: Vec<String> = items
        .iter()
        .filter_map(|item| item.as_str().filter(|name| !name.is_empty()).map(str::to_owned))
        .collect();
    let location = fields.at(NAME);
    if names.is_empty()
        || items
            .iter()
            .any(|item| !matches!(item, Value::String(name) if !name.is_empty()))
    {
        report.schema(&location, "must hold at least one name, and only names");
    } else if names.iter().any(|name| name == ALL) && !(names.len() == 1 && is_last) {
        report.schema(
            &location,
            format!("'{ALL}' must stand alone, and in the last item only"),
        );
    }
    Some(names)
}
