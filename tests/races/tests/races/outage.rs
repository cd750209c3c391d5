//! The start of an outage: everybody is on the way when the first failures come back.

use std::sync::Arc;

use breaker::item::{Item, State};
use breaker::recording::Recorded;
use races::clock::Clock;
use races::execution::{Circuit, End, Execution};
use races::invariant::Step;
use races::partner::Partner;
use races::store::Store;
use tokio::sync::Barrier;

use crate::crowd::{NOW, all, policy, race};

const IN_FLIGHT: usize = 500;

#[test]
fn the_start_of_an_outage_with_500_calls_in_flight() {
    race(async {
        let store = Store::start().await;
        for round in 0..3 {
            let everybody = Arc::new(Barrier::new(IN_FLIGHT));
            // The partner accepts everybody before it fails the first.
            let partner = Partner::new(800, move |call| {
                let everybody = Arc::clone(&everybody);
                async move {
                    if call < IN_FLIGHT {
                        everybody.wait().await;
                    }
                    false
                }
            });
            let policy = policy(format!("outage-{round}"), 5);
            let circuit = Circuit::new(policy, Item::default(), &store, Clock::new(NOW, 0), partner);
            let run = |name: String| {
                let circuit = Arc::clone(&circuit);
                async move { circuit.run(&Execution::new(name)).await }
            };
            let ends = all((0..IN_FLIGHT).map(|caller| run(format!("in-flight-{caller}")))).await;

            let account = circuit.check();
            assert_eq!(account.how_many(Step::Opened), 1, "it opens once");
            assert_eq!(account.steps.len(), 1, "and no late failure makes another epoch");
            let how_many = |wanted: fn(&Recorded) -> bool| {
                let is_wanted = |end: &&End| matches!(end, End::Recorded(recorded) if wanted(recorded));
                ends.iter().filter(is_wanted).count()
            };
            let opened = how_many(|recorded| matches!(recorded, Recorded::Opened(_)));
            let counted = how_many(|recorded| *recorded == Recorded::Counted);
            let late = how_many(|recorded| *recorded == Recorded::Late);
            assert_eq!(
                (opened, opened + counted + late),
                (1, IN_FLIGHT),
                "everybody knows what became of it"
            );
            assert_eq!(account.counted, opened + counted);
            // The first look at the item after a failure is what says when the wait ends, and it stays so.
            let stored = circuit.stored();
            assert_eq!(stored.state(), State::Open);
            assert_eq!(stored.open_until().map(|until| until.as_ms()), Some(NOW + 30_000));

            let ends = all((0..100).map(|caller| run(format!("after-{caller}")))).await;
            assert!(ends.iter().all(|end| *end == End::FellBack), "{ends:?}");
            assert_eq!(circuit.partner.calls().len(), IN_FLIGHT, "nobody calls any more");
        }
    });
}
