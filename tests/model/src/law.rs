//! What must hold in every interleaving, in the words of `protocol.md`, and the set of those that were broken.

use breaker::policy::Trip;
use stateright::Property;

use crate::state::{Accepted, State};
use crate::system::System;

/// One law of the protocol. The number is that of *What must hold in every interleaving*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Law {
    /// Of 1.
    OneLease,
    /// Of 1.
    OneCallPerLease,
    /// Of 1.
    NoOverlap,
    /// 2, first half.
    NoLateFailure,
    /// 2, second half.
    NoLateProbe,
    /// 3.
    OnlyCountsWithinAnEpoch,
    /// Of 4.
    OverridesArePersons,
    /// Of 4.
    ForcedOpenNeverCalls,
    /// Of 4.
    NoLeaseUnderForcedOpen,
    /// Of *Overrides*.
    NothingRecordedUnderForcedClosed,
    /// 5, first sentence.
    Opens,
    /// 5, second sentence.
    NeverDead,
    /// Of *Counting*.
    FarFailuresNeverCombine,
    /// Of *Counting*.
    OldSlicesGo,
    /// Of 6.
    OneAnnouncement,
    /// Of 6.
    SuccessesInARow,
    /// 7.
    Recovers,
    /// Of *The item*.
    TokenWhileOut,
    /// Of *The item*.
    OpeningsInARow,
    /// Of *Decisions*: close and reset.
    ClosingForgets,
    /// Of *Decisions*, `reset`.
    ResetForgets,
    /// The gate.
    Gate,
    /// Of *Decisions*, the last row.
    ShownToThatPerson,
}

impl Law {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::OneLease,
        Self::OneCallPerLease,
        Self::NoOverlap,
        Self::NoLateFailure,
        Self::NoLateProbe,
        Self::OnlyCountsWithinAnEpoch,
        Self::OverridesArePersons,
        Self::ForcedOpenNeverCalls,
        Self::NoLeaseUnderForcedOpen,
        Self::NothingRecordedUnderForcedClosed,
        Self::Opens,
        Self::NeverDead,
        Self::FarFailuresNeverCombine,
        Self::OldSlicesGo,
        Self::OneAnnouncement,
        Self::SuccessesInARow,
        Self::Recovers,
        Self::TokenWhileOut,
        Self::OpeningsInARow,
        Self::ClosingForgets,
        Self::ResetForgets,
        Self::Gate,
        Self::ShownToThatPerson,
    ];

    /// The law in the document's words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::OneLease => "1. At most one lease at a time",
            Self::OneCallPerLease => "1. At most one call per lease",
            Self::NoOverlap => "1. Two probe calls never overlap as long as clocks agree to a second",
            Self::NoLateFailure => "2. A failure of an earlier epoch changes nothing",
            Self::NoLateProbe => "2. A probe result whose lease was taken or reset changes nothing",
            Self::OnlyCountsWithinAnEpoch => {
                "3. Within one epoch nothing but counts changes; so no late failure moves openUntil"
            }
            Self::OverridesArePersons => "4. No automatic step, TTL included, changes an override",
            Self::ForcedOpenNeverCalls => "4. An execution whose read returned forced OPEN never calls",
            Self::NoLeaseUnderForcedOpen => "4. No lease is granted under forced OPEN",
            Self::NothingRecordedUnderForcedClosed => {
                "Overrides: under forced CLOSED everybody calls, nothing is recorded"
            }
            Self::Opens => {
                "5. As soon as N accepted failures of one epoch lie within the window, the breaker opens, or with the next one"
            }
            Self::NeverDead => "5. N fresh failures always open a closed breaker: it is never dead",
            Self::FarFailuresNeverCombine => {
                "Counting: failures further apart than windowMs plus one slice never combine"
            }
            Self::OldSlicesGo => {
                "Counting: a count removes the slices that the item read shows to be too old (22; in a short window two seconds more)"
            }
            Self::OneAnnouncement => {
                "6. At most one announcement per circuit and epoch, by the writer that made it, never retried"
            }
            Self::SuccessesInARow => "6. Closing takes successesToClose successes in a row",
            Self::Recovers => {
                "7. With a healthy partner and no override, CLOSED is reachable; each dead holder delays it by one lease at most"
            }
            Self::TokenWhileOut => "The item: probeToken is present while a probe is out",
            Self::OpeningsInARow => {
                "The item: openings counts openings, failed probes and lost leases in a row since the last close"
            }
            Self::ClosingForgets => {
                "Decisions: opening removes the slices seen; closing and reset also token, openUntil, openings, probeSuccesses"
            }
            Self::ResetForgets => "Decisions: a reset forgets every failure that was counted before it",
            Self::Gate => "One gate: openUntil says until when nobody calls, and what is due is one probe's",
            Self::ShownToThatPerson => {
                "Decisions: a person's write is made on the item shown to that person, and does what it says"
            }
        }
    }
}

/// A set of laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Laws(u32);

impl Laws {
    /// Adds one.
    pub fn add(&mut self, law: Law) {
        self.0 |= 1 << law as u8;
    }

    /// Whether it is in.
    pub fn has(self, law: Law) -> bool {
        self.0 & (1 << law as u8) != 0
    }

    /// Whether none is.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are in.
    pub fn iter(self) -> impl Iterator<Item = Law> {
        Law::ALL.into_iter().filter(move |law| self.has(*law))
    }
}

macro_rules! always {
    ($($law:ident),*) => {
        vec![$(Property::always(Law::$law.text(), |system: &System, state: &State| {
            !(state.ghost.broken.has(Law::$law) && system.is_first(Law::$law as u32))
        }),)*]
    };
}

/// The laws as properties of the model.
pub(crate) fn properties() -> Vec<Property<System>> {
    let mut all: Vec<Property<System>> = always![
        OneLease,
        OneCallPerLease,
        NoOverlap,
        NoLateFailure,
        NoLateProbe,
        OnlyCountsWithinAnEpoch,
        OverridesArePersons,
        ForcedOpenNeverCalls,
        NoLeaseUnderForcedOpen,
        NothingRecordedUnderForcedClosed,
        Opens,
        FarFailuresNeverCombine,
        OldSlicesGo,
        OneAnnouncement,
        SuccessesInARow,
        TokenWhileOut,
        OpeningsInARow,
        ClosingForgets,
        ResetForgets,
        Gate,
        ShownToThatPerson
    ];
    all.push(Property::always(Law::NeverDead.text(), |system, state| {
        system.is_alive(state) || !system.is_first(Law::NeverDead as u32)
    }));
    all.push(Property::always(Law::Recovers.text(), |system, state| {
        system.recovers(state) || !system.is_first(Law::Recovers as u32)
    }));
    all
}

/// How many slices back a count removes nothing: 22, which leaves two for clocks that disagree. Two seconds of that are
/// promised, and more slices are kept where two are shorter.
pub(crate) fn kept(trip: &Trip) -> u64 {
    20 + 2.max(2000_u64.div_ceil(trip.window_ms / 10))
}

/// Whether so many of these failures lie within the window, and none of them has aged away: then it opens.
pub(crate) fn must_open(accepted: &[Accepted], trip: &Trip) -> bool {
    let there: Vec<u64> = accepted
        .iter()
        .filter(|failure| !failure.may_be_gone)
        .map(|failure| failure.at_ms)
        .collect();
    within(&there, trip.failures, trip.window_ms)
}

/// Whether so many of these failures lie no further apart than the window and one slice: else it must not open.
pub(crate) fn may_open(accepted: &[Accepted], trip: &Trip) -> bool {
    let all: Vec<u64> = accepted.iter().map(|failure| failure.at_ms).collect();
    within(&all, trip.failures, trip.window_ms + trip.window_ms / 10)
}

fn within(stamps: &[u64], failures: u32, ms: u64) -> bool {
    stamps
        .windows(failures as usize)
        .any(|group| group[group.len() - 1] - group[0] <= ms)
}
