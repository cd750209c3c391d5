//! The shipped definition reads an item exactly as the breaker does: its Choice states run on any item, and go where
//! [`model::workflow`] says. And both take the same texts for times.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod machine;

use std::collections::BTreeMap;
use std::sync::Mutex;

use breaker::acquisition::Answer;
use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::{Item, Override};
use breaker::recording::Verdict;
use model::workflow::{self, Route};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::machine::{Definition, Told};

// Its own tests use all of it, this one a part.
#[allow(dead_code)]
#[path = "../../../../lambdas/breaker/tests/properties/attribute.rs"]
mod attribute;
/// The items of the breaker's own properties.
mod item {
    pub const NOW: u64 = 1_000_000;
}

/// What a customer is told who is not served.
fn reason(item: &Item, now: Timestamp) -> &'static str {
    if item.forced(now) == Some(Override::Open) {
        "forced-open"
    } else if item.probe_token().is_some() {
        "probe-busy"
    } else {
        "open"
    }
}

/// So many cases, and no file left behind: a failure prints what it shrank to.
fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    };
    TestRunner::new(config).run(strategy, test).unwrap();
}

/// Only these decide where an execution goes; each of any type, or sound.
fn items() -> impl Strategy<Value = Attributes> {
    let near = || (item::NOW - 3..item::NOW + 4).prop_map(|ms| Timestamp::from_ms(ms).to_string());
    let odd = || {
        prop_oneof![
            "1970-01-01T00:16:40(\\.[0-9]{0,9})?(Z|z|[+-]0[01]:[03]0)?",
            "1970-01-01[Tt ]00:1[67]:[0-6]0\\.000Z",
        ]
    };
    let time = move || prop_oneof![3 => near(), 1 => odd()].prop_map(Attribute::S);
    let word = |words: &'static [&'static str]| prop::sample::select(words).prop_map(Attribute::string);
    let or_any = |sound: BoxedStrategy<Attribute>| {
        prop::option::weighted(0.8, prop_oneof![6 => sound, 1 => attribute::any_attribute()])
    };
    (
        or_any(word(&["OPEN", "OPEN", "OPEN", "CLOSED", "HALF-OPEN"]).boxed()),
        or_any(time().boxed()),
        or_any(word(&["me", ""]).boxed()),
        prop::option::weighted(0.5, or_any(word(&["OPEN", "CLOSED", "DRY_RUN", "HALF"]).boxed())),
        or_any(time().boxed()),
    )
        .prop_map(|(state, until, token, forced, end)| {
            let named = [
                ("state", state),
                ("openUntil", until),
                ("probeToken", token),
                ("override", forced.flatten()),
                ("overrideUntil", end),
            ];
            let there = named
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?)));
            there.collect()
        })
}

#[test]
fn the_definition_reads_any_item_as_the_breaker_does() {
    let definition = Definition::shipped();
    let found = Mutex::new(BTreeMap::<String, u32>::new());
    check(3000, &items(), |attributes| {
        let told = Told {
            item: (!attributes.is_empty()).then(|| serde_json::to_value(&attributes).unwrap()),
            ..Told::default()
        };
        let (route, told) = definition.route(told);
        let (item, now) = (Item::from(attributes), Timestamp::from_ms(item::NOW));
        prop_assert_eq!(route, workflow::after_read(&item, now), "{:?}", item);
        let mut end = format!("{route:?}");
        if route == Route::FallBack {
            prop_assert_eq!(&told, reason(&item, now), "{:?}", item);
            end = told.to_string();
        }
        *found.lock().unwrap().entry(end).or_default() += 1;
        Ok(())
    });
    let found = found.into_inner().unwrap();
    assert_eq!(found.len(), 5, "some route was never taken: {found:?}");
}

#[test]
fn the_definition_takes_each_answer_of_a_lease_as_the_workflow_says() {
    let definition = Definition::shipped();
    let due = json!({ "state": { "S": "OPEN" } });
    for answer in [
        Answer::Granted,
        Answer::Closed,
        Answer::DryRun,
        Answer::ForcedOpen,
        Answer::ProbeBusy,
        Answer::Open,
    ] {
        let told = Told {
            item: Some(due.clone()),
            lease: Some(json!({ "answer": answer.as_str(), "Item": {} })),
            ..Told::default()
        };
        let (route, reason) = definition.route(told);
        let calls = workflow::calls_after(answer);
        assert_eq!(route == Route::Call, calls, "{answer:?}");
        assert!(calls || reason == answer.as_str(), "{answer:?}: {reason}");
    }
}

#[test]
fn the_definition_records_what_the_workflow_says() {
    let definition = Definition::shipped();
    let failure = Verdict::Failure(breaker::decision::Failure {
        kind: "timeout".into(),
        message: String::new(),
    });
    for (word, verdict) in [
        ("success", Verdict::Success),
        ("failure", failure),
        ("undecided", Verdict::Undecided),
    ] {
        for is_probe in [true, false] {
            let granted = json!({ "answer": "granted", "token": "me", "Item": {} });
            let told = Told {
                item: is_probe.then(|| json!({ "state": { "S": "OPEN" } })),
                lease: is_probe.then_some(granted),
                call: Some(json!({ "outcome": { "verdict": word, "reason": "internal" } })),
                ..Told::default()
            };
            let (_, ran) = definition.run(json!({}), told);
            let recorded = ran.iter().any(|state| state == "Record Outcome");
            assert_eq!(
                recorded,
                workflow::must_be_recorded(is_probe, &verdict),
                "{word} {is_probe}"
            );
        }
    }
}

/// Texts that are a time, or would be but for a little.
fn times() -> impl Strategy<Value = String> {
    let fields = (0_u32..10_000, 0_u32..14, 0_u32..33, 0_u32..26, 0_u32..62, 0_u32..62);
    let rest = (
        "[Tt _]",
        "([.,][0-9]{0,12})?",
        "Z|z|[+-][0-2][0-9]:[0-6][0-9]||[+-][0-9]{4}| Z|Z ",
    );
    let near = (fields, rest).prop_map(|((year, month, day, hour, minute, second), (t, fraction, offset))| {
        format!("{year:04}-{month:02}-{day:02}{t}{hour:02}:{minute:02}:{second:02}{fraction}{offset}")
    });
    let sound =
        "20[0-9]{2}-0[1-9]-[12][0-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,12})?(Z|[+-][01][0-9]:[0-5][0-9])";
    let base = prop_oneof![near, sound];
    let changed =
        (base, any::<prop::sample::Index>(), any::<char>(), 0_u32..4).prop_map(|(text, at, other, change)| {
            let mut all: Vec<char> = text.chars().collect();
            let at = at.index(all.len());
            match change {
                0 => all.insert(at, other),
                1 => drop(all.remove(at)),
                _ => {}
            }
            all.into_iter().collect::<String>()
        });
    prop_oneof![4 => changed, 1 => any::<String>()]
}

#[test]
fn the_engine_and_the_breaker_take_the_same_texts_for_times_and_for_the_same_time() {
    let end = |result: Value| json!({ "Type": "Pass", "Result": result, "End": true });
    let definition = json!({
        "StartAt": "Is it a time?",
        "States": {
            "Is it a time?": {
                "Type": "Choice",
                "Choices": [
                    { "Not": { "Variable": "$.text", "IsTimestamp": true }, "Next": "No" },
                    { "Variable": "$.text", "TimestampLessThanEqualsPath": "$.now", "Next": "Past" }
                ],
                "Default": "Ahead"
            },
            "No": end(json!("no")),
            "Past": end(json!("past")),
            "Ahead": end(json!("ahead"))
        }
    });
    let definition = Definition::of(&definition.to_string());
    let found = Mutex::new(BTreeMap::<&str, u32>::new());
    let near = -2_i64..=2;
    check(6000, &(times(), near, any::<u64>()), |(text, near, anywhen)| {
        // Around the text's own time, where they could differ.
        let now = Timestamp::from_ms(match Timestamp::parse(&text) {
            Some(time) => time.as_ms().saturating_add_signed(near),
            None => anywhen,
        });
        let expected = match Timestamp::parse(&text) {
            None => "no",
            Some(time) if time <= now => "past",
            Some(_) => "ahead",
        };
        let input = json!({ "text": text, "now": now.to_string() });
        let (output, _) = definition.run(input, Told::default());
        prop_assert_eq!(output, expected, "{} at {}", text, now);
        *found.lock().unwrap().entry(expected).or_default() += 1;
        Ok(())
    });
    let found = found.into_inner().unwrap();
    assert!(
        ["no", "past", "ahead"].iter().all(|each| found.get(each) > Some(&300)),
        "{found:?}"
    );
}
