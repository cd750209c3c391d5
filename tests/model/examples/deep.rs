//! Explores every scenario with larger bounds, and says what it found: `make model`.
#![allow(clippy::print_stdout, reason = "it is run to be read")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use model::design::Design;
use model::document::grouped;
use model::explore;
use model::recovery::recovery;
use model::scenario::Scenario;
use model::scenarios;
use model::story::tell;
use model::system::System;

fn main() -> ExitCode {
    let begun = Instant::now();
    println!("{:<32} {:>12} {:>6} {:>9}", "scenario", "states", "depth", "seconds");
    let waiting = Mutex::new(scenarios::deep());
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.pop());
    // Two at once: each explores in one thread, and needs memory for the states that wait.
    let work = || {
        let mut holds = true;
        let mut states = 0;
        while let Some(scenario) = next() {
            let found = one(scenario);
            holds &= found.0;
            states += found.1;
        }
        (holds, states)
    };
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(work);
        (work(), other.join())
    });
    let Ok(second) = second else {
        return ExitCode::FAILURE;
    };
    println!(
        "{} states in {:.0} s",
        grouped(first.1 + second.1),
        begun.elapsed().as_secs_f32()
    );
    if first.0 && second.0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn one(scenario: Scenario) -> (bool, usize) {
    let begun = Instant::now();
    let name = scenario.name;
    let found = explore::fully(&scenario, Design::default());
    println!(
        "{name:<32} {:>12} {:>6} {:>9.1}",
        grouped(found.states),
        found.depth,
        begun.elapsed().as_secs_f32()
    );
    for (law, trace) in &found.broken {
        println!("  BROKEN: {}", law.text());
        for (beat, shows) in tell(trace) {
            println!("    {beat:?} -> {shows:?}");
        }
    }
    for sight in &found.unseen {
        println!("  NOT SEEN: {}", sight.text());
    }
    let mut holds = found.broken.is_empty() && found.unseen.is_empty();
    if scenario.calm.is_some() {
        let back = recovery(&System::new(scenario, Design::default()));
        println!(
            "  backwards over {} steps: {} states claimed, {} stuck, {} delayed",
            grouped(back.steps),
            grouped(back.claimed),
            back.stuck,
            back.delayed
        );
        holds &= back.stuck == 0 && back.delayed == 0 && back.states == found.states;
    }
    (holds, found.states)
}
