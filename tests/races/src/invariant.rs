//! What must be true of everything that was written, and of everything that the partner saw, in whatever order it
//! happened (`protocol.md`, *What must hold in every interleaving*).
//!
//! The epochs give the order: each write but a count names the epoch that it was decided on and the one that it began, so
//! that the writes that were made are one chain, link by link, from the item that the race began with to the one that is
//! stored now.

use std::collections::{BTreeMap, BTreeSet};

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::event::Change;
use breaker::item::{Item, State, name};
use breaker::policy::Policy;
use breaker::update::Written;
use breaker::window;

use crate::journal::{Journal, Write};
use crate::partner::Call;

/// What one link of the chain was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Closed to open.
    Opened,
    /// The probe's lease was granted; `lost` where another's had run out.
    Granted {
        /// Whether another execution lost its lease by it.
        lost: bool,
    },
    /// A failed probe.
    Reopened,
    /// A lease was given back, or one success of several was written.
    GivenBack,
    /// A probe closed the circuit.
    Closed,
}

/// A lease as it was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Whose.
    pub token: String,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub until: Timestamp,
}

/// The chain of a race that kept every invariant.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Every new epoch, in order, with the time that it began at.
    pub steps: Vec<(Step, Timestamp)>,
    /// Every lease, in order.
    pub leases: Vec<Lease>,
    /// How many failures were counted.
    pub counted: usize,
    /// The most slices that the failures of one epoch fell in.
    pub slices: usize,
}

impl Account {
    /// How many steps of this kind there were.
    pub fn how_many(&self, wanted: Step) -> usize {
        self.steps.iter().filter(|(step, _)| *step == wanted).count()
    }

    /// Follows the chain from the item that the race `began` with to the one that is `stored`.
    ///
    /// # Panics
    /// An invariant is broken.
    pub fn of(journal: &Journal, began: &Item, stored: &Item, policy: &Policy) -> Self {
        let writes = journal.writes();
        let mut made = made(&writes);
        let mut account = Self::default();
        let mut announced = announced(journal);
        let mut at = began.clone();
        loop {
            let opens = account.count(&writes, &at, policy);
            let next = made.remove(&at.epoch()).or_else(|| lost(&writes, &at, stored));
            let Some((write, after)) = next else {
                assert!(!opens, "N failures of an epoch that lasts: {at:?}");
                break;
            };
            let step = account.step(write, &at, &after, policy);
            assert_eq!(
                opens,
                step == Step::Opened,
                "it opens at N failures and not otherwise: {at:?}"
            );
            let change = match step {
                Step::Opened => Some(Change::Opened),
                Step::Reopened => Some(Change::Reopened),
                Step::Closed => Some(Change::Closed),
                Step::Granted { .. } | Step::GivenBack => None,
            };
            assert_eq!(
                announced.remove(&(at.epoch(), after.epoch())),
                change,
                "announced by its writer: {write:?}"
            );
            at = after;
        }
        assert_eq!(at.epoch(), stored.epoch(), "a write that nobody knows of: {stored:?}");
        assert!(made.is_empty(), "writes on epochs that never were: {made:?}");
        assert!(announced.is_empty(), "announced, but never made: {announced:?}");
        account
    }

    /// The failures of one epoch: none is lost, none counted twice, and nothing else changes. Whether they are enough.
    fn count(&mut self, writes: &[Write], at: &Item, policy: &Policy) -> bool {
        let mut totals: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let mut opens = false;
        let is_of_this_epoch = |write: &&Write| epoch_decided_on(write) == at.epoch();
        for write in writes.iter().filter(is_of_this_epoch) {
            let (Some(slice), Some(after)) = (write.counts_to(), write.left()) else {
                continue;
            };
            assert_eq!(at.state(), State::Closed, "only a closed circuit counts: {write:?}");
            assert_eq!(
                lasting(&after),
                lasting(at),
                "within an epoch nothing but counts changes"
            );
            totals.entry(slice).or_default().push(count_in(&after, slice));
            opens |= window::failures(&after) >= u64::from(policy.trip.failures);
            self.counted += 1;
        }
        self.slices = self.slices.max(totals.len());
        for (slice, mut seen) in totals {
            seen.sort_unstable();
            let before = count_in(at, slice);
            // Each recorder sees a total of its own, one more than another's: atomic additions, all of them.
            let expected: Vec<u64> = (before + 1..).take(seen.len()).collect();
            assert_eq!(seen, expected, "counts of slice {slice} are lost or double");
        }
        opens
    }

    /// What a write was, from the items before and after it.
    fn step(&mut self, write: &Write, before: &Item, after: &Item, policy: &Policy) -> Step {
        let told = || format!("{write:#?}\nbefore: {before:#?}\nafter: {after:#?}");
        assert!(after.epoch() > before.epoch(), "epochs only grow: {}", told());
        assert_eq!(
            overrides(after),
            overrides(before),
            "no automatic write touches an override"
        );
        let changed = after.attributes().get(name::CHANGED_AT).and_then(Attribute::as_str);
        let at = changed.and_then(Timestamp::parse).expect("a new epoch has a time");
        let (held, holds) = (before.probe_token(), after.probe_token());
        let wait = || Some(at.plus_ms(policy.open.for_ms));
        let step = match (before.state(), after.state()) {
            (State::Closed, State::Open) => {
                assert_eq!((after.open_until(), holds), (wait(), None), "{}", told());
                assert_eq!(after.openings(), before.openings() + 1, "{}", told());
                Step::Opened
            }
            (State::Open, State::Open) if holds == Some(&write.token) => {
                assert!(before.is_due(at), "a lease before the wait was over: {}", told());
                assert_eq!(
                    after.open_until(),
                    Some(at.plus_ms(policy.probe.lease_ms)),
                    "{}",
                    told()
                );
                let lost = held.is_some_and(|token| token != write.token);
                assert_eq!(after.openings(), before.openings() + u64::from(lost), "{}", told());
                self.leases.push(Lease {
                    token: write.token.clone(),
                    from: at,
                    until: at.plus_ms(policy.probe.lease_ms),
                });
                Step::Granted { lost }
            }
            (State::Open, State::Open) if after.openings() > before.openings() => {
                assert_eq!((after.open_until(), after.probe_successes()), (wait(), 0), "{}", told());
                Step::Reopened
            }
            (State::Open, State::Open) => Step::GivenBack,
            (State::Open, State::Closed) => {
                let successes = before.probe_successes() + 1;
                assert!(successes >= u64::from(policy.probe.successes_to_close), "{}", told());
                Step::Closed
            }
            (State::Closed, State::Closed) => panic!("nothing automatic does this: {}", told()),
        };
        if matches!(step, Step::Reopened | Step::GivenBack | Step::Closed) {
            assert_eq!(held, Some(write.token.as_str()), "the lease was another's: {}", told());
            assert_eq!(holds, None, "{}", told());
        }
        self.steps.push((step, at));
        step
    }
}

/// The writes that were made and began an epoch, by the epoch that they followed.
fn made(writes: &[Write]) -> BTreeMap<u64, (&Write, Item)> {
    let mut made = BTreeMap::new();
    for write in writes.iter().filter(|write| write.begins().is_some()) {
        if let Some(after) = write.left() {
            let earlier = made.insert(epoch_decided_on(write), (write, after));
            assert!(earlier.is_none(), "two writes of one epoch: {earlier:?}, {write:?}");
        }
    }
    made
}

/// A grant whose answer got lost although it was made: somebody knows of its epoch.
fn lost<'a>(writes: &'a [Write], at: &Item, stored: &Item) -> Option<(&'a Write, Item)> {
    let is_known = |item: &Item| {
        item.epoch() == stored.epoch() && item.probe_token() == stored.probe_token()
            || writes.iter().any(|write| epoch_decided_on(write) == item.epoch())
    };
    writes
        .iter()
        .filter(|write| write.written.is_none() && epoch_decided_on(write) == at.epoch())
        .filter_map(|write| match write.update.apply(at.attributes()) {
            Ok(Written::Applied(after)) => Some((write, Item::from(after))),
            _ => None,
        })
        .find(|(_, item)| is_known(item))
}

/// The announced changes by the epochs that they lie between, each once.
fn announced(journal: &Journal) -> BTreeMap<(u64, u64), Change> {
    let mut all = BTreeMap::new();
    for transition in journal.announced() {
        let between = (transition.previous_epoch, transition.epoch);
        let twice = all.insert(between, transition.change);
        assert!(twice.is_none(), "announced twice: {transition:?}");
    }
    all
}

/// Holds the partner's log against the leases.
///
/// # Panics
/// Two probes' calls overlap, a lease has more than one call, or a call has no lease.
pub fn check_calls(calls: &[Call], account: &Account) {
    let mut seen = BTreeSet::new();
    let mut probes: Vec<(&Call, &String)> = (calls.iter())
        .filter_map(|call| Some((call, call.token.as_ref()?)))
        .collect();
    probes.sort_by_key(|(call, _)| call.started);
    for (call, token) in &probes {
        assert!(seen.insert(token), "two calls under one lease: {token}");
        let lease = account.leases.iter().find(|lease| lease.token == **token);
        let lease = lease.unwrap_or_else(|| panic!("a probe without a lease: {call:?}"));
        assert!(
            call.ended <= lease.until,
            "a probe outlived its lease: {call:?}, {lease:?}"
        );
    }
    for pair in probes.windows(2) {
        assert!(pair[1].0.started >= pair[0].0.ended, "two probes at a time: {pair:?}");
    }
}

fn epoch_decided_on(write: &Write) -> u64 {
    write.decided_on().and_then(Attribute::as_count).unwrap_or(0)
}

fn count_in(item: &Item, slice: &str) -> u64 {
    let value = item.attributes().get(slice);
    value.and_then(Attribute::as_count).unwrap_or(0)
}

/// What a count leaves as it is.
fn lasting(item: &Item) -> Attributes {
    let counts = [name::FAILING_UNTIL, name::LAST_FAILURE, name::EXPIRES_AT];
    let is_slice = |attribute: &str| {
        attribute
            .strip_prefix('w')
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut attributes = item.attributes().clone();
    attributes.retain(|attribute, _| !counts.contains(&attribute.as_str()) && !is_slice(attribute));
    attributes
}

fn overrides(item: &Item) -> Attributes {
    let mut attributes = item.attributes().clone();
    attributes.retain(|attribute, _| attribute.starts_with(name::OVERRIDE));
    attributes
}
