//! The situations in which a Task runs, and what comes of each when nothing fails.

use serde_json::{Value, json};

/// How long an opened circuit of these cases waits: longer than two requests take, short enough to wait for.
pub const OPEN_MS: u64 = 2500;
/// How long a lease of theirs holds.
pub const LEASE_MS: u64 = 3200;
/// The least lease is 2001 ms longer.
pub const TIMEOUT_MS: u64 = 1000;

/// Where a circuit stands, and what the partner does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// Closed, and the partner works.
    Healthy,
    /// Closed, and a failure that is one of several.
    Counts,
    /// Closed, and the failure that opens it.
    Opens,
    /// Open and due, and the partner works.
    Closes,
    /// Open and due, and the partner fails.
    Reopens,
    /// Open and not due.
    Open,
    /// As `Closes`, in a person's dry run.
    ClosesInDryRun,
}

/// What is left of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// What was there.
    Unchanged,
    /// One failure more, of so many.
    Counted(u64),
    /// It opened.
    Opened,
    /// A probe closed it.
    Closed,
    /// A probe opened it anew.
    Reopened,
    /// A lease is out that nobody gives back.
    LeaseOut,
    /// The lease was given back.
    Freed,
}

/// What one request came to.
#[derive(Clone, Copy, Debug)]
pub struct Came {
    /// The answer's reason.
    pub reason: &'static str,
    /// The item.
    pub left: Left,
    /// Whether the transition was announced.
    pub announced: bool,
    /// Requests that reached the partner.
    pub hits: u64,
}

impl Situation {
    pub const ALL: [Self; 7] = [
        Self::Healthy,
        Self::Counts,
        Self::Opens,
        Self::Closes,
        Self::Reopens,
        Self::Open,
        Self::ClosesInDryRun,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Counts => "counts",
            Self::Opens => "opens",
            Self::Closes => "closes",
            Self::Reopens => "reopens",
            Self::Open => "open",
            Self::ClosesInDryRun => "dry-run",
        }
    }

    /// Whether a lease is asked for.
    pub fn probes(self) -> bool {
        matches!(self, Self::Closes | Self::Reopens | Self::ClosesInDryRun)
    }

    pub fn item(self) -> Option<Value> {
        let open = |until: i64| json!({ "state": "OPEN", "epoch": 7, "openUntil": { "$now": until }, "openings": 2 });
        Some(match self {
            Self::Healthy => return None,
            Self::Counts => json!({ "state": "CLOSED", "epoch": 7, "$slices": { "0": 1 } }),
            Self::Opens => json!({ "state": "CLOSED", "epoch": 7, "$slices": { "0": 4 } }),
            Self::Closes | Self::Reopens => open(-1000),
            Self::Open => open(3000),
            Self::ClosesInDryRun => {
                let mut item = open(-1000);
                item["override"] = "DRY_RUN".into();
                item
            }
        })
    }

    /// Whether the partner works.
    pub fn partner_works(self) -> bool {
        !matches!(self, Self::Counts | Self::Opens | Self::Reopens)
    }

    /// What comes of a request when nothing fails.
    pub fn well(self) -> Came {
        let reason = if self.partner_works() { "live" } else { "error" };
        let came = |left| Came {
            reason,
            left,
            announced: true,
            hits: 1,
        };
        match self {
            Self::Healthy => came(Left::Unchanged),
            Self::Counts => came(Left::Counted(2)),
            Self::Opens => came(Left::Opened),
            Self::Closes | Self::ClosesInDryRun => came(Left::Closed),
            Self::Reopens => came(Left::Reopened),
            Self::Open => Came {
                reason: "open",
                hits: 0,
                ..came(Left::Unchanged)
            },
        }
    }

    /// The partner's own failure, in the words of the one that stands in its place: a caller that hangs.
    pub fn caller_hung(self) -> Came {
        let came = |left| Came {
            reason: "error",
            left,
            announced: true,
            hits: 0,
        };
        match self {
            Self::Healthy => came(Left::Counted(1)),
            Self::Counts => came(Left::Counted(2)),
            Self::Opens => came(Left::Opened),
            _ => came(Left::Reopened),
        }
    }

    /// A call that says nothing about the partner.
    pub fn undecided(self, reason: &'static str) -> Came {
        let left = if self.probes() { Left::Freed } else { Left::Unchanged };
        Came {
            reason,
            left,
            announced: false,
            hits: 0,
        }
    }

    /// What is announced of a transition.
    pub fn event(self, left: Left) -> Option<&'static str> {
        match left {
            Left::Opened => Some("CircuitOpened"),
            Left::Closed => Some("CircuitClosed"),
            Left::Reopened if self == Self::ClosesInDryRun => Some("CircuitWouldReopen"),
            Left::Reopened => Some("CircuitReopened"),
            _ => None,
        }
    }
}

impl Left {
    /// In the form of a case.
    pub fn told(self) -> Value {
        let any = json!({ "$any": true });
        let now = json!({ "$at": 0 });
        let failed = |mut left: Value| {
            left["failingUntil"] = any.clone();
            left["lastFailure"] = any.clone();
            left
        };
        // A grant and what follows it may fall into one millisecond: then the second epoch is one more.
        let epoch = json!({ "$from": 0, "$to": 1 });
        match self {
            Self::Unchanged => "unchanged".into(),
            Self::Counted(failures) => failed(json!({ "$failures": failures })),
            Self::Opened => failed(json!({
                "state": "OPEN", "epoch": epoch, "changedAt": now, "openUntil": { "$at": OPEN_MS },
                "openings": 1, "probeSuccesses": 0, "$failures": 0
            })),
            Self::Closed => {
                json!({ "state": "CLOSED", "epoch": epoch, "changedAt": now, "openUntil": null, "openings": null })
            }
            Self::Reopened => json!({
                "epoch": epoch, "changedAt": now, "openUntil": { "$at": OPEN_MS }, "openings": 3, "probeSuccesses": 0
            }),
            Self::LeaseOut => json!({
                "epoch": epoch, "changedAt": now, "openUntil": { "$at": LEASE_MS }, "probeToken": any
            }),
            Self::Freed => json!({ "epoch": epoch, "changedAt": now, "openUntil": now }),
        }
    }

    /// Whether nobody calls for a while.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Opened | Self::Reopened | Self::LeaseOut)
    }
}
