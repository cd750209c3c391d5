//! What a person forces, nothing automatic touches.

use scripted_partner::{Partner, Script};
use serde_json::json;

use crate::common::{CALL, CIRCUIT, Said, Stage, epoch, eventually};

/// A call that is under way at the partner, and hangs there.
async fn under_way(stage: &Stage) -> tokio::task::JoinHandle<std::process::Output> {
    let hits = stage.partner.hits();
    let mut command = stage.command(&CALL);
    let call = tokio::spawn(async move { command.output().await.unwrap() });
    stage
        .partner
        .wait_for_hits(hits + 1, std::time::Duration::from_secs(30))
        .await
        .unwrap();
    call
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_in_flight_does_not_lift_forced_open() {
    let stage = Stage::start().await;
    stage.play(&json!([{ "hang": true }]));
    let call = under_way(&stage).await;
    stage.run(&["open", CIRCUIT, "--reason", "maintenance"]).await.ended(0);
    let forced = stage.item(CIRCUIT).await;
    stage.partner.release();
    assert!(
        call.await.unwrap().status.success(),
        "the call in flight was answered live"
    );
    assert_eq!(stage.item(CIRCUIT).await, forced, "and wrote nothing");
    let said = stage.run(&CALL).await.ended(5);
    assert!(said.out.contains("x-circuit: forced-open"), "{said:?}");
    assert_eq!(stage.partner.hits(), 1, "nobody called");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_in_flight_closes_the_circuit_underneath_and_does_not_lift_forced_open() {
    let stage = Stage::start_with(|policy| policy["open"]["forMs"] = 100.into()).await;
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    for _ in 0..2 {
        stage.run(&CALL).await.ended(5);
    }
    stage.play(&json!([{ "hang": true }]));
    eventually("the wait to be over", || async {
        (stage.standing().await["state"] == "half-open").then_some(())
    })
    .await;
    let probe = under_way(&stage).await;
    assert_eq!(stage.standing().await["state"], "probing");
    let said = stage.run(&["open", CIRCUIT, "--for", "1h"]).await.ended(0);
    assert!(said.out.contains("was half-open: a probe is under way"), "{said:?}");
    stage.partner.release();
    assert!(probe.await.unwrap().status.success());
    let standing = stage.standing().await;
    assert_eq!(
        (&standing["state"], &standing["forced"]["kind"]),
        (&json!("closed"), &json!("OPEN"))
    );
    let said = stage.run(&CALL).await.ended(5);
    assert!(said.out.contains("x-circuit: forced-open"), "{said:?}");
    stage.run(&["auto", CIRCUIT]).await.ended(0);
    stage.play(&json!([{ "answer": {} }]));
    stage.run(&CALL).await.ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn forced_open_ends_by_itself() {
    let stage = Stage::start().await;
    let said = stage.run(&["open", CIRCUIT, "--for", "1s"]).await.ended(0);
    assert!(
        said.out.contains(": forced open until ") && said.out.contains("; was closed\n"),
        "{said:?}"
    );
    eventually("its end", || async {
        stage.standing().await["forced"].is_null().then_some(())
    })
    .await;
    stage.run(&CALL).await.ended(0);
    let sheet = stage.run(&["status", CIRCUIT]).await.ended(0).out;
    assert!(sheet.contains("OPEN ended") && sheet.contains("set by ana"), "{sheet}");
    assert_eq!(
        stage.item(CIRCUIT).await["override"]["S"],
        "OPEN",
        "nothing automatic removed it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_keeps_the_item_from_expiring_until_it_is_lifted() {
    let stage = Stage::start().await;
    stage.trip().await;
    let expires = |item: &serde_json::Value| item["expiresAt"]["N"].as_str().map(|text| text.parse::<u64>().unwrap());
    assert!(expires(&stage.item(CIRCUIT).await).is_some());
    stage.run(&["close", CIRCUIT]).await.ended(0);
    assert_eq!(expires(&stage.item(CIRCUIT).await), None);
    stage.run(&["auto", CIRCUIT]).await.ended(0);
    let item = stage.item(CIRCUIT).await;
    let in_seven_days = epoch(&item) / 1000 + 7 * 24 * 3600;
    assert!(expires(&item).unwrap() >= in_seven_days, "{item}");
    for gone in ["override", "overrideUntil", "overrideBy", "overrideReason"] {
        assert!(item[gone].is_null(), "{item}");
    }
    assert_eq!(item["state"]["S"], "OPEN", "what is stored besides goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forced_says_who_why_and_until_when() {
    let stage = Stage::start().await;
    stage
        .run(&["dry-run", CIRCUIT, "--for", "2h", "--reason", "trying it", "--by", "Bo"])
        .await
        .ended(0);
    let item = stage.item(CIRCUIT).await;
    assert_eq!(item["override"]["S"], "DRY_RUN");
    assert_eq!(
        (&item["overrideBy"]["S"], &item["overrideReason"]["S"]),
        (&json!("Bo"), &json!("trying it"))
    );
    assert_eq!(item["overrideUntil"]["S"].as_str().unwrap().len(), 24);
    let said = stage.run(&["open", CIRCUIT]).await.ended(0);
    assert!(
        said.out.contains("was dry run for 2 h more by Bo: trying it"),
        "another's is told: {said:?}"
    );
    let item = stage.item(CIRCUIT).await;
    assert_eq!(item["overrideBy"]["S"], "ana");
    assert!(
        item["overrideUntil"].is_null() && item["overrideReason"].is_null(),
        "{item}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn where_identities_are_known_that_of_the_credentials_is_written() {
    let stage = Stage::start().await;
    let arn = "arn:aws:sts::123456789012:assumed-role/oncall/ana";
    let identity = format!(
        "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>\
         <Arn>{arn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>"
    );
    let knows = json!({ "answer": { "body": identity } });
    let refuses = json!({ "answer": { "status": 403 } });
    for (answer, arguments, by) in [
        (&knows, &["open", CIRCUIT][..], arn.to_owned()),
        (&knows, &["open", CIRCUIT, "--by", "Bo"], format!("Bo, {arn}")),
        (&refuses, &["open", CIRCUIT, "--by", "Bo"], "Bo".to_owned()),
        (&refuses, &["open", CIRCUIT], "ana".to_owned()),
    ] {
        let sts = Partner::start(serde_json::from_value::<Script>(json!([answer])).unwrap()).unwrap();
        let mut command = stage.command(arguments);
        let output = command
            .env("AWS_ENDPOINT_URL_STS", sts.url("/"))
            .output()
            .await
            .unwrap();
        let said = Said::of(&output).ended(0);
        assert_eq!(stage.item(CIRCUIT).await["overrideBy"]["S"], by, "{said:?}");
        let warned = said.err.contains("does not say whose credentials these are");
        assert_eq!(warned, answer == &refuses, "{said:?}");
        assert!(sts.hits() > 0, "it was asked");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forced_closed_calls_and_records_nothing_and_a_dry_run_records_and_calls() {
    let stage = Stage::start().await;
    stage.run(&["close", CIRCUIT]).await.ended(0);
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    for _ in 0..3 {
        stage.run(&CALL).await.ended(5);
    }
    assert_eq!(stage.standing().await["failures"], 0);
    stage.run(&["dry-run", CIRCUIT]).await.ended(0);
    for _ in 0..3 {
        stage.run(&CALL).await.ended(5);
    }
    assert_eq!(stage.partner.hits(), 6, "all of them called");
    let standing = stage.standing().await;
    assert_eq!(
        (&standing["state"], &standing["forced"]["kind"]),
        (&json!("open"), &json!("DRY_RUN"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_when_the_circuit_is_not_as_it_was_shown() {
    let stage = Stage::start().await;
    let shown = stage.standing().await["epoch"].to_string();
    stage.trip().await;
    let before = stage.item(CIRCUIT).await;
    for command in ["open", "close", "dry-run", "reset"] {
        let said = stage.run(&[command, CIRCUIT, "--if-epoch", &shown]).await.ended(4);
        assert!(
            said.err
                .contains("changed since it was shown: nothing was written. It is now open for "),
            "{said:?}"
        );
    }
    assert_eq!(stage.item(CIRCUIT).await, before);
    let now = stage.standing().await["epoch"].to_string();
    stage.run(&["open", CIRCUIT, "--if-epoch", &now]).await.ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_circuit_that_is_not_found_is_not_touched_unless_somebody_says_so() {
    let stage = Stage::start().await;
    for command in ["open", "close", "dry-run", "auto", "reset"] {
        let said = stage.run(&[command, "wholesaler-stok"]).await.ended(3);
        assert!(
            said.err.contains("circuit wholesaler-stok is not found") && said.err.contains("--yes"),
            "{said:?}"
        );
    }
    assert!(stage.item("wholesaler-stok").await.is_null());
    let said = stage.run(&["status", "wholesaler-stok"]).await.ended(3);
    assert!(said.err.contains("there are wholesaler-stock"), "{said:?}");
    stage.run(&["open", "wholesaler-stok", "--yes"]).await.ended(0);
    assert_eq!(stage.item("wholesaler-stok").await["override"]["S"], "OPEN");
    // It is found now, by its item.
    stage.run(&["auto", "wholesaler-stok"]).await.ended(0);
    // Only a policy says which slices of time failures may still be counted in.
    stage.run(&["reset", "wholesaler-stok"]).await.ended(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn lifting_what_is_not_forced_writes_nothing() {
    let stage = Stage::start().await;
    let said = stage.run(&["auto", CIRCUIT]).await.ended(0);
    assert!(said.out.contains("nothing is forced"), "{said:?}");
    assert!(stage.item(CIRCUIT).await.is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_closes_and_forgets_but_what_is_forced_stays() {
    let stage = Stage::start().await;
    stage.trip().await;
    stage.run(&["open", CIRCUIT]).await.ended(0);
    let said = stage.run(&["reset", CIRCUIT]).await.ended(0);
    assert!(
        said.out
            .contains("now: forced open until lifted, by ana; underneath closed"),
        "{said:?}"
    );
    let item = stage.item(CIRCUIT).await;
    assert_eq!(
        (&item["state"]["S"], &item["override"]["S"]),
        (&json!("CLOSED"), &json!("OPEN"))
    );
    assert!(item["openings"].is_null() && item["openUntil"].is_null(), "{item}");
    stage.run(&["auto", CIRCUIT]).await.ended(0);
    stage.play(&json!([{ "answer": {} }]));
    stage.run(&CALL).await.ended(0);
}
