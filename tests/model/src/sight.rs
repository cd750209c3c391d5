//! What must be seen happening, so that a law does not hold only because nothing ever happens.

use breaker::item::State as Stored;
use stateright::Property;

use crate::law::Law;
use crate::state::State;
use crate::system::System;

macro_rules! sights {
    ($($(#[$doc:meta])* $name:ident: $text:literal, $when:expr;)*) => {
        /// A kind of step, or a combination of them, that a scenario really reaches.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Sight { $($(#[$doc])* $name,)* }

        impl Sight {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// In words.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// As a property of the model.
            pub(crate) fn property(self) -> Property<System> {
                match self { $(Self::$name => Property::sometimes($text, |system, state: &State| {
                    let when: fn(&System, &State) -> bool = $when;
                    when(system, state) && system.is_first(Law::ALL.len() as u32 + Self::$name as u32)
                }),)* }
            }
        }
    };
}

sights! {
    /// Three callers.
    ThreeAtOnce: "three callers are on their way at once", |_, state| state.on_their_way() == 3;
    /// Both openings by failures.
    TwoOpenings: "it opens, is closed by a probe, and opens again", |_, state| state.ghost.openings >= 2;
    /// A failed probe.
    Reopens: "a probe fails and the wait starts anew", |system, state| system.saw(state, Event::Reopened);
    /// Several successes.
    HalfWay: "a probe succeeds and more successes are needed", |_, state| state.ghost.successes > 0;
    /// The way back.
    ClosesAgain: "a probe closes it", |system, state| system.saw(state, Event::Closed);
    /// A lease that nobody gives back.
    HolderDies: "the holder of a lease dies", |system, state| system.saw(state, Event::HolderDied);
    /// A lease that another takes.
    LeaseLost: "a lease runs out and another execution takes it", |system, state| system.saw(state, Event::LeaseLost);
    /// The lost lease's holder was only slow.
    LateProbe: "a probe's result comes after its lease was taken, and is refused or passed over",
        |system, state| system.saw(state, Event::LateProbe);
    /// As it succeeds.
    LateSuccess: "a probe's success comes after its lease was taken, and is refused",
        |system, state| system.saw(state, Event::LateSuccess);
    /// And with a lease that nobody took.
    LapsedButHeld: "a probe's result comes after its lease ran out but before anybody took it, and counts",
        |system, state| system.saw(state, Event::LapsedProbe);
    /// The recorder of the threshold's failure.
    RecorderDies: "a recorder dies between its count and its opening",
        |system, state| system.saw(state, Event::RecorderDied);
    /// The next accepted failure opens instead.
    OpensAfterRecorderDied: "after that, the next failure opens it",
        |_, state| state.ghost.happened.has(Event::RecorderDied) && state.ghost.openings >= 1;
    /// Of a grant.
    GrantRepeated: "a grant's answer is lost although it was applied, and its repeat finds its own token",
        |system, state| system.saw(state, Event::GrantRecognised);
    /// Of any other write.
    AnswerLost: "another write's answer is lost although it was applied",
        |system, state| system.saw(state, Event::AnswerLost);
    /// A stale read that matters.
    StaleCall: "a stale read lets a call out while it is open", |system, state| system.saw(state, Event::StaleCall);
    /// A stale read that asks for the lease.
    StaleAcquire: "a stale read asks for a lease that is no longer to be had",
        |system, state| system.saw(state, Event::StaleAcquire);
    /// Counts of two slices.
    SliceTurns: "failures in two slices open it together", |system, state| system.saw(state, Event::OpenedAcrossSlices);
    /// A count that is no more in the window.
    FailureAges: "two accepted failures are too far apart to open it", |system, state| system.saw(state, Event::FarApart);
    /// A count that is written after a newer one.
    WrittenLate: "a failure is written after a newer one", |system, state| system.saw(state, Event::WrittenLate);
    /// The late failure.
    LateFailure: "a failure comes after it opened, and changes nothing",
        |system, state| system.saw(state, Event::LateFailure);
    /// The lease was no longer to be had.
    ClosedAtLease: "who asks for the lease finds it closed, and calls as usual",
        |system, state| system.saw(state, Event::ClosedAtLease);
    /// Too late to start.
    TooLateToStart: "a probe would start too late for its lease, and gives it back",
        |system, state| system.saw(state, Event::TooLate);
    /// Forced open.
    ForcedOpen: "a person forces it open while a call is out",
        |system, state| system.saw(state, Event::ForcedOpen);
    /// Forced closed.
    ForcedClosed: "a person forces it closed while it is open", |system, state| system.saw(state, Event::ForcedClosed);
    /// Dry run.
    DryRunCalls: "under a dry run an open circuit is called all the same",
        |system, state| system.saw(state, Event::DryRunCall);
    /// An override that ends by time.
    OverrideEnds: "an override's end comes",
        |_, state| state.table.item.has_override() && state.table.item.forced(state.now()).is_none();
    /// Lifted by hand.
    Lifted: "a person lifts an override", |system, state| system.saw(state, Event::Lifted);
    /// Reset with a probe out.
    ResetUnderProbe: "a person resets it while a probe is out",
        |system, state| system.saw(state, Event::ResetUnderProbe);
    /// Somebody changed it since it was shown.
    PersonRefused: "a person's write is refused, because the item is not the one that was shown",
        |system, state| system.saw(state, Event::PersonRefused);
    /// A person's write between the count and the opening.
    OpenOvertaken: "a person's write overtakes an opening", |system, state| system.saw(state, Event::OpenOvertaken);
    /// A grant's refusal under forced open.
    RefusedByForce: "who asks for the lease finds it forced open", |system, state| system.saw(state, Event::ForcedAtLease);
    /// A probe that was out when an override came still records.
    ProbeUnderOverride: "a probe that is out when an override is set still records",
        |system, state| system.saw(state, Event::ProbeUnderOverride);
    /// Deletion.
    Expires: "DynamoDB deletes the item", |system, state| system.saw(state, Event::Expired);
    /// And life goes on.
    OpensAfterExpiry: "it opens after it was deleted",
        |_, state| state.ghost.happened.has(Event::Expired) && state.table.item.state() == Stored::Open;
    /// A slice that is no number of ours.
    Edited: "a slice is made unreadable while a failure is on its way",
        |system, state| system.saw(state, Event::Edited);
    /// A slice of the wrong kind gave way.
    ReplacedOnce: "two recorders find an unreadable slice: one replaces it, the other adds to it",
        |system, state| system.saw(state, Event::AddedAfterReplace);
    /// Clocks that disagree.
    ClockAhead: "a lease is granted by a clock that is ahead", |system, state| system.saw(state, Event::ClockAhead);
}

/// What happens on the way to a state. The state itself remembers only what its budget tells anyway, since a longer
/// memory would only multiply the states; the rest is noted of the whole exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "each is the happening of the sight of its name")]
pub enum Event {
    Reopened,
    Closed,
    HolderDied,
    LeaseLost,
    LateProbe,
    LateSuccess,
    LapsedProbe,
    RecorderDied,
    GrantRecognised,
    AnswerLost,
    StaleCall,
    StaleAcquire,
    OpenedAcrossSlices,
    FarApart,
    WrittenLate,
    LateFailure,
    ClosedAtLease,
    TooLate,
    ForcedOpen,
    ForcedClosed,
    DryRunCall,
    Lifted,
    ResetUnderProbe,
    PersonRefused,
    OpenOvertaken,
    ForcedAtLease,
    ProbeUnderOverride,
    Expired,
    Edited,
    AddedAfterReplace,
    ClockAhead,
}

impl Event {
    /// Whether a state remembers it.
    pub(crate) fn is_kept(self) -> bool {
        matches!(self, Self::RecorderDied | Self::Expired)
    }

    pub(crate) fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// A set of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Events(u32);

impl Events {
    /// Adds one.
    pub fn add(&mut self, event: Event) {
        self.0 |= event.bit();
    }

    /// Whether it is in.
    pub fn has(self, event: Event) -> bool {
        self.0 & event.bit() != 0
    }
}
