//! The scenarios.

use crate::scenario::{Budget, Scenario};
use crate::sight::Sight;

/// Those that are explored with every test.
pub fn all() -> Vec<Scenario> {
    vec![Scenario {
        name: "openings",
        about: "three callers, two openings, probes that succeed and fail",
        budget: Budget {
            executions: 5,
            ticks: 3,
            ..Budget::default()
        },
        sights: &[
            Sight::ThreeAtOnce,
            Sight::TwoOpenings,
            Sight::Reopens,
            Sight::ClosesAgain,
            Sight::LateFailure,
        ],
        ..Scenario::default()
    }]
}
