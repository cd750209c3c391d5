//! What becomes of a Task's failure: the next attempt, a catcher, or the end.

use std::time::Duration;

use rand::RngExt as _;

use crate::definition::{Catcher, Retrier};
use crate::failure::Failure;

/// The longest wait between two attempts, whatever the backoff makes of it.
const MAX_WAIT_S: f64 = 31_622_400.0;

/// How often each retrier of a Task was used while one state ran.
pub(super) struct Attempts<'a> {
    retriers: &'a [Retrier],
    used: Vec<u32>,
    /// Over all retriers: `$$.State.RetryCount`.
    pub(super) retry_count: u32,
}

/// The next attempt.
pub(super) struct Retry {
    pub(super) retrier: usize,
    pub(super) wait: Duration,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(retriers: &'a [Retrier]) -> Self {
        Self {
            retriers,
            used: vec![0; retriers.len()],
            retry_count: 0,
        }
    }

    /// As after this many retries by whichever retrier is asked.
    pub(super) fn after(retriers: &'a [Retrier], retries: u32) -> Self {
        Self {
            retriers,
            used: vec![retries; retriers.len()],
            retry_count: retries,
        }
    }

    /// The next attempt, if the first retrier that matches still has one; later ones are not asked.
    pub(super) fn next(&mut self, failure: &Failure) -> Option<Retry> {
        let index = self
            .retriers
            .iter()
            .position(|retrier| failure.matches(&retrier.errors))?;
        let (retrier, used) = (self.retriers.get(index)?, self.used.get_mut(index)?);
        if *used >= retrier.max_attempts {
            return None;
        }
        let wait = retrier.wait(*used);
        *used += 1;
        self.retry_count = self.retry_count.saturating_add(1);
        Some(Retry { retrier: index, wait })
    }
}

impl Retrier {
    /// How long to wait after this many earlier retries by this retrier.
    fn wait(&self, earlier: u32) -> Duration {
        let backoff = self.backoff_rate.powi(i32::try_from(earlier).unwrap_or(i32::MAX));
        let limit = self.max_delay_s.map_or(MAX_WAIT_S, f64::from);
        let wait_s = (f64::from(self.interval_s) * backoff).min(limit);
        let wait_s = if self.jitter {
            rand::rng().random_range(0.0..=wait_s)
        } else {
            wait_s
        };
        Duration::try_from_secs_f64(wait_s).unwrap_or_default()
    }
}

/// The first catcher that takes a failure, with its index.
pub(super) fn catcher<'c>(catchers: &'c [Catcher], failure: &Failure) -> Option<(usize, &'c Catcher)> {
    catchers
        .iter()
        .enumerate()
        .find(|(_, catcher)| failure.matches(&catcher.errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retrier() -> Retrier {
        Retrier {
            errors: vec!["A".into()],
            interval_s: 3,
            max_attempts: 4,
            backoff_rate: 1.5,
            max_delay_s: None,
            jitter: false,
        }
    }

    #[test]
    fn the_wait_grows_by_the_rate_up_to_the_longest_delay() {
        let waits = |retrier: &Retrier| [0, 1, 2, 3].map(|earlier| retrier.wait(earlier).as_secs_f64());
        assert_eq!(waits(&retrier()), [3.0, 4.5, 6.75, 10.125]);
        assert_eq!(
            waits(&Retrier {
                max_delay_s: Some(5),
                ..retrier()
            }),
            [3.0, 4.5, 5.0, 5.0]
        );
        assert_eq!(
            waits(&Retrier {
                backoff_rate: 1.0,
                ..retrier()
            }),
            [3.0; 4]
        );
        assert_eq!(retrier().wait(u32::MAX).as_secs_f64(), MAX_WAIT_S);
    }

    #[test]
    fn full_jitter_stays_within_the_wait() {
        let jittered = Retrier {
            jitter: true,
            ..retrier()
        };
        let waits: Vec<Duration> = (0..200).map(|_| jittered.wait(1)).collect();
        assert!(waits.iter().all(|wait| wait.as_secs_f64() <= 4.5));
        assert!(
            waits.iter().any(|wait| wait.as_secs_f64() < 2.25),
            "spread over the whole range"
        );
        assert!(
            waits.iter().any(|wait| wait.as_secs_f64() > 2.25),
            "spread over the whole range"
        );
    }

    #[test]
    fn each_retrier_counts_its_own_attempts_and_only_the_first_match_is_asked() {
        let retriers = [
            Retrier {
                max_attempts: 1,
                ..retrier()
            },
            Retrier {
                errors: vec!["B".into()],
                max_attempts: 1,
                ..retrier()
            },
            Retrier {
                errors: vec!["States.ALL".into()],
                ..retrier()
            },
        ];
        let mut attempts = Attempts::new(&retriers);
        let mut next = |error: &str| attempts.next(&Failure::reported(error, "")).map(|retry| retry.retrier);
        assert_eq!(next("A"), Some(0));
        assert_eq!(next("B"), Some(1));
        assert_eq!(next("A"), None, "exhausted, although the last retrier would match");
        assert_eq!(next("C"), Some(2));
        assert_eq!(attempts.retry_count, 3);
    }
}
