//! Our own design less one thing: what the model must find, or the thing is not needed.

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::{Item, name};
use breaker::update::{Assignment, Update};

use crate::design::{About, Design, Kind, SLICES};
use crate::law::Law;
use crate::refuted::is_slice;

/// A condition that was taken from a kind of write.
#[derive(Clone, Copy, Debug)]
pub struct RemovedCondition {
    /// Of which write.
    pub kind: Kind,
    /// Which condition.
    pub about: About,
    /// Where it shows.
    pub scenario: &'static str,
    /// The law that is broken first, by a shortest trace.
    pub broken: Law,
}

/// Each condition of each kind of update.
pub const CONDITIONS: [RemovedCondition; 13] = {
    const fn removed(kind: Kind, about: About, scenario: &'static str, broken: Law) -> RemovedCondition {
        RemovedCondition {
            kind,
            about,
            scenario,
            broken,
        }
    }
    use About::{Epoch, Slice};
    [
        removed(Kind::CountAdds, Epoch, "openings", Law::NoLateFailure),
        removed(Kind::CountAdds, Slice, "a slice edited by hand", Law::Opens),
        removed(Kind::CountReplaces, Epoch, "an unreadable item", Law::NoLateFailure),
        removed(Kind::CountReplaces, Slice, "an unreadable item", Law::Opens),
        removed(Kind::Open, Epoch, "openings", Law::NoLateFailure),
        removed(Kind::Grant, Epoch, "leases", Law::OneLease),
        removed(Kind::ProbeCloses, Epoch, "leases", Law::NoLateProbe),
        removed(Kind::ProbeSucceeds, Epoch, "successes in a row", Law::NoLateProbe),
        removed(Kind::ProbeFails, Epoch, "leases", Law::NoLateProbe),
        removed(Kind::ProbeFrees, Epoch, "leases", Law::NoLateProbe),
        removed(
            Kind::Force,
            Epoch,
            "overrides on an open circuit",
            Law::ShownToThatPerson,
        ),
        removed(
            Kind::Lift,
            Epoch,
            "overrides on an open circuit",
            Law::ShownToThatPerson,
        ),
        removed(Kind::Reset, Epoch, "resets", Law::ShownToThatPerson),
    ]
};

/// An assignment that was taken from a kind of write.
#[derive(Clone, Copy, Debug)]
pub struct RemovedAssignment {
    /// Of which write.
    pub kind: Kind,
    /// To which attribute, or [`SLICES`].
    pub attribute: &'static str,
    /// Where it shows.
    pub scenario: &'static str,
    /// A law that is then broken.
    pub broken: Law,
}

/// Each assignment of each kind of update, but those to what nothing reads.
pub const ASSIGNMENTS: [RemovedAssignment; 47] = {
    const fn removed(kind: Kind, attribute: &'static str, scenario: &'static str, broken: Law) -> RemovedAssignment {
        RemovedAssignment {
            kind,
            attribute,
            scenario,
            broken,
        }
    }
    [
        removed(Kind::CountAdds, SLICES, "window", Law::OldSlicesGo),
        removed(Kind::Open, name::STATE, "openings", Law::NeverDead),
        removed(Kind::Open, name::OPEN_UNTIL, "openings", Law::Gate),
        removed(Kind::Open, name::OPENINGS, "openings", Law::OpeningsInARow),
        removed(
            Kind::Open,
            name::PROBE_SUCCESSES,
            "an unreadable item",
            Law::ClosingForgets,
        ),
        removed(Kind::Open, name::PROBE_TOKEN, "an unreadable item", Law::TokenWhileOut),
        removed(Kind::Open, SLICES, "openings", Law::ClosingForgets),
        removed(Kind::Open, name::EPOCH, "openings", Law::OnlyCountsWithinAnEpoch),
        removed(Kind::Grant, name::PROBE_TOKEN, "leases", Law::TokenWhileOut),
        removed(Kind::Grant, name::OPEN_UNTIL, "leases", Law::Gate),
        removed(Kind::Grant, name::OPENINGS, "leases", Law::OpeningsInARow),
        removed(
            Kind::Grant,
            name::PROBE_SUCCESSES,
            "successes in a row",
            Law::SuccessesInARow,
        ),
        removed(Kind::Grant, name::EPOCH, "leases", Law::OnlyCountsWithinAnEpoch),
        removed(Kind::ProbeCloses, name::STATE, "openings", Law::Recovers),
        removed(Kind::ProbeCloses, name::OPENINGS, "openings", Law::OpeningsInARow),
        removed(Kind::ProbeCloses, name::OPEN_UNTIL, "openings", Law::ClosingForgets),
        removed(
            Kind::ProbeCloses,
            name::PROBE_SUCCESSES,
            "openings",
            Law::ClosingForgets,
        ),
        removed(Kind::ProbeCloses, name::PROBE_TOKEN, "openings", Law::TokenWhileOut),
        removed(Kind::ProbeCloses, SLICES, "openings", Law::ClosingForgets),
        removed(Kind::ProbeCloses, name::EPOCH, "openings", Law::OnlyCountsWithinAnEpoch),
        removed(Kind::ProbeSucceeds, name::OPEN_UNTIL, "successes in a row", Law::Gate),
        removed(
            Kind::ProbeSucceeds,
            name::PROBE_SUCCESSES,
            "successes in a row",
            Law::Recovers,
        ),
        removed(
            Kind::ProbeSucceeds,
            name::PROBE_TOKEN,
            "successes in a row",
            Law::TokenWhileOut,
        ),
        removed(
            Kind::ProbeSucceeds,
            name::EPOCH,
            "successes in a row",
            Law::OnlyCountsWithinAnEpoch,
        ),
        removed(Kind::ProbeFails, name::OPEN_UNTIL, "clocks", Law::Gate),
        removed(
            Kind::ProbeFails,
            name::OPENINGS,
            "successes in a row",
            Law::OpeningsInARow,
        ),
        removed(
            Kind::ProbeFails,
            name::PROBE_SUCCESSES,
            "successes in a row",
            Law::SuccessesInARow,
        ),
        removed(
            Kind::ProbeFails,
            name::PROBE_TOKEN,
            "successes in a row",
            Law::TokenWhileOut,
        ),
        removed(
            Kind::ProbeFails,
            name::EPOCH,
            "successes in a row",
            Law::OnlyCountsWithinAnEpoch,
        ),
        removed(Kind::ProbeFrees, name::OPEN_UNTIL, "successes in a row", Law::Gate),
        removed(
            Kind::ProbeFrees,
            name::PROBE_TOKEN,
            "successes in a row",
            Law::TokenWhileOut,
        ),
        removed(
            Kind::ProbeFrees,
            name::EPOCH,
            "successes in a row",
            Law::OnlyCountsWithinAnEpoch,
        ),
        removed(
            Kind::Force,
            name::OVERRIDE,
            "overrides on a closed circuit",
            Law::ShownToThatPerson,
        ),
        removed(
            Kind::Force,
            name::OVERRIDE_UNTIL,
            "overrides on a closed circuit",
            Law::ShownToThatPerson,
        ),
        removed(Kind::Force, name::EXPIRES_AT, "expiry", Law::OverridesArePersons),
        removed(
            Kind::Force,
            name::EPOCH,
            "overrides on a closed circuit",
            Law::OnlyCountsWithinAnEpoch,
        ),
        removed(
            Kind::Lift,
            name::OVERRIDE,
            "overrides on a closed circuit",
            Law::ShownToThatPerson,
        ),
        removed(
            Kind::Lift,
            name::OVERRIDE_UNTIL,
            "overrides on a closed circuit",
            Law::ShownToThatPerson,
        ),
        removed(
            Kind::Lift,
            name::EXPIRES_AT,
            "overrides on a closed circuit",
            Law::ShownToThatPerson,
        ),
        removed(
            Kind::Lift,
            name::EPOCH,
            "overrides on a closed circuit",
            Law::OnlyCountsWithinAnEpoch,
        ),
        removed(Kind::Reset, name::STATE, "resets", Law::ShownToThatPerson),
        removed(Kind::Reset, name::OPENINGS, "resets", Law::OpeningsInARow),
        removed(Kind::Reset, name::OPEN_UNTIL, "resets", Law::ClosingForgets),
        removed(Kind::Reset, name::PROBE_SUCCESSES, "resets", Law::ClosingForgets),
        removed(Kind::Reset, name::PROBE_TOKEN, "resets", Law::TokenWhileOut),
        removed(Kind::Reset, SLICES, "resets", Law::ClosingForgets),
        removed(Kind::Reset, name::EPOCH, "resets", Law::OnlyCountsWithinAnEpoch),
    ]
};

/// What no decision reads: it is for people, for DynamoDB's clean-up and for policies that are still to come.
pub const NOT_READ: [&str; 6] = [
    name::CHANGED_AT,
    name::LAST_FAILURE,
    name::FAILING_UNTIL,
    name::EXPIRES_AT,
    name::OVERRIDE_BY,
    name::OVERRIDE_REASON,
];

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
                        .retain(|assignment| crate::design::assigned(assignment) != name::EXPIRES_AT);
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
                    .retain(|assignment| crate::design::assigned(assignment) != name::EPOCH);
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
        update
            .assignments
            .retain(|assignment| !is_slice(crate::design::assigned(assignment)));
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
