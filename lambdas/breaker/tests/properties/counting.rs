//! The promises of the window (`protocol.md`, *Counting*): N failures within `windowMs` open the circuit, in whatever
//! order and up to `windowMs` late they are written; failures further apart than `windowMs` and one slice never combine.

use breaker::attribute::Attributes;
use breaker::clock::Timestamp;
use breaker::item::{Item, State};
use breaker::recording::Recorded;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::item::{policy, record_failure};

/// One failure. Times are in thousandths of the window, so that one generator serves windows of all lengths.
#[derive(Clone, Debug)]
struct Failed {
    /// When it happened, by the true clock.
    at: u64,
    /// How much later it was written; a window at most.
    late: u64,
    /// Where its recorder's clock stands between the slowest (0) and the fastest (1000).
    skew: u64,
    /// Which of the item's earlier forms its execution had read.
    read: Index,
}

/// Failures at random times, in bursts, and on the edges of slices.
fn failures(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Failed>> {
    let at = prop_oneof![
        0_u64..4000,
        0_u64..1100,
        (0_u64..44).prop_map(|slice| slice * 100),
        (1_u64..44).prop_map(|slice| slice * 100 - 1),
        Just(1000),
    ];
    let late = prop_oneof![Just(0), Just(1000), 0_u64..=1000];
    let skew = prop_oneof![Just(0), Just(1000), 0_u64..=1000];
    let failed = (at, late, skew, any::<Index>()).prop_map(|(at, late, skew, read)| Failed { at, late, skew, read });
    vec(failed, count)
}

fn windows() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(1000),
        Just(60_000),
        Just(3_600_000),
        (100_u64..=360_000).prop_map(|tens| tens * 10),
    ]
}

/// A run: every failure written in the order of its write, each by a recorder that may have read an old item.
struct Run {
    window_ms: u64,
    /// All stamps that were written, in milliseconds.
    stamps: Vec<u64>,
    opened: bool,
}

const START: u64 = 1_790_000_000_000;

/// How far apart clocks may be.
const SKEW_MS: u64 = 2000;

fn run(threshold: u32, window_ms: u64, skew_ms: u64, failures: &[Failed]) -> Run {
    let policy = policy(threshold, window_ms);
    let ms = |thousandths: u64| thousandths * window_ms / 1000;
    let mut order: Vec<&Failed> = failures.iter().collect();
    order.sort_by_key(|failed| failed.at + failed.late);
    let mut forms = vec![Attributes::new()];
    let (mut stamps, mut opened) = (Vec::new(), false);
    for failed in order {
        let stamp = START + ms(failed.at) + failed.skew * skew_ms / 1000;
        stamps.push(stamp);
        let known = Item::from(failed.read.get(&forms).clone());
        let mut stored = forms[forms.len() - 1].clone();
        let recorded = record_failure(&policy, known, &mut stored, Timestamp::from_ms(stamp));
        opened = matches!(recorded, Recorded::Opened(_));
        assert!(opened || recorded == Recorded::Counted, "{recorded:?}");
        assert_eq!(opened, Item::from(stored.clone()).state() == State::Open);
        forms.push(stored);
        if opened {
            break;
        }
    }
    Run {
        window_ms,
        stamps,
        opened,
    }
}

impl Run {
    /// The most stamps that lie within a span of time: their first and last are less than `span_ms` apart.
    fn most_within(&self, span_ms: u64) -> usize {
        let from = |first: &u64| {
            self.stamps
                .iter()
                .filter(|stamp| (*first..first + span_ms).contains(stamp))
                .count()
        };
        self.stamps.iter().map(from).max().unwrap_or(0)
    }

    /// Both promises, of what was written so far.
    fn keeps_both_promises(&self, threshold: u32) -> Result<(), TestCaseError> {
        let threshold = threshold as usize;
        if self.opened {
            let most = self.most_within(self.window_ms + self.window_ms / 10);
            prop_assert!(
                most >= threshold,
                "opened at {most} failures in a window and a slice: {:?}",
                self.stamps
            );
        } else {
            // Both ends included: a window is what lies between the first and the last.
            let most = self.most_within(self.window_ms + 1);
            prop_assert!(
                most < threshold,
                "closed with {most} failures in a window: {:?}",
                self.stamps
            );
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(crate::cases(1024))]

    #[test]
    fn n_failures_within_a_window_open_and_failures_further_apart_than_a_slice_more_never_combine(
        threshold in 1_u32..8,
        window_ms in windows(),
        failures in failures(1..40),
    ) {
        run(threshold, window_ms, 0, &failures).keeps_both_promises(threshold)?;
    }

    /// A recorder that is ahead removes slices early: those that are kept leave two seconds to spare.
    #[test]
    fn clocks_that_differ_by_two_seconds_keep_the_promises_for_what_they_stamped(
        threshold in 1_u32..8,
        window_ms in windows(),
        failures in failures(1..40),
    ) {
        run(threshold, window_ms, SKEW_MS, &failures).keeps_both_promises(threshold)?;
    }

    /// By the true clock the promises are weaker by the skew, on both sides.
    #[test]
    fn by_the_true_clock_both_promises_give_way_by_as_much_as_clocks_differ(
        window_ms in windows(),
        failures in failures(1..40),
        threshold in 1_u32..8,
    ) {
        let skew_ms = SKEW_MS;
        let skewed = run(threshold, window_ms, skew_ms, &failures);
        let written = skewed.stamps.len();
        let mut order: Vec<&Failed> = failures.iter().collect();
        order.sort_by_key(|failed| failed.at + failed.late);
        let truly = Run {
            window_ms,
            stamps: order[..written].iter().map(|failed| START + failed.at * window_ms / 1000).collect(),
            opened: skewed.opened,
        };
        let most = if truly.opened {
            truly.most_within(window_ms + window_ms / 10 + skew_ms)
        } else {
            truly.most_within((window_ms + 1).saturating_sub(skew_ms))
        };
        prop_assert_eq!(truly.opened, most >= threshold as usize, "{} of {}: {:?}", most, threshold, truly.stamps);
    }

    #[test]
    fn bursts_of_one_less_than_it_takes_never_open_when_a_window_and_a_slice_lie_between(
        threshold in 2_u32..8,
        window_ms in windows(),
        gaps in vec(0_u64..3000, 1..6),
        order in Just(()).prop_perturb(|(), mut rng| rng.random::<u64>()),
    ) {
        let mut bursts = Vec::new();
        let mut at = START;
        for gap in &gaps {
            // The last of one burst and the first of the next: eleven slices, to the millisecond.
            at += window_ms + window_ms / 10 + gap * window_ms / 1000;
            bursts.extend(std::iter::repeat_n(at, threshold as usize - 1));
        }
        // In any order: here the promise does not depend on how late a failure is written.
        bursts.sort_by_key(|stamp| stamp.wrapping_mul(order | 1));
        let policy = policy(threshold, window_ms);
        let mut stored = Attributes::new();
        for stamp in bursts {
            let recorded = record_failure(&policy, stored.clone().into(), &mut stored, Timestamp::from_ms(stamp));
            prop_assert_eq!(recorded, Recorded::Counted);
        }
    }

    #[test]
    fn an_item_keeps_no_more_slices_than_two_windows_have_and_clocks_may_differ(
        window_ms in windows(),
        failures in failures(30..60),
    ) {
        let kept = 20 + SKEW_MS.div_ceil(window_ms / 10).max(2) as usize;
        let policy = policy(10_000, window_ms);
        let mut stored = Attributes::new();
        let mut order = failures;
        order.sort_by_key(|failed| failed.at + failed.late);
        for failed in order {
            let stamp = Timestamp::from_ms(START + failed.at * window_ms / 1000);
            record_failure(&policy, stored.clone().into(), &mut stored, stamp);
            let slices = stored.keys().filter(|name| name.starts_with('w')).count();
            prop_assert!(slices <= kept + 1, "{slices}: {stored:?}");
        }
    }
}
