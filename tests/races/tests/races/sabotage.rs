//! The races can fail: with one condition or one addition of ours taken out, the same checks find what went wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use breaker::attribute::Attribute;
use breaker::item::{Item, name};
use breaker::update::{Assignment, Condition, Update};
use races::clock::Clock;
use races::execution::{Circuit, Execution};
use races::journal::Sabotage;
use races::partner::Partner;
use races::store::Store;
use tokio::sync::Barrier;

use crate::crowd::{NOW, all, due, policy, race};

const ROUNDS: usize = 20;
const CALLERS: usize = 40;

/// No fence: whatever the epoch is by now.
fn unfenced(mut update: Update, _: &Item) -> Update {
    update
        .conditions
        .retain(|condition| condition.attribute() != name::EPOCH);
    update
}

/// A counter that is read and then written, under the same fence.
fn read_then_write(mut update: Update, seen: &Item) -> Update {
    for assignment in &mut update.assignments {
        if let Assignment::Add(slice, more) = assignment {
            let read = seen.attributes().get(slice).and_then(Attribute::as_count);
            *assignment = Assignment::Set(slice.clone(), Attribute::number(read.unwrap_or(0) + *more));
        }
    }
    update
}

/// No fence but for counts, so that only the lease is unprotected.
fn unfenced_grant(update: Update, seen: &Item) -> Update {
    if update.repeatable {
        unfenced(update, seen)
    } else {
        update
    }
}

/// In how many rounds the invariants are found broken when everybody reads before anybody writes.
async fn broken(name: &str, began: fn() -> Item, sabotage: Option<Sabotage>) -> usize {
    let store = Store::start().await;
    let mut broken = 0;
    for round in 0..ROUNDS {
        let policy = policy(format!("{name}-{round}"), 25);
        let everybody = Arc::new(Barrier::new(CALLERS));
        let partner = Partner::new(800, |_| async { false });
        let circuit = Circuit::sabotaged(policy, began(), &store, Clock::new(NOW, 0), partner, sabotage);
        all((0..CALLERS).map(|caller| {
            let (circuit, everybody) = (Arc::clone(&circuit), Arc::clone(&everybody));
            async move {
                everybody.wait().await;
                circuit.run(&Execution::new(format!("e{caller}"))).await
            }
        }))
        .await;
        broken += usize::from(catch_unwind(AssertUnwindSafe(|| circuit.check())).is_err());
    }
    broken
}

#[test]
fn without_the_fence_or_with_a_counter_that_is_read_first_the_checks_find_it() {
    race(async {
        let found = [
            (
                "a counter that is read first",
                broken("counter", Item::default, Some(read_then_write)).await,
            ),
            ("no fence", broken("fence", Item::default, Some(unfenced)).await),
            (
                "a lease without a fence",
                broken("lease", due, Some(unfenced_grant)).await,
            ),
        ];
        let ours = broken("ours", Item::default, None).await + broken("ours-due", due, None).await;
        for (design, rounds) in found {
            assert!(rounds > 0, "{design} was not found in {ROUNDS} rounds");
        }
        assert_eq!(ours, 0, "ours is broken");
    });
}

#[test]
fn each_sabotage_takes_out_what_it_says() {
    let seen = Item::default();
    let trip = policy("x", 2).trip;
    let failure = breaker::decision::Failure {
        kind: "timeout".into(),
        message: String::new(),
    };
    let now = breaker::clock::Timestamp::from_ms(NOW);
    let count = breaker::decision::count(&trip, &seen, &failure, now, now).unwrap();
    assert!(count.conditions.contains(&Condition::Absent(name::EPOCH.into())));
    assert_eq!(
        unfenced(count.clone(), &seen).conditions.len(),
        count.conditions.len() - 1
    );
    let adds = |update: &Update| {
        update
            .assignments
            .iter()
            .any(|each| matches!(each, Assignment::Add(..)))
    };
    assert!(adds(&count) && !adds(&read_then_write(count.clone(), &seen)));
    assert_eq!(unfenced_grant(count.clone(), &seen), count);
}
