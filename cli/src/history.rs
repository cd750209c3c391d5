//! `history`: the transitions of a circuit, as they were announced. Each names the epoch that it followed; where that is
//! not the one before, something came between that was not announced, or whose announcement got lost: a hole.

use std::io::Write;

use breaker::clock::Timestamp;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::circuits::{Circuits, now};
use crate::connection::Connection;
use crate::error::{CommandError, with_sources};
use crate::options::{ConnectionOptions, HistoryOptions};
use crate::standing::time_of_day;
use crate::status::look;
use crate::text::{printable, safe_json};

const OPERATION: &str = "GET /_local/events";

/// An event of a circuit, as it is on the bus.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Announced {
    #[serde(default, rename = "detail-type")]
    kind: String,
    detail: Detail,
}

/// What every transition carries; an event without an epoch is no transition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    circuit: String,
    epoch: u64,
    previous_epoch: u64,
    at: String,
    open_until: Option<String>,
    #[serde(default)]
    openings: u64,
}

/// Prints what was announced of a circuit, and what its item says of the last change.
///
/// # Errors
/// The circuit is not found, or its events can't be read.
pub(crate) async fn history(connection: &ConnectionOptions, options: &HistoryOptions) -> Result<(), CommandError> {
    let connected = Connection::open(connection).await?;
    let circuits = Circuits::find(&connected, connection.table.as_deref()).await?;
    let circuit = options.circuit.as_str();
    let items = look(&circuits, Some(circuit)).await?;
    let epoch = items.get(circuit).map_or(0, breaker::item::Item::epoch);
    let Some(endpoint) = &connected.loopback else {
        return Err(CommandError::Configuration {
            found: "the events of a deployed circuit are on EventBridge, which keeps none".to_owned(),
            allowed: "history is of the local system only; see the log group of the circuit's record-outcome"
                .to_owned(),
        });
    };
    let (events, dropped) = kept(endpoint).await?;
    let mut ours: Vec<_> = events
        .into_iter()
        .filter(|event| event.detail.circuit == circuit)
        .collect();
    ours.sort_by_key(|event| event.detail.epoch);
    let told = Told {
        events: &ours,
        epoch,
        dropped,
    };
    let mut out = std::io::stdout().lock();
    if options.json {
        writeln!(out, "{}", safe_json(&format!("{:#}", told.json(circuit))))?;
    } else {
        for line in told.lines(now()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

struct Told<'e> {
    events: &'e [Announced],
    /// The circuit's epoch now.
    epoch: u64,
    /// How many events of all circuits are not kept any more.
    dropped: u64,
}

/// Epochs that began without an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    after: u64,
    before: u64,
}

impl Told<'_> {
    /// The hole before each event. There is none before the first: what came earlier may have been dropped.
    fn holes(&self) -> Vec<Option<Hole>> {
        let mut last = None;
        let holes = self.events.iter().map(|event| {
            let hole = last.and_then(|after| hole(after, event.detail.previous_epoch));
            last = Some(event.detail.epoch);
            hole
        });
        holes.collect()
    }

    fn last_hole(&self) -> Option<Hole> {
        hole(self.events.last()?.detail.epoch, self.epoch)
    }

    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = Vec::new();
        if self.dropped > 0 {
            lines.push(format!("({} older events are not kept any more)", self.dropped));
        }
        if self.events.is_empty() {
            lines.push("Nothing was announced.".to_owned());
        }
        for (event, hole) in self.events.iter().zip(self.holes()) {
            lines.extend(hole.map(|hole| hole.said(now)));
            lines.push(event.said(now));
        }
        lines.extend(self.last_hole().map(|hole| hole.said(now)));
        lines
    }

    fn json(&self, circuit: &str) -> Value {
        let mut told = Vec::new();
        for (event, hole) in self.events.iter().zip(self.holes()) {
            told.extend(hole.map(Hole::json));
            told.push(json!({
                "event": event.kind,
                "at": event.detail.at,
                "epoch": event.detail.epoch,
                "previousEpoch": event.detail.previous_epoch,
                "openUntil": event.detail.open_until,
                "openings": event.detail.openings,
            }));
        }
        told.extend(self.last_hole().map(Hole::json));
        json!({ "circuit": circuit, "epoch": self.epoch, "history": told, "dropped": self.dropped })
    }
}

fn hole(after: u64, before: u64) -> Option<Hole> {
    (after != before).then_some(Hole { after, before })
}

impl Hole {
    /// An epoch is the time when it began, unless clocks disagree.
    fn said(self, now: Timestamp) -> String {
        let by = time_of_day(Timestamp::from_ms(self.before), now);
        let between = "a probe's lease, an override, or an announcement that got lost";
        format!(
            "{by:<10} ~ not announced: epoch {} to {} ({between})",
            self.after, self.before
        )
    }

    fn json(self) -> Value {
        json!({ "hole": { "after": self.after, "before": self.before } })
    }
}

impl Announced {
    fn said(&self, now: Timestamp) -> String {
        let at = match Timestamp::parse(&self.detail.at) {
            Some(at) => time_of_day(at, now),
            None => printable(&self.detail.at),
        };
        let until = self.detail.open_until.as_deref().and_then(Timestamp::parse);
        let until = until.map(|until| format!(", open until {}", time_of_day(until, now)));
        let nth = match self.detail.openings {
            0 | 1 => String::new(),
            openings => format!(", {openings} in a row"),
        };
        let kind = printable(&self.kind);
        format!(
            "{at:<10} {kind}{}{nth}  (epoch {})",
            until.unwrap_or_default(),
            self.detail.epoch
        )
    }
}

/// The events that the local system keeps, and how many it does not any more.
async fn kept(endpoint: &Url) -> Result<(Vec<Announced>, u64), CommandError> {
    let failed = |why: String| CommandError::Service {
        operation: OPERATION,
        why: printable(&why),
    };
    let url = endpoint
        .join("/_local/events")
        .map_err(|error| failed(error.to_string()))?;
    let url = url
        .as_str()
        .parse()
        .map_err(|_| failed(format!("{url} is no address")))?;
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let answer = client.get(url).await.map_err(|error| failed(with_sources(&error)))?;
    if !answer.status().is_success() {
        return Err(failed(format!(
            "{}: this endpoint is no local system of stepbreaker",
            answer.status()
        )));
    }
    let body = answer
        .into_body()
        .collect()
        .await
        .map_err(|error| failed(with_sources(&error)))?;
    let kept: Kept = serde_json::from_slice(&body.to_bytes()).map_err(|error| failed(error.to_string()))?;
    // What is no transition has other fields, or none of these.
    let transitions = kept
        .events
        .into_iter()
        .filter_map(|event| serde_json::from_value(event).ok());
    Ok((transitions.collect(), kept.dropped))
}

#[derive(Debug, Deserialize)]
struct Kept {
    events: Vec<Value>,
    dropped: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, epoch: u64, previous_epoch: u64) -> Announced {
        Announced {
            kind: kind.to_owned(),
            detail: Detail {
                circuit: "a".to_owned(),
                epoch,
                previous_epoch,
                at: Timestamp::from_ms(epoch).to_string(),
                open_until: None,
                openings: 0,
            },
        }
    }

    #[test]
    fn a_hole_is_shown_where_an_epoch_is_not_the_one_before() {
        let events = [
            event("CircuitOpened", 1000, 5),
            event("CircuitReopened", 3000, 1000),
            event("CircuitClosed", 9000, 7000),
        ];
        let told = |epoch| {
            Told {
                events: &events,
                epoch,
                dropped: 2,
            }
            .lines(Timestamp::from_ms(10_000))
        };
        assert_eq!(
            told(9000),
            [
                "(2 older events are not kept any more)",
                "00:00:01Z  CircuitOpened  (epoch 1000)",
                "00:00:03Z  CircuitReopened  (epoch 3000)",
                "00:00:07Z  ~ not announced: epoch 3000 to 7000 (a probe's lease, an override, or an announcement that got lost)",
                "00:00:09Z  CircuitClosed  (epoch 9000)",
            ]
        );
        assert!(told(9500)[5].starts_with("00:00:09Z  ~ not announced: epoch 9000 to 9500 ("));
        let none = Told {
            events: &[],
            epoch: 0,
            dropped: 0,
        };
        assert_eq!(none.lines(Timestamp::from_ms(0)), ["Nothing was announced."]);
    }

    #[test]
    fn a_kind_from_elsewhere_is_escaped() {
        let said = event("\u{1b}[2J", 1000, 0).said(Timestamp::from_ms(1000));
        assert_eq!(said, "00:00:01Z  \\u{1b}[2J  (epoch 1000)");
    }
}
