//! Whether the story is true. What reached the partner is taken from the partner's own log, never from what the system or
//! this demo wrote down.

use std::{collections::HashSet, time::Duration};

use scripted_partner::{Entry, Log};

use crate::{
    answer::{Answer, count, median, slowest},
    circuit,
    story::{Act, CALLERS_AT_ONCE, HEALTHY_CALLS, OPEN_CALLS, RECOVERED_CALLS, Story},
    terminal::{Colour, Terminal, milliseconds},
};

/// What a customer waits at most while the partner fails, with warm functions and an 800 ms time-out.
const ERROR_WITHIN: Duration = Duration::from_millis(1000);

/// "Some milliseconds", with room for a busy machine.
const OPEN_WITHIN: Duration = Duration::from_millis(100);

/// One sentence of the story, and whether it is true.
pub struct Check {
    pub says: String,
    pub seen: String,
    pub holds: bool,
}

impl Check {
    fn new(holds: bool, says: impl Into<String>, seen: impl Into<String>) -> Self {
        Self {
            says: says.into(),
            seen: seen.into(),
            holds,
        }
    }
}

/// The requests that reached the partner during an act.
pub fn hits<'a>(log: &'a Log, act: &Act) -> Vec<&'a Entry> {
    let during = act.began.after_us..act.ended.after_us;
    log.entries
        .iter()
        .filter(|entry| during.contains(&entry.arrived.after_us))
        .collect()
}

/// Every check of the story, in its order.
pub fn all(story: &Story, log: &Log) -> Vec<Check> {
    vec![
        passed_on(&story.healthy, log, HEALTHY_CALLS),
        failed(&story.failing, log),
        took_the_time_out(&story.failing),
        open_without_a_call(story, log),
        open_at_once(&story.open),
        one_probe(&story.probing, log),
        nobody_waited_for_the_probe(&story.probing, log),
        passed_on(&story.recovered, log, RECOVERED_CALLS),
    ]
}

/// Prints the checks; says whether all of them hold.
pub fn print(terminal: Terminal, checks: &[Check]) -> bool {
    terminal.heading("Checked against the partner's own log");
    for check in checks {
        let mark = if check.holds {
            terminal.colour(Colour::Green, "✓")
        } else {
            terminal.colour(Colour::Red, "✗")
        };
        terminal.line(&format!("{mark} {}  ({})", check.says, check.seen));
    }
    let wrong = checks.iter().filter(|check| !check.holds).count();
    let verdict = match wrong {
        0 => terminal.colour(Colour::Green, "The story is true."),
        _ => terminal.colour(
            Colour::Red,
            &format!("The story is not true: {wrong} of {} checks failed.", checks.len()),
        ),
    };
    println!("\n{verdict}");
    wrong == 0
}

/// Every call of a healthy partner is answered by it: each answer carries the nonce of another request in its log.
fn passed_on(act: &Act, log: &Log, calls: usize) -> Check {
    let hits = hits(log, act);
    let sent: HashSet<_> = hits.iter().map(|entry| entry.nonce.clone()).collect();
    let carried: HashSet<_> = act.answers.iter().filter_map(Answer::nonce).collect();
    let live = count(&act.answers, "live");
    Check::new(
        live == calls && hits.len() == calls && carried.len() == calls && carried == sent,
        format!(
            "{}: {calls} calls are passed on, each answer is one that the partner sent",
            act.name
        ),
        format!(
            "{live} live, {} hits, {} of the partner's nonces",
            hits.len(),
            carried.intersection(&sent).count()
        ),
    )
}

fn failed(act: &Act, log: &Log) -> Check {
    let hits = hits(log, act);
    let (errors, answered) = (
        count(&act.answers, "error"),
        hits.iter().filter(|entry| entry.first_byte.is_some()).count(),
    );
    let expected = circuit::FAILURES;
    Check::new(
        errors == expected && hits.len() == expected && answered == 0,
        format!(
            "failing: {expected} calls reach the partner, none is answered, {expected} customers get a placeholder"
        ),
        format!("{errors} error, {} hits, {answered} answered", hits.len()),
    )
}

fn took_the_time_out(act: &Act) -> Check {
    let time_out = Duration::from_millis(circuit::TIMEOUT_MS);
    let quickest = act.answers.iter().map(|answer| answer.took).min().unwrap_or_default();
    let median = median(&act.answers);
    Check::new(
        quickest >= time_out && median <= ERROR_WITHIN,
        format!(
            "failing: each took the time-out of {}, most of them at most {}",
            milliseconds(time_out),
            milliseconds(ERROR_WITHIN)
        ),
        format!(
            "quickest {}, median {}, slowest {}",
            milliseconds(quickest),
            milliseconds(median),
            milliseconds(slowest(&act.answers))
        ),
    )
}

/// From the opening to the end of the wait, nobody calls.
fn open_without_a_call(story: &Story, log: &Log) -> Check {
    let (open, hits) = (
        count(&story.open.answers, "open"),
        hits(log, &story.open).len() + hits(log, &story.waiting).len(),
    );
    Check::new(
        open == OPEN_CALLS && hits == 0,
        format!("open: {OPEN_CALLS} customers get a placeholder, nothing reaches the partner until the wait is over"),
        format!("{open} open, {hits} hits"),
    )
}

fn open_at_once(act: &Act) -> Check {
    let median = median(&act.answers);
    Check::new(
        median <= OPEN_WITHIN,
        format!("open: answers come within {}", milliseconds(OPEN_WITHIN)),
        format!(
            "median {}, slowest {}",
            milliseconds(median),
            milliseconds(slowest(&act.answers))
        ),
    )
}

/// Before the first answer of the recovered partner, exactly one request reaches it.
fn one_probe(act: &Act, log: &Log) -> Check {
    let hits = hits(log, act);
    let answered_at = hits.first().and_then(|probe| probe.first_byte);
    let before = match answered_at {
        Some(answered_at) => hits
            .iter()
            .filter(|entry| entry.arrived.after_us <= answered_at.after_us)
            .count(),
        None => hits.len(),
    };
    Check::new(
        answered_at.is_some() && before == 1,
        format!(
            "probing: of {CALLERS_AT_ONCE} callers at once, exactly 1 reaches the partner before its first answer is sent"
        ),
        match (hits.first(), answered_at) {
            (Some(probe), Some(at)) => {
                format!("{before}; its answer was sent after {} ms", at.ms_since(&probe.arrived))
            }
            _ => format!("{before}, and no answer"),
        },
    )
}

/// Every other caller is answered without the partner; one that came late enough to be passed on is in the log, too.
fn nobody_waited_for_the_probe(act: &Act, log: &Log) -> Check {
    let (live, busy) = (count(&act.answers, "live"), count(&act.answers, "probe-busy"));
    let hits = hits(log, act).len();
    Check::new(
        live >= 1 && live == hits && live + busy == CALLERS_AT_ONCE,
        "probing: the probe's caller gets the partner's answer, the others a placeholder",
        format!("{live} live, {busy} probe-busy, {hits} hits"),
    )
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;
