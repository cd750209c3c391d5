//! Our own design less one thing: the model finds what breaks, for each condition, each assignment and each guard.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use model::design::{Design, Kind, SLICES, assigned};
use model::explore;
use model::guards;
use model::law::Law;
use model::refuted::{self, is_slice};
use model::removed;
use model::scenarios;

/// The laws that are broken by a design, where a shortest trace breaks one.
fn broken(scenario: &str, design: Design) -> Vec<Law> {
    let scenario = scenarios::named(scenario).expect("a scenario of that name");
    let found = explore::until_broken(&scenario, design);
    found.broken.into_iter().map(|(law, _)| law).collect()
}

#[test]
fn without_any_one_condition_a_law_is_broken() {
    for row in &removed::CONDITIONS {
        let broken = broken(row.scenario, Design::without_condition(row.kind, row.about));
        assert!(broken.contains(&row.broken), "{row:?}: {broken:?}");
    }
}

#[test]
fn without_any_one_assignment_a_law_is_broken() {
    for row in &removed::ASSIGNMENTS {
        let broken = broken(row.scenario, Design::without_assignment(row.kind, row.attribute));
        assert!(broken.contains(&row.broken), "{row:?}: {broken:?}");
    }
}

#[test]
fn without_any_one_guard_a_law_is_broken() {
    for row in &guards::GUARDS {
        let broken = broken(row.scenario, (row.design)());
        assert!(broken.contains(&row.broken), "{}: {broken:?}", row.text);
    }
}

#[test]
fn every_law_can_be_broken() {
    let of_conditions = removed::CONDITIONS.iter().map(|row| row.broken);
    let of_assignments = removed::ASSIGNMENTS.iter().map(|row| row.broken);
    let of_guards = guards::GUARDS.iter().map(|row| row.broken);
    let of_designs = refuted::DESIGNS.iter().map(|design| design.broken);
    let shown: BTreeSet<Law> = of_conditions
        .chain(of_assignments)
        .chain(of_guards)
        .chain(of_designs)
        .collect();
    let of_one_token = broken("leases", (refuted::DESIGNS[2].design)());
    let of_one_epoch = broken("openings", Design::without_assignment(Kind::Open, "epoch"));
    assert!(of_one_token.contains(&Law::OneCallPerLease), "{of_one_token:?}");
    assert!(of_one_epoch.contains(&Law::OneAnnouncement), "{of_one_epoch:?}");
    let all = Law::ALL.into_iter().filter(|law| {
        // The two that break together with another.
        ![Law::OneCallPerLease, Law::OneAnnouncement].contains(law)
    });
    assert_eq!(shown, all.collect());
}

#[test]
fn the_assignments_that_writes_have_are_those_that_are_taken_away() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let several = [
        "recorders",
        "successes in a row",
        "expiry",
        "overrides on a closed circuit",
        "resets",
        "an unreadable item",
    ];
    for name in several {
        let seen = Arc::clone(&seen);
        let notes = Design::altered(move |kind, _, update| {
            let names = update.assignments.iter().map(assigned);
            // The count itself, which can't be taken away without taking the update away.
            let names = names.filter(|name| !(kind.is_count() && is_slice(name)));
            let names = names.map(|name| if is_slice(name) { SLICES } else { name });
            let mut seen = seen.lock().expect("no test panics in here");
            for name in names {
                if !seen.contains(&(kind, name.to_owned())) {
                    seen.insert((kind, name.to_owned()));
                }
            }
            update
        });
        assert_eq!(broken(name, notes), []);
    }
    let is_read = |kind: Kind, name: &str| {
        // A person's write sets whether the item expires: an override keeps it.
        let lasts = name == "expiresAt" && matches!(kind, Kind::Force | Kind::Lift);
        lasts || !removed::NOT_READ.contains(&name)
    };
    let seen = seen.lock().expect("no test panics in here");
    let seen: BTreeSet<_> = seen
        .iter()
        .filter(|(kind, name)| is_read(*kind, name))
        .cloned()
        .collect();
    let taken = removed::ASSIGNMENTS
        .iter()
        .map(|row| (row.kind, row.attribute.to_owned()));
    // Slices age, and are left at a close, in scenarios that take longer.
    let taken = taken.filter(|(kind, name)| !(*kind == Kind::CountAdds && name == SLICES));
    let taken: BTreeSet<_> = taken.collect();
    let differ: Vec<_> = seen.symmetric_difference(&taken).collect();
    assert!(
        differ.is_empty(),
        "assigned but not taken away, or the reverse: {differ:?}"
    );
}
