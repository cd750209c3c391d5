//! Circuits as they are shown: a table of all, a sheet of one, or JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use breaker::attribute::Attribute;
use breaker::clock::Timestamp;
use breaker::item::{Item, name};
use serde_json::{Value, json};

use crate::circuits::Circuits;
use crate::paint::{Colour, Paint};
use crate::period;
use crate::standing::{Standing, between, time_of_day};
use crate::text::printable;

/// A circuit, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) circuit: String,
    pub(crate) standing: Standing,
    machine_arn: Option<String>,
    override_ended: Option<String>,
}

impl Shown {
    pub(crate) fn of(circuits: &Circuits, circuit: &str, item: &Item, now: Timestamp) -> Self {
        let standing = Standing::of(item, circuits.trip(circuit), now);
        Self {
            circuit: circuit.to_owned(),
            override_ended: override_ended(item, &standing),
            standing,
            machine_arn: circuits.machine(circuit).map(|machine| machine.arn.clone()),
        }
    }

    pub(crate) fn all(circuits: &Circuits, items: &BTreeMap<String, Item>, now: Timestamp) -> Vec<Self> {
        let shown = items
            .iter()
            .map(|(circuit, item)| Self::of(circuits, circuit, item, now));
        shown.collect()
    }

    /// The names of its fields are an interface.
    pub(crate) fn json(&self) -> Value {
        let standing = &self.standing;
        let until = match standing.phase {
            crate::standing::Phase::Open { until } | crate::standing::Phase::Probing { until } => {
                Some(until.to_string())
            }
            _ => None,
        };
        let forced = standing.forced.as_ref().map(|forced| {
            json!({
                "kind": forced.kind.as_str(),
                "until": forced.until.map(|until| until.to_string()),
                "by": forced.by,
                "reason": forced.reason,
            })
        });
        let last_failure = standing.last_failure.as_ref().map(|failure| {
            json!({
                "at": failure.at.map(|at| at.to_string()),
                "kind": failure.kind,
                "message": failure.message,
            })
        });
        let trip = standing.failures.and_then(|failures| failures.trip);
        json!({
            "circuit": self.circuit,
            "state": standing.phase.word(),
            "until": until,
            "forced": forced,
            "failures": standing.failures.map(|failures| failures.counted),
            "tripsAt": trip.map(|trip| trip.failures),
            "windowMs": trip.map(|trip| trip.window_ms),
            "openings": standing.openings,
            "lastFailure": last_failure,
            "since": standing.since.map(|since| since.to_string()),
            "epoch": standing.epoch,
            "stateMachineArn": self.machine_arn,
        })
    }

    /// Everything that is known of it, a line each.
    pub(crate) fn sheet(&self, paint: Paint) -> String {
        let standing = &self.standing;
        let now = standing.now;
        let mut lines = vec![("state", paint.paint(Colour::of(standing), &standing.said()))];
        if let Some(forced) = &standing.forced {
            lines.push(("set", forced.explained()));
            if let Some(until) = forced.until {
                lines.push(("ends at", time_of_day(until, now)));
            }
            lines.push(("underneath", standing.underneath()));
        }
        if let Some(ended) = &self.override_ended {
            lines.push(("override", ended.clone()));
        }
        let window = standing.failures.and_then(|failures| failures.trip);
        let within = window.map(|trip| format!(" within {}", period::gone(trip.window_ms)));
        match standing.failures_said().as_str() {
            "-" => {}
            failures => lines.push(("failures", format!("{failures}{}", within.unwrap_or_default()))),
        }
        if standing.openings > 0 {
            lines.push(("openings", format!("{} in a row", standing.openings)));
        }
        if let Some(failure) = &standing.last_failure {
            lines.push((
                "last failure",
                format!("{}: {}", failure.said(now), printable(&failure.message)),
            ));
        }
        if let Some(since) = standing.since {
            let ago = period::gone(between(since, now));
            lines.push(("since", format!("{ago} ago, {}", time_of_day(since, now))));
        }
        lines.push(("epoch", standing.epoch.to_string()));
        if self.machine_arn.is_none() {
            lines.push(("machine", "none is known here".to_owned()));
        }
        let mut sheet = paint.paint(Colour::Bold, &printable(&self.circuit));
        for (label, value) in lines {
            let _ = write!(sheet, "\n  {label:<13} {value}");
        }
        sheet
    }
}

/// What is left of an override that ended by itself: it decides nothing any more, and stays until it is lifted.
fn override_ended(item: &Item, standing: &Standing) -> Option<String> {
    if standing.forced.is_some() {
        return None;
    }
    let text = |name: &str| item.attributes().get(name).and_then(Attribute::as_str);
    let kind = printable(text(name::OVERRIDE)?);
    let until = Timestamp::parse(text(name::OVERRIDE_UNTIL)?)?;
    let by = text(name::OVERRIDE_BY).map(|by| format!(", set by {}", printable(by)));
    let ago = period::gone(between(until, standing.now));
    Some(format!("{kind} ended {ago} ago{}", by.unwrap_or_default()))
}

/// A table of circuits. Each row's note stands below it: who forced it, and why.
pub(crate) fn table(shown: &[Shown], paint: Paint) -> Vec<String> {
    const HEAD: [&str; 5] = ["CIRCUIT", "STATE", "FAILURES", "LAST FAILURE", "SINCE"];
    let rows: Vec<[String; 5]> = shown
        .iter()
        .map(|shown| {
            let standing = &shown.standing;
            [
                printable(&shown.circuit),
                standing.said(),
                standing.failures_said(),
                standing.last_failure_said(),
                standing.since_said(),
            ]
        })
        .collect();
    let widths: [usize; 5] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEAD[column].len()]).max().unwrap_or(0)
    });
    let pad = |cells: [&str; 5]| -> [String; 5] {
        std::array::from_fn(|column| {
            let width = if column == 4 { 0 } else { widths[column] };
            format!("{:<width$}", cells[column])
        })
    };
    let mut lines = vec![paint.paint(Colour::Bold, &pad(HEAD).join("  "))];
    for (shown, row) in shown.iter().zip(&rows) {
        let mut cells = pad(row.each_ref().map(String::as_str));
        cells[1] = paint.paint(Colour::of(&shown.standing), &cells[1]);
        lines.push(cells.join("  "));
        if let Some(forced) = &shown.standing.forced {
            lines.push(paint.paint(Colour::Dim, &format!("  {}", forced.explained())));
        }
    }
    lines
}
