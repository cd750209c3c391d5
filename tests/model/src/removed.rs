//! Our own design less one thing: what the model must find, or the thing is not needed.

use breaker::item::name;

use crate::design::{About, Kind, SLICES};
use crate::law::Law;

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
        removed(Kind::Reset, SLICES, "resets", Law::ResetForgets),
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
