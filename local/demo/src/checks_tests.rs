use scripted_partner::{How, Stamp};

use super::*;

fn at(ms: u64) -> Stamp {
    Stamp {
        after_us: ms * 1000,
        unix_ms: ms,
    }
}

/// An answer of 2 ms, or of the time-out for an error; with this nonce, if it is the partner's.
fn answer(reason: &str, nonce: Option<u64>) -> Answer {
    let took = Duration::from_millis(if reason == "error" { 810 } else { 2 });
    let body = nonce.map_or("{}".to_owned(), |nonce| format!(r#"{{"nonce":"{nonce}"}}"#));
    Answer {
        number: 1,
        status: 200,
        took,
        reason: reason.to_owned(),
        body,
    }
}

/// A request that arrived at this millisecond, and was answered after so many, or never.
fn entry(arrived: u64, answered_after: Option<u64>) -> Entry {
    Entry {
        seq: arrived,
        connection: arrived,
        behaviour: "answer".to_owned(),
        method: "GET".to_owned(),
        path: "/".to_owned(),
        headers: Vec::new(),
        body: String::new(),
        nonce: arrived.to_string(),
        arrived: at(arrived),
        first_byte: answered_after.map(|ms| at(arrived + ms)),
        ended: Some(at(arrived + answered_after.unwrap_or(800))),
        how: if answered_after.is_some() {
            How::Answered
        } else {
            How::ClientGone
        },
        status: Some(200),
    }
}

/// A story that is true: the acts begin at 0, 100, 5000, 6000, 8000 and 9000 ms.
fn a_true_story() -> (Story, Log) {
    let act = |name, began, ended, answers| Act {
        name,
        answers,
        began: at(began),
        ended: at(ended),
    };
    let live = |nonce| answer("live", Some(nonce));
    let mut probing = vec![answer("probe-busy", None); CALLERS_AT_ONCE - 1];
    probing.push(live(8001));
    let story = Story {
        healthy: act("healthy", 0, 100, vec![live(10), live(20), live(30)]),
        failing: act("failing", 100, 5000, vec![answer("error", None); circuit::FAILURES]),
        open: act("open", 5000, 6000, vec![answer("open", None); OPEN_CALLS]),
        waiting: act("waiting", 6000, 8000, Vec::new()),
        probing: act("probing", 8000, 9000, probing),
        recovered: act("recovered", 9000, 9100, vec![live(9010), live(9020), live(9030)]),
    };
    let answered = |arrived| entry(arrived, Some(1));
    let mut entries = vec![answered(10), answered(20), answered(30)];
    entries.extend((0..5).map(|failure| entry(200 + failure * 900, None)));
    entries.push(entry(8001, Some(500)));
    entries.extend([answered(9010), answered(9020), answered(9030)]);
    (
        story,
        Log {
            hits: 12,
            under_way: 0,
            max_concurrent: 1,
            entries,
        },
    )
}

/// The checks that fail once the story is changed like this.
fn failing(change: impl FnOnce(&mut Story, &mut Log)) -> Vec<String> {
    let (mut story, mut log) = a_true_story();
    change(&mut story, &mut log);
    let checks = all(&story, &log).into_iter();
    checks
        .filter(|check| !check.holds)
        .map(|check| check.says.chars().take(16).collect())
        .collect()
}

#[test]
fn a_true_story_holds() {
    assert!(failing(|_, _| {}).is_empty());
}

#[test]
fn a_request_during_the_break_or_the_wait_is_found_in_the_log() {
    for arrived in [5000, 5999, 6000, 7999] {
        assert_eq!(
            failing(|_, log| log.entries.push(entry(arrived, Some(1)))),
            ["open: 8 customer"]
        );
    }
}

#[test]
fn a_second_request_before_the_first_answer_is_found_in_the_log() {
    assert_eq!(
        failing(|_, log| log.entries.push(entry(8501, Some(1)))),
        ["probing: of 20 c", "probing: the pro"]
    );
    assert_eq!(
        failing(|_, log| log.entries.push(entry(8502, Some(1)))),
        ["probing: the pro"],
        "it came after the answer"
    );
}

#[test]
fn no_probe_at_all_is_no_recovery() {
    assert_eq!(
        failing(|_, log| log.entries.retain(|entry| entry.seq != 8001)),
        ["probing: of 20 c", "probing: the pro"]
    );
    assert_eq!(failing(|_, log| log.entries[8].first_byte = None), ["probing: of 20 c"]);
}

#[test]
fn a_failed_probe_is_no_recovery() {
    assert_eq!(
        failing(|story, _| story.probing.answers[19].reason = "error".to_owned()),
        ["probing: the pro"]
    );
}

#[test]
fn an_answer_that_the_partner_never_sent_is_not_live() {
    assert_eq!(
        failing(|story, _| story.healthy.answers[1] = answer("live", Some(99))),
        ["healthy: 3 calls"]
    );
    assert_eq!(
        failing(|story, _| story.recovered.answers[1] = answer("live", None)),
        ["recovered: 3 cal"]
    );
    assert_eq!(
        failing(|story, _| story.recovered.answers[1].reason = "open".to_owned()),
        ["recovered: 3 cal"]
    );
}

#[test]
fn one_failure_more_or_less_is_not_the_story() {
    assert_eq!(
        failing(|_, log| log.entries.push(entry(4900, None))),
        ["failing: 5 calls"]
    );
    assert_eq!(failing(|_, log| drop(log.entries.remove(4))), ["failing: 5 calls"]);
    assert_eq!(
        failing(|_, log| log.entries[4].first_byte = Some(at(2000))),
        ["failing: 5 calls"]
    );
    assert_eq!(
        failing(|story, _| story.failing.answers[2].reason = "open".to_owned()),
        ["failing: 5 calls"]
    );
}

#[test]
fn error_answers_take_the_time_out_and_not_much_more() {
    let every = |ms| {
        move |story: &mut Story, _: &mut Log| {
            story
                .failing
                .answers
                .iter_mut()
                .for_each(|answer| answer.took = Duration::from_millis(ms));
        }
    };
    assert_eq!(failing(every(799)), ["failing: each to"]);
    assert!(failing(every(800)).is_empty() && failing(every(1000)).is_empty());
    assert_eq!(failing(every(1001)), ["failing: each to"]);
}

#[test]
fn open_answers_are_quick() {
    let every = |ms| {
        move |story: &mut Story, _: &mut Log| {
            story
                .open
                .answers
                .iter_mut()
                .for_each(|answer| answer.took = Duration::from_millis(ms));
        }
    };
    assert!(failing(every(100)).is_empty());
    assert_eq!(failing(every(101)), ["open: answers co"]);
}
