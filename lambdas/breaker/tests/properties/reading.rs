//! Any item has a reading, and a write accepts exactly what the reading accepts (`protocol.md`, *Reading*).

use std::collections::BTreeSet;

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::{Item, Override, State};
use breaker::recording::Recorded;
use breaker::update::{Assignment, Update, Written};
use breaker::window;
use proptest::prelude::*;

use crate::attribute::{any_attribute, any_attributes};
use crate::decisions;
use crate::item::{NOW, attributes, now, policy, record_failure};

fn after(update: &Update, item: &Attributes) -> Option<Item> {
    match update.apply(item) {
        Ok(Written::Applied(after)) => Some(after.into()),
        _ => None,
    }
}

fn same_epoch(one: &Attributes, other: &Attributes) -> bool {
    match (one.get("epoch"), other.get("epoch")) {
        (Some(one), Some(other)) => one.same_as(other),
        (one, other) => one == other,
    }
}

/// The ways to write a whole number that DynamoDB takes for the same.
fn spellings(number: u64) -> Vec<String> {
    vec![
        number.to_string(),
        format!("+{number}"),
        format!("00{number}"),
        format!("{number}.0"),
        format!("{number}.000e0"),
        format!("{number}0E-1"),
        format!("{number}e+0"),
        format!("0.{number:020}e20"),
    ]
}

proptest! {
    #![proptest_config(crate::cases(512))]

    #[test]
    fn any_item_has_a_reading(attributes in any_attributes(), ms in any::<u64>()) {
        let item = Item::from(attributes.clone());
        let at = Timestamp::from_ms(ms);
        prop_assert_eq!(item.state() == State::Open, attributes.get("state") == Some(&Attribute::string("OPEN")));
        prop_assert_eq!(item.probe_token(), attributes.get("probeToken").and_then(Attribute::as_str));
        prop_assert_eq!(item.has_override(), attributes.contains_key("override"));
        prop_assert!(item.is_due(at) || item.open_until().is_some_and(|until| at < until));
        prop_assert!(item.forced(at).is_none() || item.has_override());
        // No reading is so large that one more does not fit.
        for count in [item.epoch(), item.openings(), item.probe_successes(), window::failures(&item)] {
            prop_assert!(count < u64::MAX);
        }
        prop_assert_eq!(item.into_attributes(), attributes);
    }

    #[test]
    fn a_whole_number_reads_the_same_in_every_spelling(number in 0..u64::MAX, name in prop::sample::select(vec!["epoch", "openings", "probeSuccesses"])) {
        for text in spellings(number) {
            let item = Item::from(Attributes::from([(name.to_owned(), Attribute::N(text.clone()))]));
            let read = match name {
                "epoch" => item.epoch(),
                "openings" => item.openings(),
                _ => item.probe_successes(),
            };
            prop_assert_eq!(read, number, "{}: {}", name, text);
        }
    }

    #[test]
    fn what_is_no_whole_number_reads_as_missing(whole in 0_u64..1000, tenths in 1_u64..10, value in any_attribute()) {
        let fraction = Attribute::N(format!("{whole}.{tenths}"));
        let negative = Attribute::N(format!("-{}", whole + 1));
        let no_number = if matches!(value, Attribute::N(_)) { Attribute::string(whole) } else { value };
        for odd in [fraction, negative, no_number] {
            let item = Item::from(Attributes::from(["epoch", "openings", "probeSuccesses", "w10000"].map(|name| (name.to_owned(), odd.clone()))));
            prop_assert_eq!(
                (item.epoch(), item.openings(), item.probe_successes(), window::failures(&item)),
                (0, 0, 0, 0),
                "{:?}", odd
            );
        }
    }

    #[test]
    fn what_is_decided_on_an_item_can_be_written_to_it(attributes in attributes(), failures in 1_u32..5) {
        let policy = policy(failures, 1000);
        let seen = Item::from(attributes.clone());
        for (name, update) in decisions::all(&policy, &seen, "me", now()) {
            let written = after(&update, &attributes);
            prop_assert!(written.is_some(), "{name} is refused on the item that it was decided on: {update:?}");
            let written = written.unwrap();
            // A count is of the epoch that was seen; every other write begins one that can be read, and a greater one.
            if name == "count" {
                prop_assert_eq!(written.attributes().get("epoch"), attributes.get("epoch"));
            } else {
                prop_assert!(written.epoch() >= NOW && written.epoch() > seen.epoch() || seen.epoch() == u64::MAX - 1, "{name}: {}", written.epoch());
            }
        }
    }

    #[test]
    fn no_decision_holds_once_the_epochs_raw_value_has_changed(attributes in attributes(), epoch in prop::option::of(any_attribute())) {
        let seen = Item::from(attributes.clone());
        let mut changed = attributes.clone();
        match &epoch {
            Some(epoch) => changed.insert("epoch".into(), epoch.clone()),
            None => changed.remove("epoch"),
        };
        if same_epoch(&attributes, &changed) {
            return Ok(());
        }
        for (name, update) in decisions::all(&policy(2, 1000), &seen, "me", now()) {
            prop_assert_eq!(update.apply(&changed), Ok(Written::Refused(changed.clone())), "{}", name);
        }
    }

    #[test]
    fn an_update_names_each_attribute_once_and_as_many_as_an_expression_holds(attributes in attributes()) {
        for (name, update) in decisions::all(&policy(2, 1000), &Item::from(attributes), "me", now()) {
            let names: Vec<&str> = update.assignments.iter().map(|assignment| match assignment {
                Assignment::Set(name, _) | Assignment::Add(name, _) | Assignment::Remove(name) => name.as_str(),
            }).collect();
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{}: {:?}", name, names);
            prop_assert!(names.len() < 250);
        }
    }

    #[test]
    fn no_automatic_write_touches_an_override(attributes in attributes()) {
        for (name, update) in decisions::all(&policy(1, 1000), &Item::from(attributes.clone()), "me", now()) {
            if ["force open", "force closed", "lift"].contains(&name) {
                continue;
            }
            let written = after(&update, &attributes).unwrap();
            for kept in ["override", "overrideUntil", "overrideBy", "overrideReason"] {
                prop_assert_eq!(written.attributes().get(kept), attributes.get(kept), "{}", name);
            }
            if attributes.contains_key("override") {
                prop_assert_eq!(written.attributes().get("expiresAt"), attributes.get("expiresAt"), "{}", name);
            } else {
                let expiry = written.attributes().get("expiresAt").and_then(Attribute::as_count);
                prop_assert!(expiry.is_some_and(|at_s| at_s * 1000 >= NOW + 7 * 24 * 3_600_000), "{name}: {expiry:?}");
            }
        }
    }

    /// The fifth invariant's second half: a circuit is never dead.
    #[test]
    fn n_fresh_failures_open_a_closed_circuit_whatever_its_item_was(attributes in attributes(), failures in 1_u32..6) {
        let (policy, mut stored) = (policy(failures, 1000), attributes);
        if Item::from(stored.clone()).state() == State::Open {
            stored.remove("state");
        }
        if Item::from(stored.clone()).forced(now()) == Some(Override::Closed) {
            stored.remove("override");
        }
        let recorded: Vec<Recorded> = (0..failures)
            .map(|_| {
                let known = Item::from(stored.clone());
                record_failure(&policy, known, &mut stored, now())
            })
            .take_while(|recorded| *recorded == Recorded::Counted || matches!(recorded, Recorded::Opened(_)))
            .collect();
        prop_assert!(recorded.iter().any(|recorded| matches!(recorded, Recorded::Opened(_))), "{recorded:?}: {stored:?}");
    }

    /// The slice of now is the one that a fresh failure is counted in: whatever stands there, the next N are enough.
    #[test]
    fn n_fresh_failures_open_a_closed_circuit_whatever_their_slice_held(found in any_attribute(), failures in 1_u32..6) {
        let policy = policy(failures, 1000);
        let mut stored = Attributes::from([("w10000".to_owned(), found)]);
        for _ in 0..failures {
            let known = Item::from(stored.clone());
            if let Recorded::Opened(_) = record_failure(&policy, known, &mut stored, now()) {
                return Ok(());
            }
        }
        prop_assert!(false, "still closed: {stored:?}");
    }

    #[test]
    fn an_attribute_survives_its_json(attributes in any_attributes()) {
        let text = serde_json::to_string(&attributes).unwrap();
        prop_assert_eq!(serde_json::from_str::<Attributes>(&text).unwrap(), attributes);
    }
}
