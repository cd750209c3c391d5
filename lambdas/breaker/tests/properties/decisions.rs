//! Every update that is decided on an item, by its name.

use breaker::clock::Timestamp;
use breaker::decision::{self, Failure, Forcing, ProbeResult};
use breaker::item::{Item, Override};
use breaker::policy::Policy;
use breaker::update::Update;

pub fn failure() -> Failure {
    Failure {
        kind: "timeout".into(),
        message: "no answer in time".into(),
    }
}

/// All that may be written on `seen`: by the execution of `token`, and by a person.
pub fn all(policy: &Policy, seen: &Item, token: &str, now: Timestamp) -> Vec<(&'static str, Update)> {
    let forcing = |kind, until| Forcing {
        kind,
        until,
        by: "ann".into(),
        reason: None,
    };
    let mut all = vec![
        ("force open", decision::force(seen, &forcing(Override::Open, None), now)),
        (
            "force closed",
            decision::force(seen, &forcing(Override::Closed, Some(now.plus_ms(9))), now),
        ),
        ("lift", decision::lift(seen, now)),
        ("reset", decision::reset(&policy.trip, seen, now)),
    ];
    let count = decision::count(&policy.trip, seen, &failure(), now, now);
    all.extend(count.map(|update| ("count", update)));
    all.extend(decision::open(policy, seen, now).map(|update| ("open", update)));
    all.extend(decision::grant(policy, seen, token, now).map(|update| ("grant", update)));
    for (name, result) in [
        ("probe succeeded", ProbeResult::Succeeded),
        ("probe failed", ProbeResult::Failed),
        ("probe undecided", ProbeResult::Undecided),
    ] {
        all.extend(decision::conclude(policy, seen, token, result, now).map(|(update, _)| (name, update)));
    }
    all
}
