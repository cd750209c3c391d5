//! A probe whose lease ran out comes back while a newer one is under way.

use std::sync::Arc;

use breaker::decision::Failure;
use breaker::item::State;
use breaker::recording::{Recorded, Verdict};
use races::clock::Clock;
use races::execution::{Circuit, End, Execution};
use races::invariant::Step;
use races::partner::Partner;
use races::store::Store;
use tokio::sync::Semaphore;

use crate::crowd::{NOW, all, due, linger, numbers, policy, race};

const ROUNDS: u64 = 30;
const OTHERS: usize = 20;

fn verdict(round: u64) -> Verdict {
    match round % 3 {
        0 => Verdict::Success,
        1 => Verdict::Failure(Failure {
            kind: "timeout".into(),
            message: "no answer in time".into(),
        }),
        _ => Verdict::Undecided,
    }
}

/// The first holder's call is answered, and then its lease runs out before it records.
async fn outlived(circuit: &Circuit, first: &Execution) -> races::execution::Known {
    let known = circuit.enter(first).await.unwrap();
    assert!(known.is_probe);
    circuit.call(first, &known).await.unwrap();
    circuit.clock.advance(circuit.policy.probe.lease_ms);
    known
}

#[test]
fn a_lost_lease_does_not_undo_a_newer_probe() {
    race(async {
        let store = Store::start().await;
        for round in 0..ROUNDS {
            // The second call waits until it is told to go on; all others are answered at once.
            let (second_is_out, may_end) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
            let works = round % 2 == 0;
            let partner = Partner::new(800, {
                let (second_is_out, may_end) = (Arc::clone(&second_is_out), Arc::clone(&may_end));
                move |call| {
                    let (second_is_out, may_end) = (Arc::clone(&second_is_out), Arc::clone(&may_end));
                    async move {
                        if call == 1 {
                            second_is_out.add_permits(1);
                            may_end.acquire().await.unwrap().forget();
                        }
                        works
                    }
                }
            });
            let policy = policy(format!("lost-{round}"), 5);
            let circuit = Circuit::new(policy, due(), &store, Clock::new(NOW, 0), partner);
            let first = Execution::new("first");
            let known = outlived(&circuit, &first).await;
            let others = (0..OTHERS).map(|other| {
                let circuit = Arc::clone(&circuit);
                async move { circuit.run(&Execution::new(format!("other{other}"))).await }
            });
            let others = tokio::spawn(all(others.collect::<Vec<_>>()));
            second_is_out.acquire().await.unwrap().forget();

            let before = circuit.stored();
            let recorded = circuit.record(&first, known, verdict(round)).await;
            assert_eq!(recorded, End::Recorded(Recorded::Late));
            assert_eq!(circuit.stored(), before, "the newer probe is as it was");

            may_end.add_permits(1);
            others.await.unwrap();
            let account = circuit.check();
            assert_eq!(account.how_many(Step::Granted { lost: true }), 1);
            let decided = if works { Step::Closed } else { Step::Reopened };
            assert_eq!(
                account.steps.last().map(|(step, _)| *step),
                Some(decided),
                "by the newer probe alone"
            );
        }
    });
}

/// The same without anybody's order: the late result and those who want its lease race for the item.
#[test]
fn whoever_comes_first_a_late_probe_counts_or_its_lease_is_lost_and_never_both() {
    race(async {
        let store = Store::start().await;
        for round in 0..ROUNDS {
            let partner = Partner::new(800, |_| async { true });
            let policy = policy(format!("late-{round}"), 5);
            let circuit = Circuit::new(policy, due(), &store, Clock::new(NOW, 0), partner);
            let first = Execution::new("first");
            let known = outlived(&circuit, &first).await;
            let delays = numbers(round, OTHERS + 1, 10);
            let late = tokio::spawn({
                let (circuit, delay) = (Arc::clone(&circuit), delays[OTHERS]);
                async move {
                    linger(delay).await;
                    circuit.record(&first, known, verdict(round)).await
                }
            });
            let others = all((0..OTHERS).map(|other| {
                let (circuit, delay) = (Arc::clone(&circuit), delays[other]);
                async move {
                    linger(delay).await;
                    circuit.run(&Execution::new(format!("other{other}"))).await
                }
            }));
            others.await;
            let late = late.await.unwrap();
            let account = circuit.check();
            let lost = account.how_many(Step::Granted { lost: true });
            let is_late = late == End::Recorded(Recorded::Late);
            assert_eq!(usize::from(is_late), lost, "{late:?}, {:?}", account.steps);
            // A late failure starts the wait anew, which the others find; after anything else one of them closes it.
            let failed = matches!(late, End::Recorded(Recorded::Reopened(_)));
            assert_eq!(circuit.stored().state() == State::Open, failed, "{:?}", account.steps);
        }
    });
}
