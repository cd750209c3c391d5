//! Looks at each write that the table accepted and at each state, and notes the laws that are broken. It knows what no
//! writer knows: who really holds the lease, which failures were accepted, how often the circuit has changed.

use breaker::attribute::Attribute;
use breaker::item::{Item, Override, State as Stored, name};

use crate::design::Kind;
use crate::law::{self, Law};
use crate::refuted::is_slice;
use crate::sight::Event;
use crate::state::{Accepted, Execution, Stage, State, Work, Writing};
use crate::system::System;

const OVERRIDE: [&str; 4] = [
    name::OVERRIDE,
    name::OVERRIDE_UNTIL,
    name::OVERRIDE_BY,
    name::OVERRIDE_REASON,
];

impl System {
    /// A write was accepted: the table holds what it made of the item.
    pub(crate) fn commit(&self, state: &mut State, writing: &Writing, after: Item) {
        let before = state.table.clone();
        let kind = writing.kind;
        let same_epoch = same(&before.item, &after, name::EPOCH);
        let is_count = kind.is_count() || (kind == Kind::Success && same_epoch);
        if !kind.is_persons() && OVERRIDE.iter().any(|name| !same(&before.item, &after, name)) {
            state.ghost.broken.add(Law::OverridesArePersons);
        }
        let epoch = after.epoch();
        // What a refuted design does is to be told by what comes of it.
        let ours = kind != Kind::Success;
        let breaks_in = is_count != same_epoch || (is_count && !only_counts_differ(&before.item, &after));
        if ours && (breaks_in || (!is_count && epoch <= state.ghost.epoch)) {
            state.ghost.broken.add(Law::OnlyCountsWithinAnEpoch);
        }
        state.ghost.epoch = state.ghost.epoch.max(epoch);
        match kind {
            Kind::CountAdds | Kind::CountReplaces => self.counted(state, writing, &after),
            Kind::Open => self.opened(state, writing),
            Kind::Grant => self.granted(state, writing),
            kind if kind.is_probes() => self.concluded(state, writing),
            Kind::Success => {
                if before.item.state() == Stored::Open && after.state() == Stored::Closed {
                    state.ghost.broken.add(Law::SuccessesInARow);
                }
            }
            _ => self.written_by_a_person(state, writing, &after),
        }
        if !kind.is_count() && kind != Kind::Success {
            self.is_as_decided(state, writing, &after);
        }
        self.store(state, after, !is_count);
    }

    /// What a write but a count leaves: the gate, the token, how often it has opened, and what is forgotten.
    fn is_as_decided(&self, state: &mut State, writing: &Writing, after: &Item) {
        let policy = &self.scenario.policy;
        let gate = match writing.kind {
            Kind::Open | Kind::ProbeFails => Some(writing.at.plus_ms(policy.open.for_ms)),
            Kind::Grant => Some(writing.at.plus_ms(policy.probe.lease_ms)),
            Kind::ProbeSucceeds | Kind::ProbeFrees => Some(writing.at),
            _ => None,
        };
        if gate.is_some() && after.open_until() != gate {
            state.ghost.broken.add(Law::Gate);
        }
        if writing.kind == Kind::Force || writing.kind == Kind::Lift {
            return;
        }
        if after.probe_token().is_some() != state.ghost.lease.is_some() {
            state.ghost.broken.add(Law::TokenWhileOut);
        }
        if after.openings() != u64::from(state.ghost.openings_in_a_row) {
            state.ghost.broken.add(Law::OpeningsInARow);
        }
        let is_kept = |name: &&String| is_slice(name) && after.attributes().contains_key(*name);
        let forgets_slices = matches!(writing.kind, Kind::Open | Kind::ProbeCloses | Kind::Reset);
        let closes = matches!(writing.kind, Kind::ProbeCloses | Kind::Reset);
        let gone = [name::OPENINGS, name::OPEN_UNTIL, name::PROBE_SUCCESSES];
        let keeps = closes && gone.iter().any(|name| after.attributes().contains_key(*name));
        let keeps_successes = writing.kind == Kind::Open && after.probe_successes() != 0;
        let keeps_slices = forgets_slices && writing.on.item.attributes().keys().any(|name| is_kept(&name));
        if keeps || keeps_slices || keeps_successes || (closes && after.state() == Stored::Open) {
            state.ghost.broken.add(Law::ClosingForgets);
        }
    }

    fn counted(&self, state: &mut State, writing: &Writing, after: &Item) {
        let Work::Recording(_, known, _) = &writing.work else {
            return;
        };
        if known.version.generation != state.table.generation {
            state.ghost.broken.add(Law::NoLateFailure);
        }
        if known.version.item.forced(known.went_out) == Some(Override::Closed) {
            state.ghost.broken.add(Law::NothingRecordedUnderForcedClosed);
        }
        let at = writing.at.as_ms();
        let trip = &self.scenario.policy.trip;
        let is_old = |name: &&String| {
            let slice = name.strip_prefix('w').and_then(|slice| slice.parse::<u64>().ok());
            slice.is_some_and(|slice| slice + law::kept(trip) < at / (trip.window_ms / 10))
        };
        let read = writing.on.item.attributes();
        if read
            .keys()
            .filter(is_old)
            .any(|name| after.attributes().contains_key(name))
        {
            state.ghost.broken.add(Law::OldSlicesGo);
        }
        let accepted = &mut state.ghost.accepted;
        let late = accepted.last().is_some_and(|newest| newest.at_ms > at);
        // A count removes the slices that its recorder saw to be older than those that are kept.
        let kept_ms = trip.window_ms / 10 * law::kept(trip);
        for earlier in accepted.iter_mut() {
            earlier.may_be_gone |= earlier.at_ms + kept_ms < at;
        }
        accepted.push(Accepted {
            at_ms: at,
            may_be_gone: false,
        });
        accepted.sort_unstable();
        let far_apart = accepted.len() as u32 >= trip.failures && !law::may_open(accepted, trip);
        if late {
            self.note(state, Event::WrittenLate);
        }
        if far_apart {
            self.note(state, Event::FarApart);
        }
    }

    fn opened(&self, state: &mut State, writing: &Writing) {
        // The opening is what a failure of that epoch came to.
        if writing.on.generation != state.table.generation {
            state.ghost.broken.add(Law::NoLateFailure);
        }
        if !law::may_open(&state.ghost.accepted, &self.scenario.policy.trip) {
            state.ghost.broken.add(Law::FarFailuresNeverCombine);
        }
        let slice_ms = self.scenario.policy.trip.window_ms / 10;
        let mut slices = state.ghost.accepted.iter().map(|failure| failure.at_ms / slice_ms);
        let first = slices.next();
        if slices.any(|slice| Some(slice) != first) {
            self.note(state, Event::OpenedAcrossSlices);
        }
        state.ghost.openings_in_a_row += 1;
        state.ghost.openings = 2.min(state.ghost.openings + 1);
        state.ghost.accepted.clear();
        state.ghost.successes = 0;
    }

    fn granted(&self, state: &mut State, writing: &Writing) {
        let Work::Acquiring(_, id, _) = &writing.work else {
            return;
        };
        let before = &state.table.item;
        if before.forced(writing.at) == Some(Override::Open) {
            state.ghost.broken.add(Law::NoLeaseUnderForcedOpen);
        }
        if before.state() == Stored::Closed || !before.is_due(writing.at) {
            state.ghost.broken.add(Law::Gate);
        }
        if let Some((_, until_ms)) = state.ghost.lease.filter(|(holder, _)| holder != id) {
            if until_ms > writing.at.as_ms() {
                state.ghost.broken.add(Law::OneLease);
            }
            state.ghost.successes = 0;
            state.ghost.openings_in_a_row += 1;
            self.note(state, Event::LeaseLost);
        }
        if writing.at > state.now() {
            self.note(state, Event::ClockAhead);
        }
        let until = writing.at.plus_ms(self.scenario.policy.probe.lease_ms);
        state.ghost.lease = Some((*id, until.as_ms()));
    }

    fn concluded(&self, state: &mut State, writing: &Writing) {
        let Work::Recording(_, _, Some(lease)) = &writing.work else {
            return;
        };
        match state.ghost.lease {
            Some((holder, until_ms)) if holder == lease.id => {
                if until_ms <= state.now_ms {
                    self.note(state, Event::LapsedProbe);
                }
            }
            _ => state.ghost.broken.add(Law::NoLateProbe),
        }
        if state.table.item.forced(state.now()).is_some() {
            self.note(state, Event::ProbeUnderOverride);
        }
        match writing.kind {
            Kind::ProbeCloses => {
                if u32::from(state.ghost.successes) + 1 < self.scenario.policy.probe.successes_to_close {
                    state.ghost.broken.add(Law::SuccessesInARow);
                }
                state.ghost.successes = 0;
                state.ghost.openings_in_a_row = 0;
                state.ghost.accepted.clear();
                self.note(state, Event::Closed);
            }
            Kind::ProbeSucceeds => state.ghost.successes += 1,
            Kind::ProbeFails => {
                state.ghost.successes = 0;
                state.ghost.openings_in_a_row += 1;
                self.note(state, Event::Reopened);
            }
            _ => {}
        }
        state.ghost.lease = None;
    }

    fn written_by_a_person(&self, state: &mut State, writing: &Writing, after: &Item) {
        if writing.on.generation != state.table.generation {
            state.ghost.broken.add(Law::ShownToThatPerson);
        }
        if writing.kind == Kind::Reset {
            let mut was_out = false;
            for execution in &mut state.executions {
                if let Some(lease) = execution.stage.lease_mut() {
                    lease.reset = true;
                    was_out = true;
                }
            }
            if was_out {
                self.note(state, Event::ResetUnderProbe);
            }
            state.ghost.lease = None;
            state.ghost.successes = 0;
            state.ghost.openings_in_a_row = 0;
            state.ghost.accepted.clear();
            if after.attributes().keys().any(|name| is_slice(name)) {
                state.ghost.broken.add(Law::ResetForgets);
            }
        }
    }

    /// Somebody edits the current slice by hand, past every rule, and under the same epoch.
    pub(crate) fn edit(&self, state: &mut State) -> Option<()> {
        let value: Attribute = self.scenario.edit.clone()?;
        state.left.edits -= 1;
        let slice = state.now_ms / (self.scenario.policy.trip.window_ms / 10);
        let mut attributes = state.table.item.attributes().clone();
        attributes.insert(format!("w{slice}"), value);
        // What is no count any more was accepted for nothing, unless its recorder is already on its way to open.
        let slice_ms = self.scenario.policy.trip.window_ms / 10;
        for failure in &mut state.ghost.accepted {
            failure.may_be_gone |= failure.at_ms / slice_ms == slice;
        }
        if state.on_their_way() > 0 {
            self.note(state, Event::Edited);
        }
        self.store(state, attributes.into(), false);
        Some(())
    }

    /// Long after everybody is gone, DynamoDB deletes the item: an execution lasts five minutes, an item seven days.
    pub(crate) fn expire(&self, state: &mut State) -> Option<()> {
        let expires_at_s = state.table.item.attributes().get(name::EXPIRES_AT)?.as_count()?;
        if state.table.item.has_override() {
            state.ghost.broken.add(Law::OverridesArePersons);
        }
        state.left.expiries -= 1;
        while state.now_ms < expires_at_s * 1000 {
            state.now_ms += (expires_at_s * 1000 - state.now_ms).next_multiple_of(self.scenario.tick_ms);
        }
        for execution in &mut state.executions {
            execution.stage = Stage::Idle;
        }
        state.ghost.lease = None;
        state.ghost.accepted.clear();
        state.ghost.successes = 0;
        state.ghost.openings_in_a_row = 0;
        self.note(state, Event::Expired);
        self.store(state, Item::default(), true);
        Some(())
    }

    /// What must hold of a state, whatever step led to it.
    pub(crate) fn look(&self, state: &mut State) {
        let out = |execution: &&Execution| matches!(&execution.stage, Stage::Probing(lease, _) if !lease.reset);
        if state.executions.iter().filter(out).count() > 1 {
            state.ghost.broken.add(Law::NoOverlap);
        }
    }
}

fn same(before: &Item, after: &Item, name: &str) -> bool {
    before.attributes().get(name) == after.attributes().get(name)
}

/// Whether a count changed nothing but what a count may: slices, `failingUntil`, `lastFailure`, and when the item expires.
fn only_counts_differ(before: &Item, after: &Item) -> bool {
    let may_differ =
        |name: &str| [name::FAILING_UNTIL, name::LAST_FAILURE, name::EXPIRES_AT].contains(&name) || is_slice(name);
    let names = before.attributes().keys().chain(after.attributes().keys());
    names
        .filter(|name| !may_differ(name))
        .all(|name| same(before, after, name))
}
