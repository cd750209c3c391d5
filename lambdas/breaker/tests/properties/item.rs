//! Items: any, and those that a circuit can really have.

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::Item;
use breaker::policy::{Open, Policy, Probe, Trip};
use breaker::procedure::{Next, Procedure};
use breaker::recording::{Call, Recorded, Recording, Verdict};
use breaker::update::Written;
use proptest::collection::btree_map;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::attribute::any_attributes;
use crate::decisions::failure;

/// The time of these tests, in slice 10000 of [`policy`].
pub const NOW: u64 = 1_000_000;

pub fn now() -> Timestamp {
    Timestamp::from_ms(NOW)
}

pub fn policy(failures: u32, window_ms: u64) -> Policy {
    Policy {
        circuit: "shop".into(),
        trip: Trip { failures, window_ms },
        open: Open { for_ms: 30_000 },
        probe: Probe::new(5000),
    }
}

/// A well-formed item in any state, with any of its attributes.
pub fn sound_attributes() -> impl Strategy<Value = Attributes> {
    let near = || (NOW - 5000..NOW + 5000).prop_map(|ms| Attribute::string(Timestamp::from_ms(ms)));
    let count = || (0_u64..10).prop_map(Attribute::number);
    let word = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(Attribute::string).collect();
        select(words)
    };
    let core = (
        option::of(word(&["OPEN", "CLOSED"])),
        option::of((0..2 * NOW).prop_map(Attribute::number)),
        option::of(near()),
        option::of(word(&["me", "other"])),
        option::of(count()),
        option::of(count()),
        option::of(word(&["OPEN", "CLOSED", "DRY_RUN"])),
        option::of(near()),
    );
    let slices = btree_map((9970_u64..10_010).prop_map(|slice| format!("w{slice}")), count(), 0..12);
    (core, slices).prop_map(
        |((state, epoch, until, token, successes, openings, forced, end), mut item)| {
            for (name, value) in [
                ("state", state),
                ("epoch", epoch),
                ("openUntil", until),
                ("probeToken", token),
                ("probeSuccesses", successes),
                ("openings", openings),
                ("override", forced),
                ("overrideUntil", end),
            ] {
                item.extend(value.map(|value| (name.to_owned(), value)));
            }
            item
        },
    )
}

/// A sound item, one that is sound but for some attributes, or any.
pub fn attributes() -> impl Strategy<Value = Attributes> {
    prop_oneof![
        sound_attributes(),
        (sound_attributes(), any_attributes()).prop_map(|(mut sound, odd)| {
            sound.extend(odd);
            sound
        }),
        any_attributes(),
    ]
}

/// Records a failure of a call that went out on `known`, on the item as it is stored, with nobody in between.
pub fn record_failure(policy: &Policy, known: Item, stored: &mut Attributes, at: Timestamp) -> Recorded {
    let call = Call {
        known,
        token: None,
        went_out: at,
        verdict: Verdict::Failure(failure()),
    };
    let mut recording = Recording::new(policy.clone(), call);
    let mut next = recording.begin(at);
    loop {
        match next {
            Next::Done(recorded) => return recorded,
            Next::Write(update) => {
                let written = update.apply(stored).expect("an update that any item takes");
                if let Written::Applied(after) = &written {
                    stored.clone_from(after);
                }
                next = recording.resume(written, at);
            }
        }
    }
}
