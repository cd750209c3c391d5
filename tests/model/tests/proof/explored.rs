//! Each scenario, explored once for all tests.

use std::sync::OnceLock;

use model::design::Design;
use model::explore::{self, Exploration, Trace};
use model::law::Law;
use model::scenario::Scenario;
use model::scenarios;
use model::story::tell;

/// What the exploration of our design in each scenario found.
pub fn explored(name: &str) -> (Scenario, &'static Exploration) {
    static FOUND: [OnceLock<Exploration>; 14] = [const { OnceLock::new() }; 14];
    let all = scenarios::all();
    assert_eq!(all.len(), FOUND.len());
    let at = all
        .iter()
        .position(|scenario| scenario.name == name)
        .expect("a scenario of that name");
    let scenario = all[at].clone();
    let found = FOUND[at].get_or_init(|| explore::fully(&scenario, Design::default()));
    (scenario, found)
}

/// A trace, to be read where a test fails.
pub fn told(broken: &[(Law, Trace)]) -> String {
    let mut text = String::new();
    for (law, trace) in broken {
        text.push_str(&format!("\n{}\n", law.text()));
        for (beat, shows) in tell(trace) {
            text.push_str(&format!("    {beat:?} -> {shows:?}\n"));
        }
    }
    text
}
