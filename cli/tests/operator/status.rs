//! How circuits are shown.

use serde_json::json;

use crate::common::{CALL, CIRCUIT, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_circuit_that_never_failed_is_closed() {
    let stage = Stage::start().await;
    let said = stage.run(&["status"]).await.ended(0);
    let rows: Vec<Vec<&str>> = said
        .out
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(rows[0], ["CIRCUIT", "STATE", "FAILURES", "LAST FAILURE", "SINCE"]);
    assert_eq!(rows[1], [CIRCUIT, "closed", "0 of 2", "-", "-"]);
    assert_eq!(rows.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_and_an_open_circuit_are_said_as_people_mean_them() {
    let stage = Stage::start().await;
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    stage.run(&CALL).await.ended(5);
    let sheet = stage.run(&["status", CIRCUIT]).await.ended(0).out;
    for part in ["closed", "1 of 2 within 10 min", " ago: "] {
        assert!(sheet.contains(part), "{part}: {sheet}");
    }
    stage.run(&CALL).await.ended(5);
    let sheet = stage.run(&["status", CIRCUIT]).await.ended(0).out;
    for part in ["open for 9 min ", "1 in a row", "last failure", "since", "epoch"] {
        assert!(
            sheet.contains(part) || sheet.contains(&part.replace("9 min ", "10 min ")),
            "{part}: {sheet}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_has_what_the_item_and_the_policy_say() {
    let stage = Stage::start().await;
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    stage.run(&CALL).await.ended(5);
    let all = stage.run(&["status", "--json"]).await.ended(0).json();
    let circuit = &all["circuits"][0];
    assert_eq!(circuit, &stage.standing().await);
    assert_eq!(circuit["state"], "closed");
    assert_eq!(
        (&circuit["failures"], &circuit["tripsAt"], &circuit["windowMs"]),
        (&json!(1), &json!(2), &json!(600_000))
    );
    assert_eq!(circuit["lastFailure"]["kind"], "status-5xx");
    assert!(
        circuit["stateMachineArn"]
            .as_str()
            .unwrap()
            .ends_with(":circuit-wholesaler-stock")
    );
    let fields: Vec<_> = circuit.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        fields,
        [
            "circuit",
            "state",
            "until",
            "forced",
            "failures",
            "tripsAt",
            "windowMs",
            "openings",
            "lastFailure",
            "since",
            "epoch",
            "stateMachineArn"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_without_a_machine_is_shown_too_and_tells_its_window_itself() {
    let stage = Stage::start().await;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    stage
        .put(json!({
            "circuit": { "S": "orphan" },
            "state": { "S": "CLOSED" },
            "epoch": { "N": "7" },
            (format!("w{}", now / 60_000)): { "N": "3" },
            (format!("w{}", now / 60_000 - 11)): { "N": "9" },
            "failingUntil": { "S": "2030-01-01T00:10:00.000Z" },
            "lastFailure": { "M": { "at": { "S": "2030-01-01T00:00:00.000Z" }, "kind": { "S": "timeout" } } },
        }))
        .await;
    let all = stage.run(&["status", "--json"]).await.ended(0).json();
    let orphan = &all["circuits"][0];
    assert_eq!(
        (&orphan["circuit"], &orphan["failures"], &orphan["tripsAt"]),
        (&json!("orphan"), &json!(3), &json!(null))
    );
    let sheet = stage.run(&["status", "orphan"]).await.ended(0).out;
    assert!(sheet.contains("none is known here"), "{sheet}");
}
