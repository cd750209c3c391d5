//! The best known race: a success that is late closes the circuit that has just opened.

use std::sync::Arc;

use breaker::attribute::Attribute;
use breaker::item::{Item, State, name};
use breaker::update::{Assignment, Update, Written};
use races::clock::Clock;
use races::execution::{Circuit, Execution};
use races::invariant::Step;
use races::partner::Partner;
use races::store::Store;

use crate::crowd::{all, linger, numbers, policy, race, tell};

const ROUNDS: u64 = 40;
const CALLERS: usize = 40;
const FAILURES: u32 = 5;

/// What a caller does when its call succeeded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Design {
    /// Nothing, unless it is the probe.
    Ours,
    /// Closes the circuit: it has just seen the partner work.
    UnconditionalClose,
}

/// 40 callers at once, half of them in vain; whether the circuit was closed again after it had opened. Time stands still,
/// so that no wait is over and nothing may close it.
async fn recloses(store: &Store, design: Design, round: u64) -> bool {
    let delays = numbers(round, CALLERS, 30);
    let partner = Partner::new(800, move |call| {
        let delay = delays[call];
        async move {
            linger(delay).await;
            call % 2 == 0
        }
    });
    let name = format!("late-success-{round}-{}", design as u8);
    let clock = Clock::new(crate::crowd::NOW, 0);
    let circuit = Circuit::new(policy(name, FAILURES), Item::default(), store, clock, partner);
    let all_in = Arc::new(tokio::sync::Barrier::new(CALLERS));
    let calls = (0..CALLERS).map(|caller| {
        let (circuit, all_in) = (Arc::clone(&circuit), Arc::clone(&all_in));
        async move {
            let execution = Execution::new(format!("e{caller}"));
            let known = circuit.enter(&execution).await.unwrap();
            all_in.wait().await;
            let verdict = circuit.call(&execution, &known).await.unwrap();
            if design == Design::UnconditionalClose && verdict == breaker::recording::Verdict::Success {
                return close(&circuit).await;
            }
            circuit.record(&execution, known, verdict).await;
            false
        }
    });
    let reclosed = all(calls).await.contains(&true);
    if design == Design::Ours {
        let account = circuit.check();
        assert_eq!(account.how_many(Step::Opened), 1);
        assert_eq!(account.steps.len(), 1, "{:?}", account.steps);
        assert!((FAILURES as usize..=CALLERS / 2).contains(&account.counted));
        return circuit.stored().state() == State::Closed;
    }
    reclosed
}

/// The known bad design, as one write: whether it closed a circuit whose wait is not over.
async fn close(circuit: &Circuit) -> bool {
    let close = Update {
        conditions: vec![],
        assignments: vec![Assignment::Set(
            name::STATE.to_owned(),
            Attribute::string(State::Closed.as_str()),
        )],
        repeatable: false,
    };
    match circuit.store.table.write(&circuit.policy.circuit, &close).await {
        // Only an opening sets an end, and time has not passed since.
        Ok(Written::Applied(left)) => Item::from(left).open_until().is_some(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn late_success_never_recloses_a_freshly_opened_breaker() {
    race(async {
        let store = Store::start().await;
        let (mut ours, mut theirs) = (0, 0);
        for round in 0..ROUNDS {
            ours += u32::from(recloses(&store, Design::Ours, round).await);
            theirs += u32::from(recloses(&store, Design::UnconditionalClose, round).await);
        }
        tell(&format!(
            "{CALLERS} callers at once, half of their calls fail: re-closed by a late success in {ours} of {ROUNDS} \
             rounds; with an unconditional close in {theirs} of {ROUNDS}"
        ));
        assert_eq!(ours, 0);
        assert!(theirs > 0, "the bad design was not refuted: the rounds don't race");
    });
}
