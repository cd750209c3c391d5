//! The sliding window: failures are counted in slices of a tenth of it (`protocol.md`, *Counting*).
//!
//! Eleven slices cover a window wherever it begins, so that N failures within `windowMs` always stand in eleven
//! consecutive ones; and they cover no more than the window and one slice.

use crate::attribute::Attribute;
use crate::clock::Timestamp;
use crate::item::Item;
use crate::policy::Trip;
use crate::update::{Assignment, Condition};

/// Slices that are added up.
const COVER: u64 = 11;
/// Older slices than this many are removed by the next count, at the least: a late writer may still need the others.
const KEEP: u64 = 22;
/// Of those, how many are there for clocks that disagree: a recorder whose clock is ahead sees slices as older.
const SPARE: u64 = 2;
/// How far apart the clocks of two recorders may be without harm to a count.
const SKEW_MS: u64 = 2000;
/// So many slices are removed by one update at most: an expression holds some hundreds of names. A circuit of ours has
/// 41 at most when each count saw the one before; what a malformed item has more of goes with the next updates.
const REMOVED_AT_ONCE: usize = 200;
/// More than this in one slice is no count of ours, and reads as none.
const MOST: u64 = 1_000_000_000;

fn slice_ms(trip: &Trip) -> u64 {
    (trip.window_ms / 10).max(1)
}

/// The number of the slice that a time falls in.
fn slice_at(trip: &Trip, at: Timestamp) -> u64 {
    at.as_ms() / slice_ms(trip)
}

/// How many slices back nothing is removed. Below a window of ten seconds two slices are shorter than the clocks may
/// differ, and so many more are kept.
fn kept(trip: &Trip) -> u64 {
    KEEP.max(KEEP - SPARE + SKEW_MS.div_ceil(slice_ms(trip)))
}

fn failures_name(slice: u64) -> String {
    format!("w{slice}")
}

/// The number of a slice from an attribute's name: `w` for failures, `s` for the successes of rate policies.
fn slice_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(['w', 's'])?;
    let number: u64 = digits.parse().ok()?;
    // Only the way that we write it: no sign, no leading zero.
    (number.to_string() == digits).then_some(number)
}

fn count_of(value: &Attribute) -> Option<u64> {
    value.as_count().filter(|count| *count <= MOST)
}

/// How one failure is counted at a time, on the item seen: what must hold and what is assigned.
///
/// Adding asks for a slice that can be added to: a count, and still one with one more. One that can't is replaced, as
/// long as it still is what was seen: else the breaker would be dead for as long as the slice lasts.
pub(crate) fn count(trip: &Trip, item: &Item, at: Timestamp) -> (Condition, Assignment) {
    let name = failures_name(slice_at(trip, at));
    match item.attributes().get(&name) {
        Some(found) if count_of(found).is_none_or(|count| count == MOST) => (
            Condition::Equals(name.clone(), found.clone()),
            Assignment::Set(name, Attribute::number(1)),
        ),
        _ => (
            Condition::AbsentOrBetween(name.clone(), 0, MOST - 1),
            Assignment::Add(name, 1),
        ),
    }
}

/// Removes the slices that are too old to matter to anybody.
pub(crate) fn remove_old(trip: &Trip, item: &Item, at: Timestamp) -> Vec<Assignment> {
    let (now, kept) = (slice_at(trip, at), kept(trip));
    remove(item, |slice| slice.saturating_add(kept) < now)
}

/// Removes every slice that was seen.
pub(crate) fn remove_all(item: &Item) -> Vec<Assignment> {
    remove(item, |_| true)
}

/// Removes every slice that was seen, and whatever else may be counted in by now: a person's write is made on what was
/// shown some time ago, and counts that came since left the epoch as it was.
pub(crate) fn remove_all_by(trip: &Trip, item: &Item, now: Timestamp) -> Vec<Assignment> {
    let mut removed = remove_all(item);
    let (at, kept) = (slice_at(trip, now), kept(trip));
    // As far ahead as back: another's clock may be ahead of this one.
    for slice in at.saturating_sub(kept)..=at.saturating_add(kept) {
        let assignment = Assignment::Remove(failures_name(slice));
        if !removed.contains(&assignment) {
            removed.push(assignment);
        }
    }
    removed
}

fn remove(item: &Item, which: impl Fn(u64) -> bool) -> Vec<Assignment> {
    let names = item.attributes().keys();
    names
        .filter(|name| slice_of(name).is_some_and(&which))
        .take(REMOVED_AT_ONCE)
        .cloned()
        .map(Assignment::Remove)
        .collect()
}

/// The most failures that any eleven consecutive slices hold: any, because a count may be written late.
pub fn failures(item: &Item) -> u64 {
    let mut slices: Vec<(u64, u64)> = (item.attributes().iter())
        .filter(|(name, _)| name.starts_with('w'))
        .filter_map(|(name, value)| Some((slice_of(name)?, count_of(value)?)))
        .collect();
    slices.sort_unstable();
    let (mut most, mut sum, mut first) = (0, 0, 0);
    for &(slice, count) in &slices {
        sum += count;
        while slice - slices[first].0 >= COVER {
            sum -= slices[first].1;
            first += 1;
        }
        most = most.max(sum);
    }
    most
}

/// The failures that still count at a time: those in the eleven slices up to it, and in what a clock that is ahead has
/// counted. For a person's eyes: whether the circuit opens is [`failures`]' to say, which forgets nothing that is stored.
pub fn failures_at(trip: &Trip, item: &Item, now: Timestamp) -> u64 {
    let now = slice_at(trip, now);
    (item.attributes().iter())
        .filter(|(name, _)| name.starts_with('w'))
        .filter_map(|(name, value)| Some((slice_of(name)?, count_of(value)?)))
        .filter(|(slice, _)| slice.saturating_add(COVER) > now)
        .map(|(_, count)| count)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Attributes;

    const TRIP: Trip = Trip {
        failures: 5,
        window_ms: 1000,
    };

    fn item(slices: &[(&str, &str)]) -> Item {
        let attributes = slices
            .iter()
            .map(|(name, number)| (name.to_string(), Attribute::N(number.to_string())));
        attributes.collect::<Attributes>().into()
    }

    #[test]
    fn eleven_consecutive_slices_are_added_up_and_not_twelve() {
        assert_eq!(failures(&item(&[("w100", "2"), ("w110", "3")])), 5);
        assert_eq!(failures(&item(&[("w100", "2"), ("w111", "3")])), 3);
        assert_eq!(
            failures(&item(&[("w100", "1"), ("w105", "4"), ("w112", "2"), ("w116", "3")])),
            6
        );
        assert_eq!(failures(&item(&[])), 0);
    }

    #[test]
    fn a_failure_still_counts_in_the_tenth_slice_after_its_own_and_not_in_the_eleventh() {
        let seen = item(&[("w90", "1"), ("w100", "2"), ("w101", "x"), ("s100", "9")]);
        let at = |slice: u64| failures_at(&TRIP, &seen, Timestamp::from_ms(slice * 100));
        assert_eq!(at(100), 3);
        assert_eq!(at(101), 2, "w90 is too old");
        assert_eq!(at(110), 2);
        assert_eq!(at(111), 0);
        assert_eq!(at(80), 3, "counted by a clock that is ahead");
    }

    #[test]
    fn what_is_no_slice_or_no_count_reads_as_none() {
        let odd = [
            ("w", "9"),
            ("w01", "9"),
            ("w+1", "9"),
            ("wx", "9"),
            ("s3", "9"),
            ("w1", "-9"),
            ("w2", "0.5"),
            ("w3", "1e30"),
        ];
        assert_eq!(failures(&item(&odd)), 0);
        assert_eq!(
            failures(&Attributes::from([("w1".to_owned(), Attribute::string("9"))]).into()),
            0
        );
    }

    #[test]
    fn a_slice_that_can_be_added_to_is() {
        let at = Timestamp::from_ms(250);
        for seen in [item(&[]), item(&[("w2", "0")]), item(&[("w2", "999999999")])] {
            let (condition, assignment) = count(&TRIP, &seen, at);
            assert_eq!(condition, Condition::AbsentOrBetween("w2".into(), 0, MOST - 1));
            assert_eq!(assignment, Assignment::Add("w2".into(), 1));
        }
    }

    #[test]
    fn a_slice_that_can_not_be_added_to_is_replaced_while_it_is_the_same() {
        let at = Timestamp::from_ms(299);
        for seen in ["-1", "0.5", "1000000000", "1000000001"] {
            let (condition, assignment) = count(&TRIP, &item(&[("w2", seen)]), at);
            assert_eq!(condition, Condition::Equals("w2".into(), Attribute::N(seen.into())));
            assert_eq!(assignment, Assignment::Set("w2".into(), Attribute::number(1)));
        }
    }

    #[test]
    fn slices_older_than_22_are_removed_and_no_others() {
        let seen = item(&[("w77", "1"), ("w78", "1"), ("s77", "1"), ("w200", "1"), ("wide", "1")]);
        let trip = Trip {
            window_ms: 10_000,
            ..TRIP
        };
        let removed = remove_old(&trip, &seen, Timestamp::from_ms(100_000));
        assert_eq!(
            removed,
            [Assignment::Remove("s77".into()), Assignment::Remove("w77".into())]
        );
        assert_eq!(remove_all(&seen).len(), 4);
    }

    #[test]
    fn a_short_window_keeps_as_many_slices_more_as_clocks_may_differ() {
        let kept = |window_ms| kept(&Trip { window_ms, ..TRIP });
        assert_eq!(kept(3_600_000), 22);
        assert_eq!(kept(10_000), 22);
        assert_eq!(kept(9_990), 23);
        assert_eq!(kept(1000), 40);
    }

    #[test]
    fn an_item_full_of_slices_is_cleared_in_steps_that_an_expression_holds() {
        let many: Attributes = (0..500)
            .map(|slice| (failures_name(slice), Attribute::number(1)))
            .collect();
        assert_eq!(remove_all(&many.into()).len(), REMOVED_AT_ONCE);
    }
}
