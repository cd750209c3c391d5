//! The laws hold in every state of every scenario, and what is to be seen happening is.

use std::collections::BTreeSet;

use model::design::Kind;
use model::removed;
use model::scenarios;
use model::sight::Sight;

use crate::explored::{explored, told};

fn every_law_holds(name: &str) {
    let (scenario, found) = explored(name);
    assert!(found.broken.is_empty(), "{name}: broken{}", told(&found.broken));
    assert!(found.unseen.is_empty(), "{name}: never seen: {:?}", found.unseen);
    assert_eq!(
        (found.states, found.depth),
        (scenario.states, scenario.depth),
        "{name}: distinct states and depth, as pinned in scenarios.rs"
    );
}

macro_rules! scenarios {
    ($($test:ident: $name:literal,)*) => {
        $(#[test] fn $test() { every_law_holds($name); })*

        #[test]
        fn every_scenario_is_explored() {
            let tested = BTreeSet::from([$($name),*]);
            assert_eq!(tested, scenarios::all().iter().map(|scenario| scenario.name).collect());
        }
    };
}

scenarios! {
    every_law_holds_while_it_opens_and_closes: "openings",
    every_law_holds_when_recorders_die: "recorders",
    every_law_holds_when_holders_die: "leases",
    every_law_holds_when_closing_takes_two_successes: "successes in a row",
    every_law_holds_while_slices_turn: "window",
    every_law_holds_with_stale_reads: "stale reads",
    every_law_holds_under_overrides_of_a_closed_circuit: "overrides on a closed circuit",
    every_law_holds_under_overrides_of_an_open_circuit: "overrides on an open circuit",
    every_law_holds_through_resets: "resets",
    every_law_holds_when_clocks_disagree: "clocks",
    every_law_holds_through_a_deletion: "expiry",
    every_law_holds_when_a_slice_is_edited: "a slice edited by hand",
    every_law_holds_on_an_unreadable_item: "an unreadable item",
    every_law_holds_in_a_storm_and_after: "calm after a storm",
}

#[test]
fn each_kind_of_write_is_made_and_refused() {
    let all = scenarios::all();
    for kind in Kind::OURS {
        let tallies = all.iter().flat_map(|scenario| &explored(scenario.name).1.tallies);
        let [applied, unheard, refused] = tallies.filter(|(of, _)| *of == kind).fold([0; 3], |sum, (_, more)| {
            [sum[0] + more[0], sum[1] + more[1], sum[2] + more[2]]
        });
        assert!(applied > 0, "{kind:?} is made somewhere");
        assert!(refused > 0, "{kind:?} is refused somewhere");
        let may_be_lost = [
            Kind::CountAdds,
            Kind::Open,
            Kind::Grant,
            Kind::ProbeCloses,
            Kind::ProbeFails,
            Kind::ProbeFrees,
        ];
        assert!(
            unheard > 0 || !may_be_lost.contains(&kind),
            "{kind:?} loses its answer somewhere"
        );
    }
}

#[test]
fn everything_that_is_to_be_seen_is_seen_in_some_scenario() {
    let all = scenarios::all();
    let wanted: BTreeSet<Sight> = all
        .iter()
        .flat_map(|scenario| scenario.sights.iter().copied())
        .collect();
    assert_eq!(wanted, Sight::ALL.iter().copied().collect());
}

#[test]
fn the_conditions_that_writes_have_are_those_that_are_taken_away() {
    let all = scenarios::all();
    let seen = all
        .iter()
        .flat_map(|scenario| explored(scenario.name).1.conditions.iter().copied());
    let seen: BTreeSet<_> = seen.collect();
    assert_eq!(
        seen,
        removed::CONDITIONS.iter().map(|row| (row.kind, row.about)).collect()
    );
}
