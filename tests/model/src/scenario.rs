//! What a model is bounded by. Several small worlds, each with its own adversary, instead of one with everything: the
//! interleavings of each are explored to the end.

use breaker::attribute::{Attribute, Attributes};
use breaker::item::Override;
use breaker::policy::{Open, Policy, Probe, Trip};

use crate::sight::Sight;

/// When every scenario begins, in milliseconds: the beginning of a slice.
pub const START_MS: u64 = 1_000_000;

/// One step of time, in milliseconds, unless a scenario says otherwise.
pub const TICK_MS: u64 = 1000;

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Sets an override, with an end so many milliseconds later or without one.
    Force(Override, Option<u64>),
    /// Lifts it.
    Lift,
    /// Resets the circuit.
    Reset,
}

/// How often each thing may still happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Executions that do more than fall back.
    pub executions: u8,
    /// Steps of time.
    pub ticks: u8,
    /// Deaths: of a lease's holder, or of a recorder between its two writes.
    pub deaths: u8,
    /// Answers that get lost although the update was applied.
    pub losses: u8,
    /// Reads that return an earlier item.
    pub stale_reads: u8,
    /// A person's writes.
    pub commands: u8,
    /// Edits of the current slice by hand, past every rule.
    pub edits: u8,
    /// Deletions by TTL.
    pub expiries: u8,
}

/// One world.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What it is there for.
    pub about: &'static str,
    /// The circuit's policy.
    pub policy: Policy,
    /// Of a call, in milliseconds.
    pub timeout_ms: u64,
    /// What the caller keeps between a probe's end and its lease's, in milliseconds.
    pub spare_ms: u64,
    /// One step of time, in milliseconds.
    pub tick_ms: u64,
    /// By how much a clock may be ahead, in milliseconds: each step reads one of these clocks.
    pub clocks_ms: &'static [u64],
    /// Callers at once.
    pub callers: usize,
    /// What may happen how often.
    pub budget: Budget,
    /// What a stale read may return: so many versions back.
    pub stale_depth: usize,
    /// Whether a usual call may succeed. It writes nothing, so that leaving it out hides nothing of our own design.
    pub healthy_calls: bool,
    /// Whether a probe may end without a result.
    pub undecided: bool,
    /// What a person may do.
    pub commands: &'static [Command],
    /// What an edit by hand makes of the current slice.
    pub edit: Option<Attribute>,
    /// The item that there is in the beginning.
    pub item: Attributes,
    /// After a storm, so many executions and ticks in which the partner is healthy and nothing fails.
    pub calm: Option<(u8, u8)>,
    /// What must be reachable.
    pub sights: &'static [Sight],
    /// Distinct states, pinned: so that a model that explores nothing, or less than it did, fails.
    pub states: usize,
    /// The longest of the shortest ways to a state, pinned as well.
    pub depth: usize,
}

impl Default for Scenario {
    /// Three callers and a threshold of two; window, wait and lease last a tick each, and a call less.
    fn default() -> Self {
        Self {
            name: "",
            about: "",
            policy: policy(1, 1, 1),
            timeout_ms: 500,
            spare_ms: 0,
            tick_ms: TICK_MS,
            clocks_ms: &[0],
            callers: 3,
            budget: Budget::default(),
            stale_depth: 0,
            healthy_calls: false,
            undecided: false,
            commands: &[],
            edit: None,
            item: Attributes::new(),
            calm: None,
            sights: &[],
            states: 0,
            depth: 0,
        }
    }
}

/// A policy of a threshold of two, whose window, wait and lease last so many ticks.
pub fn policy(window: u64, wait: u64, lease: u64) -> Policy {
    Policy {
        circuit: "shop".to_owned(),
        trip: Trip {
            failures: 2,
            window_ms: window * TICK_MS,
        },
        open: Open { for_ms: wait * TICK_MS },
        probe: Probe::new(lease * TICK_MS),
    }
}
