//! The laws hold in every state of every scenario.

use model::design::Design;
use model::explore;

#[test]
fn every_law_holds_in_every_interleaving() {
    for scenario in model::scenarios::all() {
        let begun = std::time::Instant::now();
        let found = explore::fully(&scenario, Design::default());
        println!(
            "{} {} {} {:?}",
            scenario.name,
            found.states,
            found.depth,
            begun.elapsed()
        );
        for (law, trace) in &found.broken {
            println!("{}", law.text());
            for (state, action) in trace {
                println!(
                    "{action:?} {:?}",
                    state.table.item.attributes().keys().collect::<Vec<_>>()
                );
            }
        }
        assert!(found.broken.is_empty());
        assert!(found.unseen.is_empty(), "{:?}", found.unseen);
    }
}
