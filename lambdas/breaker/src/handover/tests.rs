//! The payloads as they are spelled.

use serde_json::{Value, json};

use super::*;

fn policy() -> Value {
    json!({
        "circuit": "shop",
        "trip": { "failures": 3, "windowMs": 1000 },
        "open": { "forMs": 30_000 },
        "probe": { "leaseMs": 5000 }
    })
}

fn outcome(verdict: &str) -> Value {
    json!({ "verdict": verdict, "reason": "error", "kind": "timeout", "message": "no answer in time" })
}

fn record(circuit: &Value, outcome: &Value) -> RecordOutcome {
    let event = json!({
        "policy": policy(),
        "circuit": circuit,
        "outcome": outcome,
        "execution": "arn",
        "startedAt": "1970-01-01T00:16:40.000Z"
    });
    serde_json::from_value(event).unwrap()
}

fn acquired(answer: Answer) -> Acquired {
    let until = Timestamp::from_ms(5000);
    let item = Attributes::from([("openUntil".to_owned(), crate::attribute::Attribute::string(until))]);
    Acquired {
        answer,
        item: item.into(),
    }
}

#[test]
fn a_granted_lease_is_handed_on_with_its_token_and_end() {
    let lease = serde_json::to_value(Lease::new(acquired(Answer::Granted), "me".into())).unwrap();
    let until = "1970-01-01T00:00:05.000Z";
    let item = json!({ "openUntil": { "S": until } });
    assert_eq!(
        lease,
        json!({ "answer": "granted", "token": "me", "until": until, "Item": item })
    );
}

#[test]
fn a_lease_that_was_refused_has_neither() {
    for answer in [
        (Answer::Closed, "closed"),
        (Answer::DryRun, "dry-run"),
        (Answer::ForcedOpen, "forced-open"),
        (Answer::ProbeBusy, "probe-busy"),
        (Answer::Open, "open"),
    ] {
        let lease = serde_json::to_value(Lease::new(acquired(answer.0), "me".into())).unwrap();
        assert_eq!(lease.get("answer"), Some(&json!(answer.1)));
        assert_eq!((lease.get("token"), lease.get("until")), (None, None), "{answer:?}");
    }
}

#[test]
fn the_circuit_is_what_was_read_or_what_the_lease_left() {
    let item = |epoch: &str| json!({ "epoch": { "N": epoch } });
    let read = json!({ "Item": item("7"), "SdkHttpMetadata": { "HttpStatusCode": 200 } });
    let (policy, call) = record(&read, &outcome("failure")).into_call().unwrap().unwrap();
    assert_eq!(policy.probe.successes_to_close, 1, "left out, it is one");
    assert_eq!((call.known.epoch(), call.token), (7, None));
    assert_eq!(call.went_out, Timestamp::from_ms(1_000_000));
    let lease = json!({ "lease": { "answer": "granted", "token": "me", "until": "…", "Item": item("8") } });
    let (_, call) = record(&lease, &outcome("success")).into_call().unwrap().unwrap();
    assert_eq!((call.known.epoch(), call.token.as_deref()), (8, Some("me")));
    let closed = json!({ "lease": { "answer": "closed", "Item": item("9") } });
    let (_, call) = record(&closed, &outcome("success")).into_call().unwrap().unwrap();
    assert_eq!((call.known.epoch(), call.token), (9, None));
    let (_, call) = record(&json!({}), &outcome("success")).into_call().unwrap().unwrap();
    assert_eq!(call.known, Item::default());
}

#[test]
fn an_execution_whose_read_failed_has_nothing_to_record() {
    let failed = json!({ "Error": "DynamoDB.AmazonDynamoDBException", "Cause": "…" });
    assert_eq!(record(&failed, &outcome("failure")).into_call(), Ok(None));
}

#[test]
fn each_verdict_is_taken_as_it_is_spelled() {
    let failure = |kind: &str, message: &str| {
        Verdict::Failure(Failure {
            kind: kind.into(),
            message: message.into(),
        })
    };
    for (outcome, verdict) in [
        (outcome("success"), Verdict::Success),
        (outcome("undecided"), Verdict::Undecided),
        (outcome("failure"), failure("timeout", "no answer in time")),
        (
            json!({ "verdict": "failure", "reason": "error" }),
            failure("unknown", ""),
        ),
    ] {
        let (_, call) = record(&json!({}), &outcome).into_call().unwrap().unwrap();
        assert_eq!(call.verdict, verdict);
    }
}

#[test]
fn an_event_without_a_time_is_malformed() {
    let event = RecordOutcome {
        started_at: "yesterday".into(),
        ..record(&json!({}), &outcome("success"))
    };
    assert_eq!(event.into_call(), Err(Malformed::StartedAt));
}

#[test]
fn a_transition_is_announced_and_anything_else_only_told() {
    let transition = Transition {
        circuit: "shop".into(),
        change: crate::event::Change::Opened,
        epoch: 8,
        previous_epoch: 7,
        at: "…".into(),
        open_until: None,
        openings: 1,
        dry_run: false,
    };
    let opened = serde_json::to_value(RecordedOutcome::from(Recorded::Opened(transition))).unwrap();
    let detail = json!({
        "circuit": "shop", "epoch": 8, "previousEpoch": 7, "at": "…", "openings": 1, "dryRun": false
    });
    let event = json!({ "detailType": "CircuitOpened", "detail": detail });
    assert_eq!(opened, json!({ "recorded": "opened", "event": event }));
    let counted = serde_json::to_value(RecordedOutcome::from(Recorded::Counted)).unwrap();
    assert_eq!(counted, json!({ "recorded": "counted" }));
}
