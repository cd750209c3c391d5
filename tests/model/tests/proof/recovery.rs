//! 7: from every reachable state, with a healthy partner and no override, CLOSED is reachable.

use model::design::Design;
use model::guards;
use model::recovery::recovery;
use model::scenarios;
use model::system::System;

use crate::explored::explored;

const STORM: &str = "calm after a storm";

#[test]
fn every_state_of_a_storm_reaches_closed_as_soon_as_its_gate_opens() {
    let (scenario, found) = explored(STORM);
    let recovery = recovery(&System::new(scenario, Design::default()));
    assert_eq!(recovery.states, found.states, "both explorers see the same states");
    assert!(recovery.claimed > 10_000, "{recovery:?}");
    assert_eq!((recovery.stuck, recovery.delayed), (0, 0), "{recovery:?}");
}

#[test]
fn a_lease_that_never_runs_out_is_found_to_be_stuck() {
    let scenario = scenarios::named(STORM).expect("it exists");
    let guards = guards::GUARDS.iter();
    let mut for_ever = guards.filter(|guard| guard.text.contains("another's token"));
    let design = for_ever.next().expect("it exists").design;
    assert!(recovery(&System::new(scenario, design())).stuck > 0);
}
