//! What a recording comes to when its writes are refused: once more on the item that the refusal shows, and then an end.

use super::*;

/// The recording of a failure, up to its first write.
fn counting(known: &Item) -> Recording {
    let mut recording = Recording::new(policy(), call(known, None, Verdict::Failure(failure())));
    assert!(matches!(recording.begin(now()), Next::Write(_)));
    recording
}

fn refused(recording: &mut Recording, found: &Item) -> Next<Recorded> {
    recording.resume(Written::Refused(found.attributes().clone()), now())
}

#[test]
fn a_count_that_is_refused_under_its_epoch_is_tried_once_more_and_then_late() {
    let mut recording = counting(&closed(0));
    // Somebody broke the slice in between: under the same epoch, so that the failure still belongs there.
    let odd = with(&closed(0), &[("w10000", text("many"))]);
    let Next::Write(again) = refused(&mut recording, &odd) else {
        panic!()
    };
    assert_eq!(get(&applied(&again, &odd), "w10000"), Some(&number(1)));
    assert_eq!(refused(&mut recording, &closed(0)), Next::Done(Recorded::Late));
}

#[test]
fn an_opening_that_is_refused_twice_leaves_the_failure_counted() {
    let mut recording = counting(&closed(2));
    let opening = recording.resume(Written::Applied(closed(3).into_attributes()), now());
    assert!(matches!(opening, Next::Write(_)), "{opening:?}");
    let again = refused(&mut recording, &closed(4));
    assert!(matches!(again, Next::Write(_)), "{again:?}");
    assert_eq!(refused(&mut recording, &closed(5)), Next::Done(Recorded::Counted));
}

#[test]
fn an_opening_has_its_second_try_although_the_count_took_one() {
    let mut recording = counting(&closed(2));
    let odd = with(&closed(2), &[("w10000", text("many"))]);
    assert!(matches!(refused(&mut recording, &odd), Next::Write(_)));
    let opening = recording.resume(Written::Applied(closed(3).into_attributes()), now());
    assert!(matches!(opening, Next::Write(_)), "{opening:?}");
    assert!(matches!(refused(&mut recording, &closed(3)), Next::Write(_)));
}

#[test]
fn an_opening_is_not_made_under_another_epoch_nor_below_the_threshold() {
    for found in [with(&closed(9), &[("epoch", number(8))]), closed(2)] {
        let mut recording = counting(&closed(2));
        recording.resume(Written::Applied(closed(3).into_attributes()), now());
        assert_eq!(refused(&mut recording, &found), Next::Done(Recorded::Counted));
    }
}

#[test]
fn a_probes_result_that_is_refused_twice_is_late() {
    let known = probing("me", NOW + 9);
    let mut recording = Recording::new(policy(), call(&known, Some("me"), Verdict::Success));
    assert!(matches!(recording.begin(now()), Next::Write(_)));
    // A person's write between: the lease is still ours.
    let newer = |epoch| with(&known, &[("epoch", number(epoch))]);
    assert!(matches!(refused(&mut recording, &newer(8)), Next::Write(_)));
    assert_eq!(refused(&mut recording, &newer(9)), Next::Done(Recorded::Late));
}

#[test]
fn each_end_of_a_recording_has_its_word() {
    let known = probing("me", NOW + 9);
    let recorded = |known: &Item, token, verdict| record(known, token, verdict, &mut known.clone());
    let failed = || Verdict::Failure(failure());
    let mut patient = policy();
    patient.probe.successes_to_close = 2;
    let first = alone(
        Recording::new(patient, call(&known, Some("me"), Verdict::Success)),
        &mut known.clone(),
    );
    for (recorded, word) in [
        (recorded(&known, None, Verdict::Success), "nothing"),
        (recorded(&closed(0), None, failed()), "counted"),
        (recorded(&closed(2), None, failed()), "opened"),
        (recorded(&known, Some("me"), Verdict::Success), "closed"),
        (recorded(&known, Some("me"), failed()), "reopened"),
        (first, "probe-succeeded"),
        (recorded(&known, Some("me"), Verdict::Undecided), "freed"),
        (recorded(&known, Some("other"), Verdict::Success), "late"),
    ] {
        assert_eq!(recorded.as_str(), word);
        let is_transition = ["opened", "closed", "reopened"].contains(&word);
        assert_eq!(recorded.transition().is_some(), is_transition, "{word}");
    }
}

#[test]
fn a_dry_run_reopens_under_a_name_of_its_own_and_closes_under_the_usual_one() {
    let known = with(&probing("me", NOW + 9), &[("override", text("DRY_RUN"))]);
    let named = |verdict| {
        let recorded = record(&known, Some("me"), verdict, &mut known.clone());
        recorded
            .transition()
            .map(|transition| (transition.detail_type(), transition.dry_run))
    };
    assert_eq!(named(Verdict::Failure(failure())), Some(("CircuitWouldReopen", true)));
    assert_eq!(named(Verdict::Success), Some(("CircuitClosed", true)));
}
