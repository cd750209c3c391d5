//! The scenarios: each a small world about one thing that may go wrong, with three callers and a threshold of two.
//!
//! When a number of states or a depth changes with the code, explore once more, look at why, and write the new one here
//! and, with `cargo run -p model --example traces`, in `docs/model.md`.

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::item::{Override, State, name};
use breaker::policy::{Policy, Probe};

use crate::scenario::{Budget, Command, START_MS, Scenario, TICK_MS, policy};
use crate::sight::Sight;

/// Those that are explored with every test.
pub fn all() -> Vec<Scenario> {
    vec![
        openings(),
        recorders(),
        leases(),
        successes(),
        window(),
        stale(),
        forced_while_closed(),
        forced_while_open(),
        resets(),
        clocks(),
        expiry(),
        edited(),
        unreadable(),
        calm(),
    ]
}

/// The scenario of a name.
pub fn named(name: &str) -> Option<Scenario> {
    all().into_iter().find(|scenario| scenario.name == name)
}

/// The same with more of everything, for `make model`: some minutes instead of seconds.
pub fn deep() -> Vec<Scenario> {
    let more = |mut scenario: Scenario, change: fn(&mut Budget)| {
        change(&mut scenario.budget);
        scenario.healthy_calls = true;
        scenario
    };
    vec![
        more(openings(), |budget| budget.executions += 1),
        more(recorders(), |budget| budget.losses += 1),
        more(leases(), |budget| budget.executions += 1),
        more(successes(), |budget| budget.ticks += 1),
        more(window(), |budget| budget.ticks += 1),
        more(stale(), |budget| budget.ticks += 1),
        more(forced_while_closed(), |budget| budget.executions += 1),
        more(forced_while_open(), |budget| budget.ticks += 1),
        more(resets(), |budget| budget.executions += 1),
        more(clocks(), |budget| budget.ticks += 1),
        more(expiry(), |budget| {
            budget.executions += 1;
            budget.ticks += 1;
            budget.losses += 1;
        }),
        more(edited(), |budget| {
            budget.executions += 1;
            budget.edits += 1;
        }),
        more(unreadable(), |budget| {
            budget.executions += 1;
            budget.losses += 1;
        }),
        Scenario {
            calm: Some((2, 2)),
            ..more(calm(), |budget| budget.losses += 1)
        },
    ]
}

fn openings() -> Scenario {
    Scenario {
        name: "openings",
        about: "failures open it, probes close it or fail, and it opens again",
        budget: Budget {
            executions: 5,
            ticks: 2,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::TwoOpenings,
            Sight::Reopens,
            Sight::ClosesAgain,
            Sight::LateFailure,
            Sight::SliceTurns,
        ],
        states: 105_127,
        depth: 24,
        ..Scenario::default()
    }
}

fn recorders() -> Scenario {
    Scenario {
        name: "recorders",
        about: "a recorder dies between its two writes, and an answer is lost although the update was applied",
        budget: Budget {
            executions: 4,
            ticks: 1,
            deaths: 1,
            losses: 1,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::RecorderDies,
            Sight::OpensAfterRecorderDied,
            Sight::AnswerLost,
            Sight::LateFailure,
        ],
        states: 18_393,
        depth: 18,
        ..Scenario::default()
    }
}

fn leases() -> Scenario {
    Scenario {
        name: "leases",
        about: "a holder dies, is slow or starts too late; a grant's answer is lost and its update repeated",
        item: open(Timestamp::from_ms(START_MS)),
        undecided: true,
        budget: Budget {
            executions: 3,
            ticks: 2,
            deaths: 1,
            losses: 1,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::HolderDies,
            Sight::LeaseLost,
            Sight::LateProbe,
            Sight::LateSuccess,
            Sight::LapsedButHeld,
            Sight::GrantRepeated,
            Sight::ClosedAtLease,
            Sight::TooLateToStart,
        ],
        states: 134_703,
        depth: 21,
        ..Scenario::default()
    }
}

fn successes() -> Scenario {
    let policy = policy(1, 1, 1);
    Scenario {
        name: "successes in a row",
        about: "closing takes two successes; failed, lost and undecided probes come between",
        policy: Policy {
            probe: Probe {
                successes_to_close: 2,
                ..policy.probe
            },
            ..policy
        },
        item: open(Timestamp::from_ms(START_MS)),
        undecided: true,
        budget: Budget {
            executions: 4,
            ticks: 1,
            ..Budget::default()
        },
        sights: &[Sight::HalfWay, Sight::ClosesAgain, Sight::Reopens, Sight::LeaseLost],
        states: 51_727,
        depth: 24,
        ..Scenario::default()
    }
}

fn window() -> Scenario {
    Scenario {
        name: "window",
        about: "slices turn, failures age, and some are written late",
        // A window in which two slices are as long as clocks may differ: a shorter one keeps more slices, and would take
        // more steps. Open for longer than it is watched.
        policy: policy(10, 100, 10),
        tick_ms: 10 * TICK_MS,
        budget: Budget {
            executions: 4,
            ticks: 3,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::SliceTurns,
            Sight::FailureAges,
            Sight::WrittenLate,
        ],
        states: 169_606,
        depth: 19,
        ..Scenario::default()
    }
}

fn stale() -> Scenario {
    Scenario {
        name: "stale reads",
        about: "reads return an item that is up to two versions old",
        stale_depth: 2,
        budget: Budget {
            executions: 4,
            ticks: 2,
            stale_reads: 2,
            ..Budget::default()
        },
        sights: &[
            Sight::StaleCall,
            Sight::StaleAcquire,
            Sight::LateFailure,
            Sight::ClosedAtLease,
        ],
        states: 119_189,
        depth: 21,
        ..Scenario::default()
    }
}

fn forced_while_closed() -> Scenario {
    Scenario {
        name: "overrides on a closed circuit",
        about: "a person sets overrides with and without an end, lifts them and resets, while failures are counted",
        commands: &[
            Command::Force(Override::Open, None),
            Command::Force(Override::Closed, Some(TICK_MS)),
            Command::Force(Override::DryRun, None),
            Command::Lift,
            Command::Reset,
        ],
        budget: Budget {
            executions: 3,
            ticks: 1,
            commands: 2,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::Lifted,
            Sight::PersonRefused,
            Sight::OpenOvertaken,
            Sight::OverrideEnds,
        ],
        states: 56_605,
        depth: 19,
        ..Scenario::default()
    }
}

fn forced_while_open() -> Scenario {
    Scenario {
        name: "overrides on an open circuit",
        about: "a person sets overrides with and without an end and lifts them, while probes are out",
        item: open(Timestamp::from_ms(START_MS)),
        commands: &[
            Command::Force(Override::Open, Some(TICK_MS)),
            Command::Force(Override::Closed, None),
            Command::Force(Override::DryRun, None),
            Command::Lift,
        ],
        budget: Budget {
            executions: 2,
            ticks: 2,
            commands: 2,
            ..Budget::default()
        },
        sights: &[
            Sight::ForcedOpen,
            Sight::ForcedClosed,
            Sight::DryRunCalls,
            Sight::Lifted,
            Sight::PersonRefused,
            Sight::RefusedByForce,
            Sight::ProbeUnderOverride,
            Sight::OverrideEnds,
        ],
        states: 206_433,
        depth: 19,
        ..Scenario::default()
    }
}

fn resets() -> Scenario {
    Scenario {
        name: "resets",
        about: "a person resets the circuit while probes are out and failures are on their way",
        item: open(Timestamp::from_ms(START_MS)),
        commands: &[Command::Reset],
        budget: Budget {
            executions: 3,
            ticks: 1,
            commands: 2,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::ResetUnderProbe,
            Sight::PersonRefused,
            Sight::LateProbe,
        ],
        states: 96_976,
        depth: 20,
        ..Scenario::default()
    }
}

fn clocks() -> Scenario {
    let policy = policy(1, 1, 1);
    Scenario {
        name: "clocks",
        about: "each step reads one of two clocks that are a second apart; calls last up to a second",
        policy: Policy {
            // A millisecond more than the time-out and two seconds: the least that a policy may say.
            probe: Probe::new(3001),
            ..policy
        },
        timeout_ms: 1000,
        spare_ms: crate::workflow::LEASE_SPARE_MS,
        clocks_ms: &[0, 1000],
        item: open(Timestamp::from_ms(START_MS)),
        budget: Budget {
            executions: 3,
            ticks: 3,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::ClockAhead,
            Sight::TooLateToStart,
            Sight::LeaseLost,
            Sight::LateProbe,
        ],
        states: 171_016,
        depth: 20,
        ..Scenario::default()
    }
}

fn expiry() -> Scenario {
    Scenario {
        name: "expiry",
        about: "DynamoDB deletes the item, with or without an override on it; reads may still return it",
        commands: &[
            Command::Force(Override::Open, None),
            Command::Force(Override::DryRun, Some(TICK_MS)),
        ],
        stale_depth: 1,
        budget: Budget {
            executions: 3,
            ticks: 0,
            expiries: 1,
            stale_reads: 1,
            commands: 1,
            ..Budget::default()
        },
        sights: &[Sight::Expires, Sight::OpensAfterExpiry],
        states: 1_448,
        depth: 15,
        ..Scenario::default()
    }
}

fn edited() -> Scenario {
    Scenario {
        name: "a slice edited by hand",
        about: "somebody makes the current slice unreadable, under the same epoch, while failures are on their way",
        edit: Some(Attribute::N("-5".to_owned())),
        budget: Budget {
            executions: 4,
            ticks: 1,
            edits: 1,
            ..Budget::default()
        },
        sights: &[Sight::ThreeAtOnce, Sight::Edited],
        states: 37_805,
        depth: 19,
        ..Scenario::default()
    }
}

fn unreadable() -> Scenario {
    let slice = START_MS / (TICK_MS / 10);
    let attributes = [
        (name::EPOCH.to_owned(), Attribute::string("seven")),
        (name::STATE.to_owned(), Attribute::string("HALF")),
        (name::PROBE_TOKEN.to_owned(), Attribute::string("a relic")),
        (name::PROBE_SUCCESSES.to_owned(), Attribute::number(5)),
        (format!("w{slice}"), Attribute::string("9")),
    ];
    Scenario {
        name: "an unreadable item",
        about: "epoch, state and slice are of the wrong type or value in the beginning",
        item: Attributes::from(attributes),
        commands: &[Command::Force(Override::DryRun, None), Command::Reset],
        budget: Budget {
            executions: 3,
            ticks: 1,
            commands: 1,
            ..Budget::default()
        },
        sights: &[Sight::ThreeAtOnce, Sight::ReplacedOnce, Sight::LateFailure],
        states: 7_027,
        depth: 16,
        ..Scenario::default()
    }
}

fn calm() -> Scenario {
    Scenario {
        name: "calm after a storm",
        about: "whatever happened, once the partner is healthy and nothing fails any more it closes",
        commands: &[Command::Force(Override::Open, None)],
        item: open(Timestamp::from_ms(START_MS)),
        undecided: true,
        budget: Budget {
            executions: 2,
            ticks: 1,
            deaths: 1,
            commands: 1,
            ..Budget::default()
        },
        calm: Some((1, 2)),
        sights: &[Sight::HolderDies, Sight::Reopens, Sight::ClosesAgain],
        states: 207_808,
        depth: 24,
        ..Scenario::default()
    }
}

/// An open circuit with one opening behind it, due at this time.
pub fn open(until: Timestamp) -> Attributes {
    Attributes::from([
        (name::STATE.to_owned(), Attribute::string(State::Open.as_str())),
        (name::EPOCH.to_owned(), Attribute::number(START_MS - 1)),
        (name::OPENINGS.to_owned(), Attribute::number(1)),
        (name::OPEN_UNTIL.to_owned(), Attribute::string(until)),
        (name::PROBE_SUCCESSES.to_owned(), Attribute::number(0)),
    ])
}
