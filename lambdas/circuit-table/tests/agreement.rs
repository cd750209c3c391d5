//! A conditional update means the same in memory and on a table: every kind of update, on every kind of item, refusals
//! and invalid operands included. What the model proves about the one is true of the other.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used)]

mod embedded;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use breaker::attribute::{Attribute, Attributes, Binary};
use breaker::clock::Timestamp;
use breaker::decision::{self, Failure, Forcing, ProbeResult};
use breaker::item::{Item, Override};
use breaker::policy::{Open, Policy, Probe, Trip};
use breaker::update::{Assignment, Condition, Update, Written};
use circuit_table::{StoreError, Table};
use embedded::{KEY, TABLE};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;

struct Store {
    runtime: Runtime,
    client: Client,
    table: Table,
    items: std::cell::Cell<u32>,
}

impl Store {
    fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let (client, _) = runtime.block_on(embedded::start());
        let table = Table::new(client.clone(), TABLE);
        Self {
            runtime,
            client,
            table,
            items: 0.into(),
        }
    }

    /// Stores an item under a key of its own and makes the update there.
    fn write(&self, item: &Attributes, update: &Update) -> Result<Written, StoreError> {
        self.items.set(self.items.get() + 1);
        let circuit = format!("c{}", self.items.get());
        self.runtime.block_on(async {
            if !item.is_empty() {
                let stored = item.iter().map(|(name, value)| (name.clone(), sdk(value)));
                let key = (KEY.to_owned(), AttributeValue::S(circuit.clone()));
                let put = self
                    .client
                    .put_item()
                    .table_name(TABLE)
                    .set_item(Some(stored.chain([key]).collect()));
                put.send().await.unwrap();
            }
            self.table.write(&circuit, update).await
        })
    }

    fn agrees(&self, item: &Attributes, update: &Update) {
        let (here, there) = (update.apply(item), self.write(item, update));
        let same = match (&here, &there) {
            (Ok(Written::Applied(here)), Ok(Written::Applied(there)))
            | (Ok(Written::Refused(here)), Ok(Written::Refused(there))) => same(here, there),
            (Err(_), Err(StoreError::Failed { code, .. })) => code == "ValidationException",
            _ => false,
        };
        assert!(
            same,
            "in memory: {here:#?}\non the table: {there:#?}\nupdate: {update:#?}\nitem: {item:#?}"
        );
    }
}

fn same(here: &Attributes, there: &Attributes) -> bool {
    Attribute::M(here.clone()).same_as(&Attribute::M(there.clone()))
}

/// By way of DynamoDB's JSON, so that this test does not lean on the code that it tests.
fn sdk(value: &Attribute) -> AttributeValue {
    match value {
        Attribute::S(text) => AttributeValue::S(text.clone()),
        Attribute::N(number) => AttributeValue::N(number.clone()),
        Attribute::B(bytes) => AttributeValue::B(bytes.0.clone().into()),
        Attribute::Bool(truth) => AttributeValue::Bool(*truth),
        Attribute::Null(null) => AttributeValue::Null(*null),
        Attribute::L(list) => AttributeValue::L(list.iter().map(sdk).collect()),
        Attribute::M(map) => AttributeValue::M(map.iter().map(|(name, value)| (name.clone(), sdk(value))).collect()),
        Attribute::Ss(set) => AttributeValue::Ss(set.clone()),
        Attribute::Ns(set) => AttributeValue::Ns(set.clone()),
        Attribute::Bs(set) => AttributeValue::Bs(set.iter().map(|bytes| bytes.0.clone().into()).collect()),
    }
}

const NOW: u64 = 1_000_000;

fn policy() -> Policy {
    Policy {
        circuit: "shop".into(),
        trip: Trip {
            failures: 2,
            window_ms: 1000,
        },
        open: Open { for_ms: 30_000 },
        probe: Probe::new(5000),
    }
}

/// One value of each type, well- and ill-formed for any attribute.
fn values() -> Vec<Attribute> {
    let map = Attributes::from([("a".to_owned(), Attribute::number(1))]);
    vec![
        Attribute::number(0),
        Attribute::number(7),
        Attribute::N("7.0".into()),
        Attribute::N("-7".into()),
        Attribute::N("0.5".into()),
        Attribute::N("1000000001".into()),
        Attribute::N("12345678901234567890123456789012345678".into()),
        Attribute::N("1e100".into()),
        Attribute::string("OPEN"),
        Attribute::string("CLOSED"),
        Attribute::string("7"),
        Attribute::string("me"),
        Attribute::string(Timestamp::from_ms(NOW - 1)),
        Attribute::string(Timestamp::from_ms(NOW + 1)),
        Attribute::B(Binary(vec![7])),
        Attribute::Bool(true),
        Attribute::Null(true),
        Attribute::L(vec![Attribute::number(7)]),
        Attribute::M(map),
        Attribute::Ss(vec!["7".into(), "8".into()]),
        Attribute::Ns(vec!["7".into(), "8.0".into()]),
        Attribute::Bs(vec![Binary(vec![7])]),
    ]
}

/// Every update that the breaker decides on an item.
fn updates(seen: &Item) -> Vec<Update> {
    let (policy, now) = (policy(), Timestamp::from_ms(NOW));
    let failure = Failure {
        kind: "timeout".into(),
        message: "no answer".into(),
    };
    let forcing = |kind| Forcing {
        kind,
        until: Some(now.plus_ms(9)),
        by: "ann".into(),
        reason: Some("why".into()),
    };
    let results = [ProbeResult::Succeeded, ProbeResult::Failed, ProbeResult::Undecided];
    let mut all = vec![
        decision::force(seen, &forcing(Override::Open), now),
        decision::force(
            seen,
            &Forcing {
                until: None,
                reason: None,
                ..forcing(Override::DryRun)
            },
            now,
        ),
        decision::lift(seen, now),
        decision::reset(&policy.trip, seen, now),
    ];
    all.extend(decision::count(&policy.trip, seen, &failure, now, now));
    all.extend(decision::open(&policy, seen, now));
    all.extend(decision::grant(&policy, seen, "me", now));
    all.extend(
        results
            .iter()
            .filter_map(|result| Some(decision::conclude(&policy, seen, "me", *result, now)?.0)),
    );
    all
}

fn base_items() -> Vec<Attributes> {
    let item = |attributes: &[(&str, Attribute)]| -> Attributes {
        attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let open = [
        ("state", Attribute::string("OPEN")),
        ("epoch", Attribute::number(7)),
        ("openUntil", Attribute::string(Timestamp::from_ms(NOW - 1))),
        ("openings", Attribute::number(1)),
    ];
    let probing = [&open[..], &[("probeToken", Attribute::string("me"))]].concat();
    let lost = [&open[..], &[("probeToken", Attribute::string("other"))]].concat();
    vec![
        Attributes::new(),
        item(&[
            ("epoch", Attribute::number(7)),
            ("w10000", Attribute::number(1)),
            ("w9000", Attribute::number(1)),
        ]),
        item(&[
            ("epoch", Attribute::number(7)),
            ("w10000", Attribute::number(3)),
            ("expiresAt", Attribute::number(1)),
        ]),
        item(&open),
        item(&probing),
        item(&lost),
    ]
}

#[test]
fn every_update_means_the_same_on_every_item() {
    let store = Store::new();
    let mut kinds = 0;
    for base in base_items() {
        let seen = Item::from(base.clone());
        for update in updates(&seen) {
            kinds += 1;
            store.agrees(&base, &update);
            // Decided on one item, written to another: moved on, gone, malformed.
            for name in ["epoch", "w10000", "state"] {
                let mut gone = base.clone();
                gone.remove(name);
                store.agrees(&gone, &update);
                for value in values() {
                    let mut changed = base.clone();
                    changed.insert(name.to_owned(), value);
                    store.agrees(&changed, &update);
                }
            }
        }
    }
    assert!(kinds > 30, "only {kinds} updates were tried");
}

#[test]
fn what_is_decided_on_a_malformed_item_can_be_written_to_it() {
    let store = Store::new();
    for base in base_items() {
        for name in [
            "epoch",
            "w10000",
            "state",
            "openUntil",
            "openings",
            "probeToken",
            "probeSuccesses",
            "override",
        ] {
            for value in values() {
                let mut item = base.clone();
                item.insert(name.to_owned(), value);
                for update in updates(&Item::from(item.clone())) {
                    let written = store.write(&item, &update).unwrap();
                    assert!(
                        matches!(written, Written::Applied(_)),
                        "refused: {update:#?} on {item:#?}"
                    );
                    assert!(same_written(&update, &item, &written));
                }
            }
        }
    }
}

fn same_written(update: &Update, item: &Attributes, there: &Written) -> bool {
    match (update.apply(item), there) {
        (Ok(Written::Applied(here)), Written::Applied(there)) => same(&here, there),
        _ => false,
    }
}

#[test]
fn each_condition_and_assignment_means_the_same_for_every_pair_of_values() {
    let store = Store::new();
    let name = || "a".to_owned();
    let update = |conditions, assignments| Update {
        conditions,
        assignments,
        repeatable: false,
    };
    let mark = || vec![Assignment::Set("b".into(), Attribute::number(1))];
    let mut items: Vec<Attributes> = values()
        .into_iter()
        .map(|value| Attributes::from([(name(), value)]))
        .collect();
    items.push(Attributes::new());
    for item in items {
        store.agrees(&item, &update(vec![Condition::Absent(name())], mark()));
        store.agrees(
            &item,
            &update(vec![Condition::AbsentOrBetween(name(), 0, 1_000_000_000)], mark()),
        );
        store.agrees(&item, &update(vec![], vec![Assignment::Add(name(), 1)]));
        store.agrees(
            &item,
            &update(vec![], vec![Assignment::Remove(name()), mark().remove(0)]),
        );
        for value in values() {
            store.agrees(&item, &update(vec![Condition::Equals(name(), value)], mark()));
        }
    }
}

#[test]
fn an_item_full_of_old_slices_can_be_written_to() {
    let store = Store::new();
    let slices = (0..2000).map(|slice| (format!("w{slice}"), Attribute::number(1)));
    let item: Attributes = slices.chain([("epoch".to_owned(), Attribute::number(7))]).collect();
    for update in updates(&Item::from(item.clone())) {
        store.agrees(&item, &update);
    }
}

fn any_attribute() -> impl Strategy<Value = Attribute> {
    prop_oneof![
        prop::sample::select(values()),
        "[0-9]{1,20}(\\.[0-9]{1,6})?".prop_map(Attribute::N),
        "\\PC{0,20}".prop_map(Attribute::S),
    ]
}

#[test]
fn any_item_can_be_read_and_written_to_the_same() {
    let store = Store::new();
    const NAMES: [&str; 10] = [
        "state",
        "epoch",
        "openUntil",
        "probeToken",
        "openings",
        "w10000",
        "w9995",
        "w2",
        "override",
        "overrideUntil",
    ];
    let items = || {
        prop::collection::btree_map(
            prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
            any_attribute(),
            0..6,
        )
    };
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 150,
        ..ProptestConfig::default()
    });
    runner
        .run(&(items(), items()), |(seen, found)| {
            for update in updates(&Item::from(seen.clone())) {
                store.agrees(&seen, &update);
                store.agrees(&found, &update);
            }
            Ok(())
        })
        .unwrap();
}
