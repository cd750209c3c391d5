//! The story in numbers.

use std::time::Duration;

use scripted_partner::Log;

use crate::{
    answer::{median, slowest},
    checks::hits,
    story::{Act, Story},
    terminal::{Colour, Terminal, milliseconds},
};

/// Prints the acts as a table, where the time went, and what an open breaker saves a customer.
pub fn print(terminal: Terminal, story: &Story, log: &Log, started: Duration) {
    terminal.heading("In numbers");
    let header = row([
        "",
        "answers",
        "x-circuit",
        "median",
        "slowest",
        "hits on the partner",
        "lasted",
    ]);
    terminal.line(&terminal.colour(Colour::Dim, &header));
    let mut total = started;
    for act in story.acts() {
        let lasted = Duration::from_micros(act.ended.after_us.saturating_sub(act.began.after_us));
        total += lasted;
        let time = |time| {
            if act.answers.is_empty() {
                "-".to_owned()
            } else {
                milliseconds(time)
            }
        };
        terminal.line(&row([
            act.name,
            &act.answers.len().to_string(),
            &reasons(act),
            &time(median(&act.answers)),
            &time(slowest(&act.answers)),
            &hits(log, act).len().to_string(),
            &seconds(lasted),
        ]));
    }
    terminal.line(&format!(
        "{} in all, {} of them until the system was ready",
        seconds(total),
        seconds(started)
    ));
    let (failing, open) = (median(&story.failing.answers), median(&story.open.answers));
    if !open.is_zero() {
        terminal.line(&format!(
            "measured on this machine, with no network in between: an answer took {} while the partner failed and {} with \
             the breaker open, {:.0} times as fast",
            milliseconds(failing),
            milliseconds(open),
            failing.as_secs_f64() / open.as_secs_f64(),
        ));
    }
}

fn row(cells: [&str; 7]) -> String {
    let [name, answers, reasons, median, slowest, hits, lasted] = cells;
    format!("{name:<10} {answers:>7}  {reasons:<22} {median:>8}  {slowest:>8}  {hits:>19}  {lasted:>6}")
}

/// Each reason with how often it was given, in the order of its first answer.
fn reasons(act: &Act) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for answer in &act.answers {
        match counted.iter_mut().find(|(reason, _)| *reason == answer.reason) {
            Some((_, times)) => *times += 1,
            None => counted.push((&answer.reason, 1)),
        }
    }
    let counted: Vec<_> = counted
        .iter()
        .map(|(reason, times)| format!("{times} {reason}"))
        .collect();
    counted.join(", ")
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
