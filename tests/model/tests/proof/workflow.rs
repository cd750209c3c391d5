//! The model's branches are the shipped definition's: both are asked about the same items, answers and outcomes.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use breaker::acquisition::Answer;
use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::decision::Failure;
use breaker::item::{Item, name};
use breaker::recording::Verdict;
use model::workflow::{self, Route};
use serde_json::{Value, json};
use states_language::{Clock, Machine, NoObserver, Outcome, Start, TaskError, TaskRequest, Tasks, run};
use time::OffsetDateTime;

const DEFINITION: &str = include_str!("../../../../statemachine/circuit-breaker.asl.json");
const NOW_MS: u64 = 1_790_000_000_000;

/// A clock that stands.
struct Standing;

#[async_trait]
impl Clock for Standing {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(NOW_MS) * 1_000_000).expect("a time")
    }

    async fn sleep(&self, _: Duration) {
        std::future::pending().await
    }
}

/// Answers each Task as it is told, and notes which were asked for.
struct Scripted {
    item: Option<Attributes>,
    answer: Answer,
    verdict: &'static str,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Tasks for Scripted {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        self.asked.lock().expect("nobody panics").push(task.state.to_owned());
        let payload = |payload: Value| Ok(json!({ "StatusCode": 200, "Payload": payload }));
        match task.state {
            "Read Circuit" => Ok(match &self.item {
                Some(item) => json!({ "Item": item }),
                None => json!({}),
            }),
            "Acquire Probe Lease" => payload(match self.answer {
                Answer::Granted => json!({ "answer": "granted", "token": "t", "until": "2030-01-01T00:00:00.000Z" }),
                other => json!({ "answer": other.as_str() }),
            }),
            "Call Partner" => payload(json!({
                "outcome": { "verdict": self.verdict, "reason": "live" },
                "answer": { "status": 200, "contentType": "text/plain", "body": "" }
            })),
            "Record Outcome" => payload(json!({ "recorded": "nothing" })),
            other => Err(TaskError::new("Unexpected", other)),
        }
    }
}

fn asked(item: Option<&Attributes>, answer: Answer, verdict: &'static str) -> Vec<String> {
    let policy = json!({
        "circuit": "shop", "params": {}, "call": {}, "trip": {}, "open": {}, "probe": {},
        "fallback": { "status": 200, "body": "" }
    });
    let definition = DEFINITION.replace("\"${Policy}\"", &policy.to_string());
    let machine = Machine::parse(&definition, &|_| true).expect("the shipped definition is accepted");
    let tasks = Scripted {
        item: item.cloned(),
        answer,
        verdict,
        asked: Mutex::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let start = Start::new(json!({ "params": {} }));
    let outcome = runtime.block_on(run(&machine, start, &tasks, &Standing, &NoObserver));
    assert!(matches!(outcome, Outcome::Succeeded { .. }), "{outcome:?}");
    tasks.asked.into_inner().expect("nobody panics")
}

/// Every reading that a choice tells apart: present, absent, malformed, before, at and after now.
fn items() -> Vec<Option<Attributes>> {
    let time = |ms: i64| Attribute::string(Timestamp::from_ms(NOW_MS.saturating_add_signed(ms)));
    let times = || {
        vec![
            None,
            Some(Attribute::string("soon")),
            Some(time(-1)),
            Some(time(0)),
            Some(time(1)),
        ]
    };
    let states = [None, Some("CLOSED"), Some("OPEN"), Some("HALF")].map(|state| state.map(Attribute::string));
    let overrides =
        [None, Some("OPEN"), Some("CLOSED"), Some("DRY_RUN"), Some("HALF")].map(|kind| kind.map(Attribute::string));
    let mut items = vec![None];
    for state in &states {
        for until in times() {
            for kind in &overrides {
                for end in times() {
                    for token in [None, Some(Attribute::string("t"))] {
                        let pairs = [
                            (name::STATE, state.clone()),
                            (name::OPEN_UNTIL, until.clone()),
                            (name::OVERRIDE, kind.clone()),
                            (name::OVERRIDE_UNTIL, end.clone()),
                            (name::PROBE_TOKEN, token),
                        ];
                        let pairs = pairs
                            .into_iter()
                            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
                        items.push(Some(pairs.collect()));
                    }
                }
            }
        }
    }
    items
}

#[test]
fn the_route_after_the_read_is_the_definitions() {
    let now = Timestamp::from_ms(NOW_MS);
    for item in items() {
        let asked = asked(item.as_ref(), Answer::Open, "success");
        let read: Item = item.clone().unwrap_or_default().into();
        let expected: &[&str] = match workflow::after_read(&read, now) {
            Route::Call => &["Read Circuit", "Call Partner"],
            Route::Acquire => &["Read Circuit", "Acquire Probe Lease"],
            Route::FallBack => &["Read Circuit"],
        };
        assert_eq!(asked, expected, "{item:?}");
    }
}

#[test]
fn who_calls_after_the_lease_and_what_is_recorded_are_the_definitions() {
    let due = Attributes::from([(name::STATE.to_owned(), Attribute::string("OPEN"))]);
    let closed = Attributes::new();
    let failure = Failure {
        kind: "timeout".to_owned(),
        message: String::new(),
    };
    let verdicts = [
        ("success", Verdict::Success),
        ("failure", Verdict::Failure(failure)),
        ("undecided", Verdict::Undecided),
    ];
    let answers = [
        Answer::Granted,
        Answer::Closed,
        Answer::DryRun,
        Answer::ForcedOpen,
        Answer::ProbeBusy,
        Answer::Open,
    ];
    for (spelling, verdict) in &verdicts {
        for answer in answers {
            let asked = asked(Some(&due), answer, spelling);
            let calls = workflow::calls_after(answer);
            let records = calls && workflow::must_be_recorded(answer == Answer::Granted, verdict);
            assert_eq!(asked.contains(&"Call Partner".to_owned()), calls, "{answer:?}");
            assert_eq!(
                asked.contains(&"Record Outcome".to_owned()),
                records,
                "{answer:?} {spelling}"
            );
        }
        let asked = asked(Some(&closed), Answer::Open, spelling);
        let records = workflow::must_be_recorded(false, verdict);
        assert_eq!(asked.contains(&"Record Outcome".to_owned()), records, "{spelling}");
    }
}
