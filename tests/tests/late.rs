//! What comes late changes nothing: answers of calls that went out before the circuit opened.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use scripted_partner::{Answer as Scripted, Behaviour, Script};
use serde_json::json;
use stepbreaker_tests::Scene;
use tokio::task::JoinSet;

const ROUNDS: usize = 20;
const LATE: usize = 5;
const FAILING: usize = 8;
const WITHIN: Duration = Duration::from_secs(20);

fn call(scene: &Scene, callers: &mut JoinSet<String>) {
    let scene = scene.clone();
    callers.spawn(async move { scene.call().await.unwrap().reason });
}

/// Lets calls wait at the partner while others open the circuit, then lets them be answered with this; in many rounds.
async fn opening_holds_against(late: Scripted, name: &str, reason: &str) {
    let policy = json!({ "trip": { "failures": 3 } });
    let scene = Scene::start(name, &policy, Script::default()).await.unwrap();
    for round in 0..ROUNDS {
        scene.give(None).await.unwrap();
        let held = vec![Behaviour::from(late.clone().held()); LATE];
        let failing = Behaviour::from(Scripted::new(503, "{}"));
        scene.partner().set(Script::in_turn(held.into_iter().chain([failing])));
        scene.partner().clear_log();
        let (mut waiting, mut callers) = (JoinSet::new(), JoinSet::new());
        (0..LATE).for_each(|_| call(&scene, &mut waiting));
        scene.partner().wait_for_hits(LATE as u64, WITHIN).await.unwrap();
        (0..FAILING).for_each(|_| call(&scene, &mut callers));
        // All that fail have been recorded when they are answered: the item is at rest.
        let failed = callers.join_all().await;
        let open = scene.item().await.unwrap();
        assert_eq!(
            open.as_ref().unwrap()["state"]["S"],
            "OPEN",
            "round {round}: {failed:?}"
        );
        scene.partner().release();
        let reasons = waiting.join_all().await;
        assert!(reasons.iter().all(|each| each == reason), "round {round}: {reasons:?}");
        assert_eq!(scene.item().await.unwrap(), open, "round {round}");
        assert_eq!(scene.call().await.unwrap().reason, "open", "round {round}");
    }
    assert_eq!(scene.announced().await.unwrap(), vec!["CircuitOpened"; ROUNDS]);
    scene.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn late_success_does_not_close_the_circuit() {
    opening_holds_against(Scripted::default(), "late-success", "live").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn late_failure_does_not_extend_the_break() {
    opening_holds_against(Scripted::new(500, "{}"), "late-failure", "error").await;
}

/// The calls that are late for one opening succeed while the probe fails, or fail while it succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn late_answers_are_not_taken_for_the_probes() {
    let policy = json!({ "trip": { "failures": 1 }, "open": { "forMs": 100 } });
    let scene = Scene::start("late-probe", &policy, Script::default()).await.unwrap();
    for (late, probe, state) in [
        (Scripted::default(), Scripted::new(500, "{}"), "OPEN"),
        (Scripted::new(500, "{}"), Scripted::default(), "CLOSED"),
    ] {
        for round in 0..5 {
            scene.give(None).await.unwrap();
            let held = vec![Behaviour::from(late.clone().held()); LATE];
            let then = [
                Behaviour::from(Scripted::new(503, "{}")),
                Behaviour::from(probe.clone()),
            ];
            scene.partner().set(Script::in_turn(held.into_iter().chain(then)));
            scene.partner().clear_log();
            let mut waiting = JoinSet::new();
            (0..LATE).for_each(|_| call(&scene, &mut waiting));
            scene.partner().wait_for_hits(LATE as u64, WITHIN).await.unwrap();
            assert_eq!(scene.call().await.unwrap().reason, "error");
            let mut probed = scene.call().await.unwrap().reason;
            while probed == "open" {
                probed = scene.call().await.unwrap().reason;
            }
            let after = scene.item().await.unwrap();
            scene.partner().release();
            waiting.join_all().await;
            let item = scene.item().await.unwrap();
            assert_eq!(item, after, "{state}, round {round}");
            assert_eq!(item.unwrap()["state"]["S"], state, "round {round}");
        }
    }
    scene.stop().await;
}
