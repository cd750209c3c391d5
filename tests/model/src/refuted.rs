//! Known designs, each as a small alternative to our updates, and the law that each breaks.

use breaker::attribute::Attribute;
use breaker::clock::Timestamp;
use breaker::item::{Item, State, name};
use breaker::policy::Policy;
use breaker::update::{Assignment, Update};

use crate::design::{Design, Kind};
use crate::law::Law;

/// A design that is seen in the field.
pub struct Refuted {
    /// Its file's name.
    pub slug: &'static str,
    /// What it does.
    pub text: &'static str,
    /// Where it shows.
    pub scenario: &'static str,
    /// The law that it breaks first, by a shortest trace.
    pub broken: Law,
    /// What goes wrong, in a sentence.
    pub consequence: &'static str,
    /// The design.
    pub design: fn() -> Design,
}

/// The four.
pub const DESIGNS: [Refuted; 4] = [
    Refuted {
        slug: "unconditional-close",
        text: "An unconditional close: Whoever succeeds writes CLOSED.",
        scenario: "openings",
        broken: Law::SuccessesInARow,
        consequence: "A call from before the outage comes back late and closes the circuit that has just opened.",
        design: || Design {
            success: Some(close_whatever_it_is),
            ..Design::default()
        },
    },
    Refuted {
        slug: "reset-by-any-success",
        text: "A reset of the count by any success",
        scenario: "openings",
        broken: Law::Opens,
        consequence: "Against a partner that fails half of its calls the count never gets far enough.",
        design: || Design {
            success: Some(forget_failures),
            ..Design::default()
        },
    },
    Refuted {
        slug: "lease-without-token",
        text: "A lease without a token: It says that a probe is out, but not whose.",
        scenario: "leases",
        broken: Law::OneLease,
        consequence: "Whoever is refused takes the other's lease for its own, and both probe.",
        design: || Design {
            token: Some("probing"),
            ..Design::default()
        },
    },
    Refuted {
        slug: "read-then-write-counter",
        text: "A read-then-write counter: The failure's slice is set to what was read and one more.",
        scenario: "openings",
        broken: Law::Opens,
        consequence: "Two failures at once are counted as one, and the circuit stays closed.",
        design: || Design::altered(set_what_was_read_and_one),
    },
];

fn close_whatever_it_is(_: &Policy, _: &Item, _: Timestamp) -> Update {
    Update {
        conditions: vec![],
        assignments: vec![
            Assignment::Set(name::STATE.to_owned(), Attribute::string(State::Closed.as_str())),
            Assignment::Remove(name::OPEN_UNTIL.to_owned()),
            Assignment::Remove(name::PROBE_TOKEN.to_owned()),
        ],
        repeatable: false,
    }
}

fn forget_failures(_: &Policy, known: &Item, _: Timestamp) -> Update {
    let names = known.attributes().keys();
    Update {
        conditions: vec![],
        assignments: names
            .filter(|name| is_slice(name))
            .map(|name| Assignment::Remove(name.clone()))
            .collect(),
        repeatable: false,
    }
}

fn set_what_was_read_and_one(kind: Kind, on: &Item, mut update: Update) -> Update {
    for assignment in &mut update.assignments {
        if let (Kind::CountAdds, Assignment::Add(name, _)) = (kind, &*assignment) {
            let read = on.attributes().get(name).and_then(Attribute::as_count).unwrap_or(0);
            *assignment = Assignment::Set(name.clone(), Attribute::number(read + 1));
        }
    }
    update
}

/// Whether an attribute is a slice of failures.
pub fn is_slice(name: &str) -> bool {
    name.strip_prefix('w').is_some_and(|slice| slice.parse::<u64>().is_ok())
}
