//! `history`: what was announced, and what was not.

use serde_json::json;

use crate::common::{CALL, CIRCUIT, Stage, eventually};

#[tokio::test(flavor = "multi_thread")]
async fn transitions_are_told_with_the_holes_between_them() {
    let stage = Stage::start_with(|policy| policy["open"]["forMs"] = 100.into()).await;
    let said = stage.run(&["history", CIRCUIT]).await.ended(0);
    assert_eq!(said.out, "Nothing was announced.\n");
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    for _ in 0..2 {
        stage.run(&CALL).await.ended(5);
    }
    eventually("the wait to be over", || async {
        (stage.standing().await["state"] == "half-open").then_some(())
    })
    .await;
    stage.play(&json!([{ "answer": {} }]));
    stage.run(&CALL).await.ended(0);
    stage.run(&["open", CIRCUIT]).await.ended(0);
    let told = stage.run(&["history", CIRCUIT, "--json"]).await.ended(0).json();
    let told = told["history"].as_array().unwrap();
    let position = |kind: &str| {
        told.iter()
            .position(|entry| entry["event"] == kind)
            .unwrap_or_else(|| panic!("{kind}: {told:?}"))
    };
    let (opened, closed) = (position("CircuitOpened"), position("CircuitClosed"));
    assert!(opened < closed, "{told:?}");
    assert_eq!(told[opened]["openings"], 1);
    let last = told.last().unwrap();
    assert_eq!(
        last["hole"]["after"], told[closed]["epoch"],
        "the override began an epoch that nobody announced: {told:?}"
    );
    let lines = stage.run(&["history", CIRCUIT]).await.ended(0).out;
    assert!(
        lines.contains("CircuitOpened, open until ") && lines.contains("~ not announced: epoch "),
        "{lines}"
    );
}
