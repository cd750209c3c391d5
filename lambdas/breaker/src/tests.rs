//! The table of the protocol: each state of an item × each event, and the bounds of each rule.

use crate::acquisition::{Acquisition, Answer};
use crate::attribute::{Attribute, Attributes};
use crate::clock::Timestamp;
use crate::decision::{self, Failure, Forcing, ProbeEffect, ProbeResult, Refusal};
use crate::item::{Item, Override, State};
use crate::policy::{Open, Policy, Probe, Trip};
use crate::procedure::{Next, Procedure};
use crate::recording::{Call, Recorded, Recording, Verdict};
use crate::update::{Update, Written};

mod refusals;

const NOW: u64 = 1_000_000;

fn policy() -> Policy {
    Policy {
        circuit: "shop".into(),
        trip: Trip {
            failures: 3,
            window_ms: 1000,
        },
        open: Open { for_ms: 30_000 },
        probe: Probe::new(5000),
    }
}

fn now() -> Timestamp {
    Timestamp::from_ms(NOW)
}

fn item(attributes: &[(&str, Attribute)]) -> Item {
    attributes
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect::<Attributes>()
        .into()
}

fn number(value: u64) -> Attribute {
    Attribute::number(value)
}

fn text(value: &str) -> Attribute {
    Attribute::string(value)
}

fn time(ms: u64) -> Attribute {
    Attribute::string(Timestamp::from_ms(ms))
}

/// A closed circuit of epoch 7 with so many failures in the slice of now.
fn closed(failures: u64) -> Item {
    item(&[("epoch", number(7)), ("w10000", number(failures))])
}

fn open_until(ms: u64) -> Item {
    item(&[
        ("state", text("OPEN")),
        ("epoch", number(7)),
        ("openings", number(2)),
        ("openUntil", time(ms)),
    ])
}

fn probing(token: &str, until: u64) -> Item {
    with(&open_until(until), &[("probeToken", text(token))])
}

fn with(base: &Item, attributes: &[(&str, Attribute)]) -> Item {
    let mut all = base.attributes().clone();
    all.extend(item(attributes).into_attributes());
    all.into()
}

fn applied(update: &Update, to: &Item) -> Item {
    match update.apply(to.attributes()).unwrap() {
        Written::Applied(after) => after.into(),
        Written::Refused(_) => panic!("refused on the item that it was decided on: {update:?}"),
    }
}

fn get<'a>(item: &'a Item, name: &str) -> Option<&'a Attribute> {
    item.attributes().get(name)
}

fn failure() -> Failure {
    Failure {
        kind: "timeout".into(),
        message: "no answer in time".into(),
    }
}

fn call(known: &Item, token: Option<&str>, verdict: Verdict) -> Call {
    Call {
        known: known.clone(),
        token: token.map(str::to_owned),
        went_out: now(),
        verdict,
    }
}

/// Drives a procedure on a stored item, with nobody else about.
fn alone<P: Procedure>(mut procedure: P, stored: &mut Item) -> P::Answer {
    let mut next = procedure.begin(now());
    loop {
        match next {
            Next::Done(answer) => return answer,
            Next::Write(update) => {
                let written = update.apply(stored.attributes()).unwrap();
                if let Written::Applied(after) = &written {
                    *stored = after.clone().into();
                }
                next = procedure.resume(written, now());
            }
        }
    }
}

fn record(known: &Item, token: Option<&str>, verdict: Verdict, stored: &mut Item) -> Recorded {
    alone(Recording::new(policy(), call(known, token, verdict)), stored)
}

#[test]
fn the_circuit_opens_at_the_nth_failure_and_not_before() {
    let mut stored = Item::default();
    for _ in 0..2 {
        let known = stored.clone();
        assert_eq!(
            record(&known, None, Verdict::Failure(failure()), &mut stored),
            Recorded::Counted
        );
        assert_eq!(stored.state(), State::Closed);
    }
    let known = stored.clone();
    let recorded = record(&known, None, Verdict::Failure(failure()), &mut stored);
    let Recorded::Opened(transition) = recorded else {
        panic!("{recorded:?}")
    };
    assert_eq!(
        (transition.previous_epoch, transition.epoch, transition.openings),
        (0, NOW, 1)
    );
    assert_eq!(transition.detail_type(), "CircuitOpened");
    assert_eq!(stored.state(), State::Open);
    assert_eq!(stored.open_until(), Some(Timestamp::from_ms(NOW + 30_000)));
    assert!(
        !stored.attributes().keys().any(|name| name.starts_with('w')),
        "slices are removed: {stored:?}"
    );
}

#[test]
fn a_circuit_with_more_failures_than_it_takes_opens_too() {
    assert!(decision::open(&policy(), &closed(2), now()).is_none());
    assert!(decision::open(&policy(), &closed(3), now()).is_some());
    assert!(decision::open(&policy(), &closed(4), now()).is_some());
    assert!(decision::open(&policy(), &with(&open_until(0), &[("w1", number(9))]), now()).is_none());
}

#[test]
fn a_success_of_a_normal_call_writes_nothing_in_any_state() {
    for known in [Item::default(), closed(2), open_until(0), probing("other", NOW + 1)] {
        let mut stored = known.clone();
        assert_eq!(record(&known, None, Verdict::Success, &mut stored), Recorded::Nothing);
        assert_eq!(record(&known, None, Verdict::Undecided, &mut stored), Recorded::Nothing);
        assert_eq!(stored, known);
    }
}

#[test]
fn late_failure_while_open_does_not_extend_the_break() {
    let known = closed(2);
    let mut stored = with(&open_until(NOW + 10), &[("epoch", number(8))]);
    let before = stored.clone();
    assert_eq!(
        record(&known, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Late
    );
    assert_eq!(stored, before);
}

#[test]
fn a_failure_of_an_earlier_epoch_is_not_counted_to_a_later_one() {
    let mut stored = item(&[("epoch", number(8))]);
    assert_eq!(
        record(&closed(2), None, Verdict::Failure(failure()), &mut stored),
        Recorded::Late
    );
    assert_eq!(stored, item(&[("epoch", number(8))]));
}

#[test]
fn nothing_is_counted_while_forced_closed_and_everything_in_a_dry_run() {
    let forced = |kind: &str| with(&closed(0), &[("override", text(kind))]);
    let mut stored = forced("CLOSED");
    assert_eq!(
        record(&forced("CLOSED"), None, Verdict::Failure(failure()), &mut stored),
        Recorded::Nothing
    );
    let mut stored = forced("DRY_RUN");
    assert_eq!(
        record(&forced("DRY_RUN"), None, Verdict::Failure(failure()), &mut stored),
        Recorded::Counted
    );
    // The override had ended when the call went out.
    let ended = with(&forced("CLOSED"), &[("overrideUntil", time(NOW))]);
    let mut stored = ended.clone();
    assert_eq!(
        record(&ended, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Counted
    );
}

#[test]
fn an_opening_in_a_dry_run_is_announced_under_a_name_of_its_own() {
    let known = with(&closed(2), &[("override", text("DRY_RUN"))]);
    let mut stored = known.clone();
    let recorded = record(&known, None, Verdict::Failure(failure()), &mut stored);
    assert_eq!(recorded.transition().unwrap().detail_type(), "CircuitWouldOpen");
    assert_eq!(get(&stored, "override"), Some(&text("DRY_RUN")));
    assert_eq!(
        get(&stored, "expiresAt"),
        None,
        "an item with an override does not expire"
    );
}

#[test]
fn a_malformed_slice_does_not_keep_the_circuit_from_opening() {
    for odd in [
        text("many"),
        Attribute::N("-1000".into()),
        Attribute::N("0.5".into()),
        Attribute::L(vec![]),
    ] {
        let mut stored = with(&closed(0), &[("w10000", odd)]);
        for _ in 0..3 {
            let known = stored.clone();
            record(&known, None, Verdict::Failure(failure()), &mut stored);
        }
        assert_eq!(stored.state(), State::Open);
    }
}

#[test]
fn a_slice_that_was_mended_by_another_is_added_to() {
    let known = with(&closed(0), &[("w10000", text("many"))]);
    let mut stored = closed(1);
    assert_eq!(
        record(&known, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Counted
    );
    assert_eq!(get(&stored, "w10000"), Some(&number(2)));
}

#[test]
fn a_malformed_epoch_is_repaired_by_the_first_writer_and_fences_off_the_second() {
    let known = with(&closed(2), &[("epoch", text("seven"))]);
    let mut stored = known.clone();
    assert!(matches!(
        record(&known, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Opened(_)
    ));
    assert_eq!(stored.epoch(), NOW);
    let after = stored.clone();
    assert_eq!(
        record(&known, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Late
    );
    assert_eq!(stored, after);
}

#[test]
fn an_epoch_ahead_of_the_clock_goes_on_by_one() {
    let ahead = with(&closed(3), &[("epoch", number(NOW + 50))]);
    let opened = applied(&decision::open(&policy(), &ahead, now()).unwrap(), &ahead);
    assert_eq!(opened.epoch(), NOW + 51);
}

#[test]
fn the_lease_is_granted_when_it_is_due_and_not_a_millisecond_before() {
    assert_eq!(
        decision::grant(&policy(), &open_until(NOW + 1), "me", now()),
        Err(Refusal::Open)
    );
    for due in [NOW, NOW - 1] {
        let granted = applied(
            &decision::grant(&policy(), &open_until(due), "me", now()).unwrap(),
            &open_until(due),
        );
        assert_eq!(granted.probe_token(), Some("me"));
        assert_eq!(granted.open_until(), Some(Timestamp::from_ms(NOW + 5000)));
        assert_eq!((granted.epoch(), granted.openings()), (NOW, 2));
    }
}

#[test]
fn a_lease_that_ran_out_is_lost_to_the_next_and_counts_as_an_opening() {
    assert_eq!(
        decision::grant(&policy(), &probing("other", NOW + 1), "me", now()),
        Err(Refusal::ProbeBusy)
    );
    let lost = with(&probing("other", NOW), &[("probeSuccesses", number(1))]);
    let granted = applied(&decision::grant(&policy(), &lost, "me", now()).unwrap(), &lost);
    assert_eq!(
        (granted.probe_token(), granted.openings(), granted.probe_successes()),
        (Some("me"), 3, 0)
    );
}

#[test]
fn the_lease_is_refused_for_the_first_reason_that_holds() {
    let refusal = |seen: &Item| decision::grant(&policy(), seen, "me", now()).unwrap_err();
    let forced = |seen: &Item, kind: &str| with(seen, &[("override", text(kind))]);
    assert_eq!(refusal(&forced(&probing("me", NOW + 1), "OPEN")), Refusal::ForcedOpen);
    assert_eq!(refusal(&forced(&closed(0), "OPEN")), Refusal::ForcedOpen);
    assert_eq!(refusal(&forced(&open_until(0), "OPEN")), Refusal::ForcedOpen);
    assert_eq!(refusal(&forced(&open_until(0), "CLOSED")), Refusal::Closed);
    assert_eq!(refusal(&closed(2)), Refusal::Closed);
    assert_eq!(refusal(&Item::default()), Refusal::Closed);
    assert_eq!(refusal(&probing("me", NOW + 1)), Refusal::AlreadyOurs);
    assert_eq!(refusal(&probing("other", NOW + 1)), Refusal::ProbeBusy);
    assert_eq!(refusal(&open_until(NOW + 1)), Refusal::Open);
}

#[test]
fn an_open_item_without_a_time_is_due() {
    let odd = item(&[("state", text("OPEN")), ("openUntil", text("soon"))]);
    let granted = applied(&decision::grant(&policy(), &odd, "me", now()).unwrap(), &odd);
    assert_eq!(granted.open_until(), Some(Timestamp::from_ms(NOW + 5000)));
}

#[test]
fn of_two_executions_that_saw_the_same_item_one_gets_the_lease() {
    let seen = open_until(NOW);
    let mut stored = seen.clone();
    let acquire = |token: &str| Acquisition::new(policy(), seen.clone(), token.to_owned());
    assert_eq!(alone(acquire("first"), &mut stored).answer, Answer::Granted);
    let second = alone(acquire("second"), &mut stored);
    assert_eq!(
        (second.answer, second.item.probe_token()),
        (Answer::ProbeBusy, Some("first"))
    );
    // An answer that got lost: asked again, the lease is still ours.
    assert_eq!(alone(acquire("first"), &mut stored).answer, Answer::Granted);
}

#[test]
fn a_stale_read_is_answered_from_the_item_that_refused_it() {
    let seen = open_until(NOW);
    for (found, answer) in [
        (item(&[("epoch", number(9))]), Answer::Closed),
        (with(&open_until(NOW + 9), &[("epoch", number(9))]), Answer::Open),
        (
            with(&probing("other", NOW + 9), &[("epoch", number(9))]),
            Answer::ProbeBusy,
        ),
        (
            with(&closed(0), &[("epoch", number(9)), ("override", text("OPEN"))]),
            Answer::ForcedOpen,
        ),
        (
            with(
                &open_until(NOW + 9),
                &[("epoch", number(9)), ("override", text("DRY_RUN"))],
            ),
            Answer::DryRun,
        ),
    ] {
        let mut stored = found.clone();
        let acquired = alone(Acquisition::new(policy(), seen.clone(), "me".into()), &mut stored);
        assert_eq!((acquired.answer, &acquired.item), (answer, &found));
        assert_eq!(stored, found, "a refusal writes nothing");
    }
}

#[test]
fn a_grant_that_is_refused_twice_is_answered_and_not_tried_again() {
    let mut acquisition = Acquisition::new(policy(), open_until(NOW), "me".into());
    let newer = |epoch| with(&open_until(NOW), &[("epoch", number(epoch))]).into_attributes();
    assert!(matches!(acquisition.begin(now()), Next::Write(_)));
    assert!(matches!(
        acquisition.resume(Written::Refused(newer(8)), now()),
        Next::Write(_)
    ));
    let Next::Done(acquired) = acquisition.resume(Written::Refused(newer(9)), now()) else {
        panic!()
    };
    assert_eq!(acquired.answer, Answer::Open);
}

#[test]
fn a_probe_that_succeeds_closes_the_circuit() {
    let known = with(
        &probing("me", NOW + 9),
        &[("w10000", number(2)), ("probeSuccesses", number(0))],
    );
    let mut stored = known.clone();
    let recorded = record(&known, Some("me"), Verdict::Success, &mut stored);
    let transition = recorded.transition().unwrap();
    assert_eq!(
        (transition.detail_type(), transition.previous_epoch, transition.epoch),
        ("CircuitClosed", 7, NOW)
    );
    assert_eq!(stored.state(), State::Closed);
    let left: Vec<_> = stored.attributes().keys().map(String::as_str).collect();
    assert_eq!(left, ["changedAt", "epoch", "expiresAt", "state"]);
}

#[test]
fn closing_takes_as_many_successes_as_the_policy_asks() {
    let mut patient = policy();
    patient.probe.successes_to_close = 3;
    for (before, effect) in [
        (0, ProbeEffect::Succeeded),
        (1, ProbeEffect::Succeeded),
        (2, ProbeEffect::Closed),
    ] {
        let seen = with(&probing("me", NOW + 9), &[("probeSuccesses", number(before))]);
        let (update, made) = decision::conclude(&patient, &seen, "me", ProbeResult::Succeeded, now()).unwrap();
        assert_eq!(made, effect);
        let after = applied(&update, &seen);
        if effect == ProbeEffect::Succeeded {
            assert_eq!((after.probe_successes(), after.probe_token()), (before + 1, None));
            assert!(after.is_due(now()), "the next probe may go out at once");
        }
    }
}

#[test]
fn a_probe_that_fails_starts_the_wait_anew() {
    let known = with(&probing("me", NOW + 9), &[("probeSuccesses", number(1))]);
    let mut stored = known.clone();
    let recorded = record(&known, Some("me"), Verdict::Failure(failure()), &mut stored);
    assert_eq!(recorded.transition().unwrap().detail_type(), "CircuitReopened");
    assert_eq!(
        (stored.openings(), stored.probe_successes(), stored.probe_token()),
        (3, 0, None)
    );
    assert_eq!(stored.open_until(), Some(Timestamp::from_ms(NOW + 30_000)));
}

#[test]
fn a_probe_that_finds_nothing_out_gives_the_lease_back() {
    let known = with(&probing("me", NOW + 9), &[("probeSuccesses", number(1))]);
    let mut stored = known.clone();
    assert_eq!(
        record(&known, Some("me"), Verdict::Undecided, &mut stored),
        Recorded::Freed
    );
    assert_eq!(
        (stored.openings(), stored.probe_successes(), stored.probe_token()),
        (2, 1, None)
    );
    assert!(stored.is_due(now()));
}

#[test]
fn a_late_probe_counts_until_its_lease_is_taken() {
    let known = probing("me", NOW - 1);
    let mut stored = known.clone();
    assert!(matches!(
        record(&known, Some("me"), Verdict::Success, &mut stored),
        Recorded::Closed(_)
    ));
    for taken in [probing("other", NOW + 9), open_until(NOW + 9), closed(0)] {
        let mut stored = with(&taken, &[("epoch", number(8))]);
        let before = stored.clone();
        for verdict in [Verdict::Success, Verdict::Failure(failure()), Verdict::Undecided] {
            assert_eq!(record(&known, Some("me"), verdict, &mut stored), Recorded::Late);
        }
        assert_eq!(stored, before);
    }
}

#[test]
fn a_probe_that_is_out_when_an_override_is_set_still_records() {
    let known = probing("me", NOW + 9);
    let forcing = Forcing {
        kind: Override::Open,
        until: None,
        by: "ann".into(),
        reason: None,
    };
    let mut stored = applied(&decision::force(&known, &forcing, now()), &known);
    assert!(matches!(
        record(&known, Some("me"), Verdict::Success, &mut stored),
        Recorded::Closed(_)
    ));
    assert_eq!(
        stored.forced(now()),
        Some(Override::Open),
        "no automatic write touches an override"
    );
}

#[test]
fn an_override_is_set_with_all_that_is_told_and_lifted_whole() {
    let shown = with(
        &open_until(NOW + 9),
        &[("expiresAt", number(1)), ("overrideReason", text("old"))],
    );
    let until = Timestamp::from_ms(NOW + 60_000);
    let forcing = Forcing {
        kind: Override::Closed,
        until: Some(until),
        by: "ann".into(),
        reason: None,
    };
    let forced = applied(&decision::force(&shown, &forcing, now()), &shown);
    assert_eq!(forced.forced(now()), Some(Override::Closed));
    assert_eq!(
        (get(&forced, "overrideBy"), get(&forced, "overrideReason")),
        (Some(&text("ann")), None)
    );
    assert_eq!((get(&forced, "expiresAt"), forced.epoch()), (None, NOW));
    let lifted = applied(&decision::lift(&forced, now()), &forced);
    assert!(!lifted.attributes().keys().any(|name| name.starts_with("override")));
    assert_eq!((lifted.state(), lifted.open_until()), (State::Open, shown.open_until()));
    assert!(get(&lifted, "expiresAt").unwrap().as_count() > Some(NOW / 1000 + 7 * 24 * 3600));
    assert_eq!(lifted.epoch(), NOW + 1);
}

#[test]
fn a_reset_closes_and_forgets_but_keeps_the_override() {
    let shown = with(
        &probing("me", NOW + 9),
        &[
            ("w1", number(1)),
            ("s2", number(1)),
            ("probeSuccesses", number(1)),
            ("override", text("DRY_RUN")),
        ],
    );
    let reset = applied(&decision::reset(&policy().trip, &shown, now()), &shown);
    let left: Vec<_> = reset.attributes().keys().map(String::as_str).collect();
    assert_eq!(left, ["changedAt", "epoch", "override", "state"]);
    assert_eq!(reset.state(), State::Closed);
}

#[test]
fn a_reset_forgets_failures_that_were_counted_since_the_item_was_shown() {
    let shown = closed(1);
    // Slices of 100 ms, and now is in w10000: as late as a count may be, and as far ahead as a clock may be.
    let counted = with(
        &shown,
        &[("w9960", number(2)), ("w10001", number(2)), ("w10040", number(2))],
    );
    let reset = applied(&decision::reset(&policy().trip, &shown, now()), &counted);
    assert!(
        !reset.attributes().keys().any(|name| name.starts_with('w')),
        "{reset:?}"
    );
}

#[test]
fn a_persons_write_is_refused_on_an_item_that_changed_since_it_was_shown() {
    let shown = closed(0);
    let changed = with(&shown, &[("epoch", number(8))]);
    let forcing = Forcing {
        kind: Override::Open,
        until: None,
        by: "ann".into(),
        reason: None,
    };
    for update in [
        decision::force(&shown, &forcing, now()),
        decision::lift(&shown, now()),
        decision::reset(&policy().trip, &shown, now()),
    ] {
        assert_eq!(
            update.apply(changed.attributes()),
            Ok(Written::Refused(changed.attributes().clone()))
        );
    }
}

#[test]
fn an_item_outlives_its_wait_by_seven_days() {
    let seven_days = 7 * 24 * 3600;
    let expiry = |item: &Item| get(item, "expiresAt").unwrap().as_count().unwrap();
    let opened = applied(&decision::open(&policy(), &closed(3), now()).unwrap(), &closed(3));
    assert!(expiry(&opened) * 1000 >= NOW + 30_000 + seven_days * 1000);
    let counted = applied(
        &decision::count(&policy().trip, &closed(0), &failure(), now(), now()).unwrap(),
        &closed(0),
    );
    assert!(expiry(&counted) * 1000 >= NOW + seven_days * 1000);
}

#[test]
fn only_a_grant_may_be_repeated() {
    let probe = probing("me", NOW + 9);
    assert!(
        decision::grant(&policy(), &open_until(NOW), "me", now())
            .unwrap()
            .repeatable
    );
    assert!(!decision::open(&policy(), &closed(3), now()).unwrap().repeatable);
    assert!(
        !decision::count(&policy().trip, &closed(0), &failure(), now(), now())
            .unwrap()
            .repeatable
    );
    let concluded = decision::conclude(&policy(), &probe, "me", ProbeResult::Succeeded, now())
        .unwrap()
        .0;
    assert!(!concluded.repeatable);
}

#[test]
fn a_recorder_that_died_before_it_opened_is_made_good_by_the_next_failure() {
    let mut stored = closed(3);
    let known = stored.clone();
    assert!(matches!(
        record(&known, None, Verdict::Failure(failure()), &mut stored),
        Recorded::Opened(_)
    ));
}

#[test]
fn an_opening_that_a_person_overtook_is_not_made() {
    let known = closed(2);
    let mut recording = Recording::new(policy(), call(&known, None, Verdict::Failure(failure())));
    let Next::Write(count) = recording.begin(now()) else {
        panic!()
    };
    let Next::Write(_open) = recording.resume(count.apply(known.attributes()).unwrap(), now()) else {
        panic!()
    };
    let reset = applied(&decision::reset(&policy().trip, &closed(3), now()), &closed(3));
    let next = recording.resume(Written::Refused(reset.into_attributes()), now());
    assert_eq!(next, Next::Done(Recorded::Counted));
}
