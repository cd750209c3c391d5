//! Whether a call is sent again, behind the breaker: within its one deadline, and as one call that counts once.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::classification::{End, Fault};
use crate::client::NoAnswer;

/// The pause before the second attempt is at most this; each later one twice the one before.
const PAUSE: Duration = Duration::from_millis(50);

/// What must be left of the time for another attempt: the shortest time-out that a policy can have.
const LEAST: Duration = Duration::from_millis(50);

/// How long to wait before the call is sent again, if it is: after a failure to connect, when nothing can have reached the
/// partner, and after a 503 that says in Retry-After to come again within the time that is `left`. `spread`, from 0 to 1,
/// keeps many callers from coming again together.
pub fn pause(no_answer: &NoAnswer, attempt: u32, spread: f64, left: Duration) -> Option<Duration> {
    let jitter = PAUSE.mul_f64(spread) * 2_u32.saturating_pow(attempt);
    let pause = match no_answer.end {
        End::Unanswered(Fault::Connect | Fault::Dns) => jitter,
        End::Answered(503, _) => no_answer.retry_after?.checked_add(jitter)?,
        _ => return None,
    };
    (pause.checked_add(LEAST)? <= left).then_some(pause)
}

/// A number from 0 to 1 that nobody foresees.
pub fn spread() -> f64 {
    // The standard library seeds each of these at random.
    let bits = RandomState::new().hash_one(0_u8) >> 40;
    f64::from(u32::try_from(bits).unwrap_or_default()) / f64::from(1_u32 << 24)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classification::{Body, classify};

    fn no_answer(end: End, retry_after: Option<u64>) -> NoAnswer {
        NoAnswer {
            kind: classify(end, true).unwrap_err(),
            end,
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    const PLENTY: Duration = Duration::from_secs(20);

    #[test]
    fn only_failures_to_connect_and_promising_503s_are_sent_again() {
        for fault in [Fault::Connect, Fault::Dns] {
            assert!(pause(&no_answer(End::Unanswered(fault), None), 0, 0.5, PLENTY).is_some());
        }
        for fault in [Fault::Tls, Fault::Reset, Fault::Protocol, Fault::Deadline] {
            assert_eq!(pause(&no_answer(End::Unanswered(fault), Some(0)), 0, 0.5, PLENTY), None);
        }
        for status in [401, 429, 500, 502, 504] {
            let answered = no_answer(End::Answered(status, Body::Unread), Some(0));
            assert_eq!(pause(&answered, 0, 0.5, PLENTY), None, "{status}");
        }
        let unavailable = |after| no_answer(End::Answered(503, Body::Unread), after);
        assert_eq!(pause(&unavailable(None), 0, 0.5, PLENTY), None);
        assert_eq!(
            pause(&unavailable(Some(2)), 0, 0.5, PLENTY),
            Some(Duration::from_millis(2_025))
        );
        assert_eq!(pause(&unavailable(Some(u64::MAX)), 0, 0.5, PLENTY), None);
    }

    #[test]
    fn pause_leaves_time_for_another_attempt() {
        let refused = no_answer(End::Unanswered(Fault::Connect), None);
        for (left_ms, again) in [(99, false), (100, true), (101, true)] {
            let found = pause(&refused, 0, 1.0, Duration::from_millis(left_ms));
            assert_eq!(found, again.then_some(Duration::from_millis(50)), "{left_ms}");
        }
    }

    #[test]
    fn pause_doubles_and_is_spread() {
        let refused = no_answer(End::Unanswered(Fault::Connect), None);
        let ms = |attempt, spread| pause(&refused, attempt, spread, PLENTY).map(|pause| pause.as_millis());
        assert_eq!((ms(0, 0.0), ms(0, 1.0)), (Some(0), Some(50)));
        assert_eq!((ms(1, 1.0), ms(2, 1.0)), (Some(100), Some(200)));
        let spreads: Vec<f64> = (0..100).map(|_| spread()).collect();
        assert!(spreads.iter().all(|spread| (0.0..1.0).contains(spread)));
        assert!(spreads.iter().any(|spread| *spread != spreads[0]));
    }
}
