//! Explores a design in a scenario to its end, and says what was found.

use stateright::{Checker, HasDiscoveries, Model};

use crate::action::Action;
use crate::design::Design;
use crate::law::Law;
use crate::scenario::Scenario;
use crate::sight::Sight;
use crate::state::State;
use crate::system::System;

/// A way to a state: each state with the step that it takes next.
pub type Trace = Vec<(State, Option<Action>)>;

/// What an exploration found.
pub struct Exploration {
    /// Distinct states.
    pub states: usize,
    /// The longest of the shortest ways.
    pub depth: usize,
    /// The laws that are broken, each by a shortest trace.
    pub broken: Vec<(Law, Trace)>,
    /// What was to be seen and was not.
    pub unseen: Vec<Sight>,
    /// What the model has counted.
    pub tallies: Vec<(crate::design::Kind, [u64; 3])>,
    /// The conditions that writes had.
    pub conditions: Vec<(crate::design::Kind, crate::design::About)>,
}

/// Explores every state that is within the bounds.
pub fn fully(scenario: &Scenario, design: Design) -> Exploration {
    explore(System::new(scenario.clone(), design), HasDiscoveries::All)
}

/// Explores until a law is broken.
pub fn until_broken(scenario: &Scenario, design: Design) -> Exploration {
    explore(System::new(scenario.clone(), design), HasDiscoveries::AnyFailures)
}

fn explore(system: System, finish: HasDiscoveries) -> Exploration {
    // One thread, so that each trace is a shortest one and the depth is the same each time.
    let checker = system.checker().finish_when(finish).threads(1).spawn_bfs().join();
    let mut found = checker.discoveries();
    let system = checker.model();
    use crate::design::Kind;
    use crate::system::Came;
    Exploration {
        states: checker.unique_state_count(),
        depth: checker.max_depth(),
        broken: Law::ALL
            .into_iter()
            .filter_map(|law| Some((law, found.remove(law.text())?.into_vec())))
            .collect(),
        unseen: (system.scenario.sights.iter().copied())
            .filter(|sight| !found.contains_key(sight.text()))
            .collect(),
        tallies: Kind::OURS
            .into_iter()
            .map(|kind| {
                (
                    kind,
                    [Came::Applied, Came::Unheard, Came::Refused].map(|came| system.tally(kind, came)),
                )
            })
            .collect(),
        conditions: system.conditions(),
    }
}
