//! Guards of decisions, taken away from outside: by what a decision gets to see, or by what is made of its write.

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::{Item, name};
use breaker::update::{Assignment, Update};

use crate::design::{About, Design, Kind, assigned};
use crate::law::Law;
use crate::refuted::is_slice;

/// A guard of a decision that was taken away from outside: by what the decision gets to see.
pub struct RemovedGuard {
    /// What no longer holds anybody back.
    pub text: &'static str,
    /// Where it shows.
    pub scenario: &'static str,
    /// The law that is broken first.
    pub broken: Law,
    /// Ours, less the guard.
    pub design: fn() -> Design,
}

/// Each guard that can be taken away from outside.
pub const GUARDS: [RemovedGuard; 16] = [
    RemovedGuard {
        text: "grant the probe: only when it is due",
        scenario: "leases",
        broken: Law::OneLease,
        design: || Design {
            shown_to_acquisition: Some(|item| without(item, name::OPEN_UNTIL)),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "grant the probe: not when forced open",
        scenario: "overrides on an open circuit",
        broken: Law::NoLeaseUnderForcedOpen,
        design: || Design {
            shown_to_acquisition: Some(|item| without(item, name::OVERRIDE)),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "count a failure: not when forced closed when it went out",
        scenario: "overrides on a closed circuit",
        broken: Law::NothingRecordedUnderForcedClosed,
        design: || Design {
            shown_to_recording: Some(|item, _| without(item, name::OVERRIDE)),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "count a failure: never re-decided to another epoch",
        scenario: "openings",
        broken: Law::NoLateFailure,
        design: || Design {
            recounts: true,
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "probe succeeded or failed: only while the token is mine",
        scenario: "leases",
        broken: Law::NoLateProbe,
        design: || Design {
            shown_to_recording: Some(as_if_ours),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "start the probe: only if it can end a second before its lease",
        scenario: "clocks",
        broken: Law::NoOverlap,
        design: || Design {
            starts_late: true,
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "grant the probe: also when another's token is there, once its lease is over",
        scenario: "leases",
        broken: Law::Recovers,
        design: || Design {
            shown_to_acquisition: Some(a_lease_for_ever),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "grant the probe: for one lease and no longer",
        scenario: "leases",
        broken: Law::Recovers,
        design: || {
            Design::altered(|kind, _, mut update| {
                for assignment in &mut update.assignments {
                    if let (Kind::Grant, Assignment::Set(name, until)) = (kind, assignment)
                        && name == name::OPEN_UNTIL
                    {
                        *until = Attribute::string(Timestamp::from_ms(u64::MAX));
                    }
                }
                update
            })
        },
    },
    RemovedGuard {
        text: "count a failure: replace a slice that can't be added to",
        scenario: "an unreadable item",
        broken: Law::NeverDead,
        design: || {
            Design::altered(|kind, _, update| match kind {
                Kind::CountReplaces => add_instead(update),
                _ => update,
            })
        },
    },
    RemovedGuard {
        text: "open: only failures in eleven consecutive slices are added up",
        scenario: "window",
        broken: Law::FarFailuresNeverCombine,
        design: || Design {
            shown_to_recording: Some(all_in_one_slice),
            ..Design::altered(remove_every_slice)
        },
    },
    RemovedGuard {
        text: "probe failed: successes in a row begin again",
        scenario: "successes in a row",
        broken: Law::SuccessesInARow,
        design: || Design::without_assignment(Kind::ProbeFails, name::PROBE_SUCCESSES),
    },
    RemovedGuard {
        text: "an item with an override has no expiry",
        scenario: "expiry",
        broken: Law::OverridesArePersons,
        design: || {
            Design::altered(|kind, _, mut update| {
                if kind == Kind::Force {
                    update
                        .assignments
                        .retain(|assignment| assigned(assignment) != name::EXPIRES_AT);
                }
                update
            })
        },
    },
    RemovedGuard {
        text: "automatic writes leave overrides alone",
        scenario: "overrides on an open circuit",
        broken: Law::OverridesArePersons,
        design: || {
            Design::altered(|kind, _, mut update| {
                if kind == Kind::ProbeCloses {
                    update.assignments.push(Assignment::Remove(name::OVERRIDE.to_owned()));
                }
                update
            })
        },
    },
    RemovedGuard {
        text: "the workflow: who reads forced open does not call",
        scenario: "overrides on a closed circuit",
        broken: Law::ForcedOpenNeverCalls,
        design: || Design {
            shown_to_workflow: Some(|item| without(item, name::OVERRIDE)),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "the workflow: who reads open and not due does not call",
        scenario: "openings",
        broken: Law::Gate,
        design: || Design {
            shown_to_workflow: Some(|item| without(item, name::STATE)),
            ..Design::default()
        },
    },
    RemovedGuard {
        text: "a new epoch with every write but a count",
        scenario: "openings",
        broken: Law::OnlyCountsWithinAnEpoch,
        design: || {
            Design::altered(|_, _, mut update| {
                update
                    .assignments
                    .retain(|assignment| assigned(assignment) != name::EPOCH);
                update
            })
        },
    },
];

fn without(item: Item, name: &str) -> Item {
    let mut attributes = item.into_attributes();
    attributes.remove(name);
    attributes.into()
}

fn a_lease_for_ever(item: Item) -> Item {
    let is_out = item.probe_token().is_some();
    let mut attributes = item.into_attributes();
    if is_out {
        let never = Timestamp::from_ms(u64::MAX);
        attributes.insert(name::OPEN_UNTIL.to_owned(), Attribute::string(never));
    }
    attributes.into()
}

fn add_instead(mut update: Update) -> Update {
    update
        .conditions
        .retain(|condition| About::of(condition.attribute()) != About::Slice);
    for assignment in &mut update.assignments {
        if let Assignment::Set(name, _) = &*assignment
            && is_slice(name)
        {
            *assignment = Assignment::Add(name.clone(), 1);
        }
    }
    update
}

fn all_in_one_slice(item: Item, _: Option<&str>) -> Item {
    let mut attributes = item.into_attributes();
    let slices: Vec<String> = attributes.keys().filter(|name| is_slice(name)).cloned().collect();
    let counts = slices.iter().filter_map(|name| attributes.remove(name));
    let sum: u64 = counts.filter_map(|count| count.as_count()).sum();
    if let Some(newest) = slices.last() {
        attributes.insert(newest.clone(), Attribute::number(sum));
    }
    attributes.into()
}

/// What sees one slice removes one: here all that are there go, so that only the adding up differs.
fn remove_every_slice(kind: Kind, on: &Item, mut update: Update) -> Update {
    if !kind.is_count() {
        update.assignments.retain(|assignment| !is_slice(assigned(assignment)));
        let slices = on.attributes().keys().filter(|name| is_slice(name));
        update.assignments.extend(slices.cloned().map(Assignment::Remove));
    }
    update
}

fn as_if_ours(item: Item, token: Option<&str>) -> Item {
    let mut attributes: Attributes = item.into_attributes();
    if let (Some(token), true) = (token, attributes.contains_key(name::PROBE_TOKEN)) {
        attributes.insert(name::PROBE_TOKEN.to_owned(), Attribute::string(token));
    }
    attributes.into()
}
