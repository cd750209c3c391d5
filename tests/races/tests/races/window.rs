//! Counting, by everybody at once.

use std::sync::Arc;

use breaker::item::{Item, State};
use breaker::recording::Recorded;
use races::clock::Clock;
use races::execution::{Circuit, End, Execution};
use races::invariant::Step;
use races::partner::Partner;
use races::store::Store;
use tokio::sync::Barrier;

use crate::crowd::{NOW, all, numbers, policy, race};

fn broken() -> Partner {
    Partner::new(800, |_| async { false })
}

/// So many executions whose calls all fail, and which all record at once.
async fn fail(circuit: &Arc<Circuit>, names: &str, callers: usize, skew_ms: u64) -> Vec<End> {
    let all_failed = Arc::new(Barrier::new(callers));
    let skews = numbers(callers as u64, callers, u32::try_from(skew_ms).unwrap() + 1);
    let executions = (0..callers).map(|caller| {
        let (circuit, all_failed) = (Arc::clone(circuit), Arc::clone(&all_failed));
        let execution = Execution {
            skew_ms: u64::from(skews[caller]),
            ..Execution::new(format!("{names}{caller}"))
        };
        async move {
            let known = circuit.enter(&execution).await.unwrap();
            let verdict = circuit.call(&execution, &known).await.unwrap();
            all_failed.wait().await;
            circuit.record(&execution, known, verdict).await
        }
    });
    all(executions).await
}

fn openings(ends: &[End]) -> usize {
    let opened = |end: &&End| matches!(end, End::Recorded(Recorded::Opened(_)));
    ends.iter().filter(opened).count()
}

#[test]
fn n_failures_always_open_and_no_count_is_lost() {
    race(async {
        let store = Store::start().await;
        for (round, n) in numbers(1, 30, 40).into_iter().map(|n| n + 2).enumerate() {
            let callers = n as usize;
            // One less than it takes: all counted, and closed.
            let policy = policy(format!("count-{round}"), n);
            let circuit = Circuit::new(policy, Item::default(), &store, Clock::new(NOW, 0), broken());
            let ends = fail(&circuit, "a", callers - 1, 0).await;
            assert!(
                ends.iter().all(|end| *end == End::Recorded(Recorded::Counted)),
                "{ends:?}"
            );
            assert_eq!(circuit.check().counted, callers - 1);
            assert_eq!(circuit.stored().state(), State::Closed);
            // The last one, among others that are too many: one of them opens it.
            let ends = fail(&circuit, "b", 8, 0).await;
            assert_eq!(openings(&ends), 1, "{ends:?}");
            assert_eq!(circuit.stored().state(), State::Open);
            let account = circuit.check();
            assert_eq!(account.steps.len(), 1);
            assert!(account.counted >= callers);
        }
    });
}

#[test]
fn n_failures_at_once_open_and_the_last_of_them_does_it() {
    race(async {
        let store = Store::start().await;
        for round in 0..10 {
            let policy = policy(format!("exact-{round}"), 60);
            let circuit = Circuit::new(policy, Item::default(), &store, Clock::new(NOW, 0), broken());
            let ends = fail(&circuit, "e", 60, 0).await;
            assert_eq!(openings(&ends), 1, "{ends:?}");
            assert_eq!(circuit.check().counted, 60, "no fewer than N open it, so none was lost");
        }
    });
}

/// A recorder looks at the clock twice, so that 200 of them take 400 ms of a second with ten slices, and their clocks
/// differ by a slice: all within the window, none of which may be lost where one slice ends and the next begins.
#[test]
fn a_slice_that_turns_under_load() {
    const CALLERS: usize = 200;
    race(async {
        let store = Store::start().await;
        for round in 0..5 {
            let mut policy = policy(format!("turning-{round}"), CALLERS as u32);
            policy.trip.window_ms = 1000;
            let clock = || Clock::new(NOW, 1000);
            let circuit = Circuit::new(policy.clone(), Item::default(), &store, clock(), broken());
            let ends = fail(&circuit, "e", CALLERS, 100).await;
            let account = circuit.check();
            assert!(account.slices >= 3, "the slice did not turn: {}", account.slices);
            assert_eq!((account.counted, openings(&ends)), (CALLERS, 1));
            assert_eq!(account.how_many(Step::Opened), 1);
            // One failure less, and it stays closed.
            policy.circuit.push_str("-less");
            let circuit = Circuit::new(policy, Item::default(), &store, clock(), broken());
            let ends = fail(&circuit, "e", CALLERS - 1, 100).await;
            assert_eq!((circuit.check().counted, openings(&ends)), (CALLERS - 1, 0));
            assert_eq!(circuit.stored().state(), State::Closed);
        }
    });
}
