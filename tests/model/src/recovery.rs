//! Recovery by reverse reachability. stateright's `eventually` is only sound on acyclic paths, and this one is about ways
//! that exist, not about each way: so the whole graph is built, and walked backwards from the closed circuits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use breaker::item::State as Stored;
use stateright::Model;

use crate::shared::hash_of;
use crate::state::State;
use crate::system::System;

/// What is kept of a state.
struct Node {
    now_ms: u64,
    /// In the calm, and closed.
    is_closed: bool,
    /// The gate, or the time where it is not ahead.
    due_ms: u64,
    /// The bounds leave it what it takes: the storm may still end, or calm executions and time are left.
    has_enough_left: bool,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Distinct states.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// States that the claim is made of: those that the bounds leave enough executions and time.
    pub claimed: usize,
    /// Of these, those from which a closed circuit can't be reached.
    pub stuck: usize,
    /// Of these, those from which it can't be reached as soon as the gate opens. The gate is at most one lease away, so
    /// that each dead holder delays it by one lease at most.
    pub delayed: usize,
}

/// Builds the graph of a system with a calm, and walks it backwards.
pub fn recovery(system: &System) -> Recovery {
    let mut ids: HashMap<u64, u32> = HashMap::new();
    let mut nodes = Vec::new();
    let mut back: Vec<(u32, u32)> = Vec::new();
    let mut frontier = Vec::new();
    for state in system.init_states() {
        ids.insert(hash_of(&state), nodes.len() as u32);
        frontier.push((nodes.len() as u32, state.clone()));
        nodes.push(node(system, &state));
    }
    while !frontier.is_empty() {
        let mut next_frontier = Vec::new();
        for (from, state) in frontier {
            for next in system.next_states(&state) {
                let new = nodes.len() as u32;
                let to = match ids.entry(hash_of(&next)) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(vacant) => {
                        vacant.insert(new);
                        nodes.push(node(system, &next));
                        next_frontier.push((new, next));
                        new
                    }
                };
                back.push((to, from));
            }
        }
        frontier = next_frontier;
    }
    let earliest = earliest_closings(&nodes, &mut back);
    let claimed: Vec<usize> = (0..nodes.len()).filter(|id| nodes[*id].has_enough_left).collect();
    let stuck = claimed.iter().filter(|id| earliest[**id].is_none());
    let delayed = claimed
        .iter()
        .filter(|id| earliest[**id].is_some_and(|at_ms| at_ms > nodes[**id].due_ms));
    Recovery {
        states: nodes.len(),
        steps: back.len(),
        stuck: stuck.count(),
        delayed: delayed.count(),
        claimed: claimed.len(),
    }
}

fn node(system: &System, state: &State) -> Node {
    let item = &state.table.item;
    let is_open = item.state() == Stored::Open;
    let gate_ms = item.open_until().map_or(0, |until| until.as_ms());
    let due_ms = if is_open {
        gate_ms.max(state.now_ms)
    } else {
        state.now_ms
    };
    let needed = system.scenario.policy.probe.successes_to_close;
    let enough_executions = u32::from(state.left.executions) >= needed;
    let enough_time = state.now_ms + u64::from(state.left.ticks) * system.scenario.tick_ms >= due_ms;
    Node {
        now_ms: state.now_ms,
        is_closed: state.calm && !is_open,
        due_ms,
        has_enough_left: !state.calm || (enough_executions && enough_time),
    }
}

/// For each state, the earliest time at which a closed circuit is reached from it. From the earliest closings on, so that
/// what is reached first stays.
fn earliest_closings(nodes: &[Node], back: &mut [(u32, u32)]) -> Vec<Option<u64>> {
    back.sort_unstable();
    let mut first = vec![0; nodes.len() + 1];
    for (to, _) in back.iter() {
        first[*to as usize + 1] += 1;
    }
    for id in 0..nodes.len() {
        first[id + 1] += first[id];
    }
    let mut closed: Vec<u32> = (0..nodes.len() as u32)
        .filter(|id| nodes[*id as usize].is_closed)
        .collect();
    closed.sort_by_key(|id| nodes[*id as usize].now_ms);
    let mut earliest: Vec<Option<u64>> = vec![None; nodes.len()];
    for source in closed {
        let at_ms = nodes[source as usize].now_ms;
        let mut reached = vec![source];
        while let Some(id) = reached.pop() {
            let id = id as usize;
            if earliest[id].is_none() {
                earliest[id] = Some(at_ms);
                reached.extend(back[first[id]..first[id + 1]].iter().map(|(_, from)| *from));
            }
        }
    }
    earliest
}
