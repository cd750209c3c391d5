//! Many callers at once: what the partner sees of them.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use scripted_partner::{Answer as Scripted, Behaviour, Script};
use serde_json::json;
use stepbreaker_tests::{Answer, Scene};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Makes `calls` calls, `at_once` of them under way.
async fn calls(scene: &Scene, calls: usize, at_once: usize) -> Vec<Answer> {
    let room = Arc::new(Semaphore::new(at_once));
    let mut callers = JoinSet::new();
    for _ in 0..calls {
        let (scene, room) = (scene.clone(), Arc::clone(&room));
        callers.spawn(async move {
            let _place = room.acquire().await.unwrap();
            scene.call().await.unwrap()
        });
    }
    callers.join_all().await
}

fn by_reason(answers: &[Answer]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        *counts.entry(answer.reason.as_str()).or_default() += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousand_calls_of_a_hanging_partner_are_all_answered_and_few_reach_it() {
    let policy = json!({ "call": { "timeoutMs": 500 } });
    let scene = Scene::start("load", &policy, Behaviour::hang()).await.unwrap();
    let answers = calls(&scene, 1_000, 50).await;
    let hits = scene.partner().hits();
    let counts = by_reason(&answers);
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 200 && answer.body == r#"{"deliveryDays":null}"#)
    );
    // Each call that reached the partner is an error, and all others were spared: none saturated, failed or unavailable.
    assert_eq!(counts, BTreeMap::from([("error", hits), ("open", 1_000 - hits)]));
    assert!((5..=55).contains(&hits), "{hits}");
    assert_eq!(scene.announced().await.unwrap(), ["CircuitOpened"]);
    scene.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_call_at_a_time_reaches_the_partner_until_the_circuit_closes() {
    const FAILED: usize = 4;
    let policy = json!({ "open": { "forMs": 150 } });
    let failing = Behaviour::from(Scripted::new(500, "{}").after_ms(60));
    let recovered = Behaviour::from(Scripted::default().after_ms(200));
    let script = Script::in_turn(vec![failing; FAILED].into_iter().chain([recovered]));
    let scene = Scene::start("herd", &policy, script).await.unwrap();
    // The wait ends under all of them at once.
    let open = json!({ "state": "OPEN", "epoch": 7, "openUntil": { "$now": 300 } });
    scene.give(Some(&open)).await.unwrap();
    let mut callers = JoinSet::new();
    for _ in 0..50 {
        let scene = scene.clone();
        callers.spawn(async move {
            let mut reasons = Vec::new();
            while reasons.last().is_none_or(|last| last != "live") {
                reasons.push(scene.call().await.unwrap().reason);
            }
            reasons
        });
    }
    let reasons: Vec<String> = callers.join_all().await.into_iter().flatten().collect();
    let entries = scene.partner().log().entries;
    let ended = |index: usize| entries[index].ended.unwrap().after_us;
    for (index, entry) in entries.iter().enumerate().skip(1) {
        // Each probe comes after the end of the one before it, and everybody else after the one that closed the circuit.
        let before = index.min(FAILED + 1) - 1;
        let (arrived, ended) = (entry.arrived.after_us, ended(before));
        assert!(
            arrived >= ended,
            "request {index} arrived {} µs before the end of {before}",
            ended - arrived
        );
    }
    assert!(entries.len() > FAILED + 1, "somebody called after it had closed");
    assert_eq!(reasons.iter().filter(|reason| *reason == "error").count(), FAILED);
    let known = ["error", "live", "open", "probe-busy"];
    assert!(
        reasons.iter().all(|reason| known.contains(&reason.as_str())),
        "{reasons:?}"
    );
    let mut announced = vec!["CircuitReopened"; FAILED];
    announced.push("CircuitClosed");
    assert_eq!(scene.announced().await.unwrap(), announced);
    scene.stop().await;
}
