//! A circuit that is due, and everybody at once.

use std::sync::Arc;

use breaker::item::State;
use breaker::policy::{Open, Probe};
use races::clock::Clock;
use races::execution::{Circuit, End, Execution};
use races::invariant::Step;
use races::partner::Partner;
use races::store::Store;

use crate::crowd::{NOW, all, due, linger, numbers, policy, race};

const CUSTOMERS: usize = 40;

/// Customers who come back until the circuit is closed: the partner fails the first probes, some holders die with the
/// answer in their hands, and some leases run out. However long it takes, one at a time, and in the end it closes.
#[test]
fn one_probe_at_a_time() {
    race(async {
        let store = Store::start().await;
        let (mut lost, mut failed) = (0, 0);
        for round in 0..10_u64 {
            let failing = (round % 4) as usize;
            let mut policy = policy(format!("probes-{round}"), 5);
            policy.open = Open { for_ms: 200 };
            policy.probe = Probe {
                successes_to_close: 1 + (round % 2) as u32,
                ..Probe::new(3000)
            };
            let partner = Partner::new(800, move |call| async move {
                linger(3).await;
                call >= failing
            });
            let circuit = Circuit::new(policy, due(), &store, Clock::new(NOW, 2000), partner);
            // The holders of the first lease, or of the second, die; nobody does after that, so that it ends.
            let dying = round.div_ceil(3);
            let customers = (0..CUSTOMERS).map(|customer| {
                let circuit = Arc::clone(&circuit);
                let hesitation = numbers(round * 100 + customer as u64, 1, 20)[0];
                async move {
                    linger(hesitation).await;
                    for visit in 0.. {
                        let dies = (circuit.partner.calls().len() as u64) < dying;
                        let execution = Execution {
                            dies,
                            ..Execution::new(format!("c{customer}-{visit}"))
                        };
                        match circuit.run(&execution).await {
                            // As an ordinary customer: the circuit is closed.
                            End::Called { works } => return works,
                            _ => tokio::task::yield_now().await,
                        }
                    }
                    false
                }
            });
            let served = all(customers).await;
            assert_eq!(served, [true; CUSTOMERS]);
            assert_eq!(circuit.stored().state(), State::Closed);

            let account = circuit.check();
            assert_eq!(account.how_many(Step::Closed), 1);
            let (last, closed) = account.steps.last().unwrap();
            assert_eq!(*last, Step::Closed);
            // Nobody but probes called before.
            let calls = circuit.partner.calls();
            let early = calls.iter().find(|call| call.token.is_none() && call.started < *closed);
            assert_eq!(early, None, "closed at {closed}");
            lost += account.how_many(Step::Granted { lost: true });
            failed += account.how_many(Step::Reopened);
        }
        assert!(
            lost > 0 && failed > 0,
            "no lease was lost, or no probe failed: {lost}, {failed}"
        );
    });
}

#[test]
fn of_a_hundred_that_find_the_circuit_due_one_reaches_the_partner() {
    race(async {
        let store = Store::start().await;
        for round in 0..10 {
            // Time stands still: no lease runs out, and no wait ends.
            let partner = Partner::new(800, |_| async {
                linger(20).await;
                false
            });
            let policy = policy(format!("due-{round}"), 5);
            let circuit = Circuit::new(policy, due(), &store, Clock::new(NOW, 0), partner);
            let ends = all((0..100).map(|caller| {
                let circuit = Arc::clone(&circuit);
                async move { circuit.run(&Execution::new(format!("e{caller}"))).await }
            }))
            .await;
            let account = circuit.check();
            let recorded = |end: &&End| matches!(end, End::Recorded(_));
            assert_eq!(ends.iter().filter(recorded).count(), 1, "{ends:?}");
            assert_eq!((circuit.partner.calls().len(), account.leases.len()), (1, 1));
            assert_eq!(account.how_many(Step::Reopened), 1);
        }
    });
}
