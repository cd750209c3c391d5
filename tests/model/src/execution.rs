//! An execution up to its call: it reads, branches, asks for the lease and starts the probe.

use breaker::acquisition::{Acquired, Acquisition, Answer};
use breaker::clock::Timestamp;
use breaker::item::{Item, Override, State as Stored};
use breaker::procedure::{Next, Procedure};

use crate::action::Ends;
use crate::design::Kind;
use crate::law::Law;
use crate::scenario::Scenario;
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Known, Lease, Stage, State, Version, Work, Writing};
use crate::system::System;
use crate::workflow::{self, Route};

impl System {
    pub(crate) fn read(&self, state: &mut State, slot: usize, age: usize, now: Timestamp) -> Option<()> {
        let version = match age {
            0 => state.table.clone(),
            _ => state.earlier.get(age - 1)?.clone(),
        };
        let route = match self.design.shown_to_workflow {
            Some(see) => workflow::after_read(&see((*version.item).clone()), now),
            None => workflow::after_read(&version.item, now),
        };
        if route == Route::FallBack {
            // It changes nothing, and nobody notices.
            return None;
        }
        state.left.executions -= 1;
        if age > 0 {
            state.left.stale_reads -= 1;
            if state.left.stale_reads == 0 {
                state.earlier.clear();
            }
        }
        let is_open = |item: &Item| item.state() == Stored::Open;
        match route {
            Route::FallBack => {}
            Route::Call => {
                if age > 0 && is_open(&state.table.item) && !is_open(&version.item) {
                    self.note(state, Event::StaleCall);
                }
                self.call(state, slot, Known { version, went_out: now }, now);
            }
            Route::Acquire => {
                if age > 0 && version != state.table {
                    self.note(state, Event::StaleAcquire);
                }
                state.ghost.tokens += 1;
                let id = state.ghost.tokens;
                let seen = self.see_acquiring((*version.item).clone());
                let mut acquisition = Acquisition::new(self.scenario.policy.clone(), seen, self.design.token(id));
                let next = acquisition.begin(now);
                self.acquire(state, slot, acquisition, next, (id, now), version, now);
            }
        }
        Some(())
    }

    /// A usual call goes out. The partner is reached, so this is where the gate and the overrides must have held.
    pub(crate) fn call(&self, state: &mut State, slot: usize, known: Known, now: Timestamp) {
        let item = &known.version.item;
        let forced = item.forced(now);
        if forced == Some(Override::Open) {
            state.ghost.broken.add(Law::ForcedOpenNeverCalls);
        }
        if item.state() == Stored::Open {
            match forced {
                Some(Override::DryRun) => self.note(state, Event::DryRunCall),
                Some(Override::Closed) => {}
                _ => state.ghost.broken.add(Law::Gate),
            }
        }
        state.executions[slot].stage = Stage::Calling(known);
    }

    #[allow(clippy::too_many_arguments, reason = "what one step of an acquisition is about")]
    pub(crate) fn acquire(
        &self,
        state: &mut State,
        slot: usize,
        acquisition: Acquisition,
        next: Next<Acquired>,
        (id, went_out): (u8, Timestamp),
        on: Version,
        now: Timestamp,
    ) {
        match next {
            Next::Write(update) => {
                let update = self.outgoing(Kind::Grant, &on.item, update);
                state.executions[slot].stage = Stage::Writing(Writing {
                    work: Work::Acquiring(Shared::new(acquisition), id, went_out),
                    kind: Kind::Grant,
                    update: Shared::new(update),
                    on,
                    at: now,
                    repeated: false,
                });
            }
            Next::Done(acquired) => self.acquired(state, slot, &acquired, Known { version: on, went_out }, id, now),
        }
    }

    pub(crate) fn acquired(
        &self,
        state: &mut State,
        slot: usize,
        acquired: &Acquired,
        known: Known,
        id: u8,
        now: Timestamp,
    ) {
        match acquired.answer {
            Answer::Closed => self.note(state, Event::ClosedAtLease),
            Answer::ForcedOpen => self.note(state, Event::ForcedAtLease),
            _ => {}
        }
        if !workflow::calls_after(acquired.answer) {
            state.executions[slot].stage = Stage::Idle;
            return;
        }
        if acquired.answer != Answer::Granted {
            self.call(state, slot, known, now);
            return;
        }
        let lease = Lease {
            id,
            until: acquired.item.open_until().unwrap_or(now),
            known,
            reset: false,
        };
        if state.ghost.lease.is_none_or(|(holder, _)| holder != id) {
            state.ghost.broken.add(Law::OneLease);
        }
        let generation = lease.known.version.generation;
        let others = state.executions.iter().enumerate().filter(|(other, _)| *other != slot);
        let mut leases = others.filter_map(|(_, execution)| execution.stage.lease());
        if leases.any(|other| other.known.version.generation == generation) {
            state.ghost.broken.add(Law::OneCallPerLease);
        }
        state.executions[slot].stage = Stage::Leased(lease);
    }

    pub(crate) fn start_probe(&self, state: &mut State, slot: usize, now: Timestamp) {
        let Stage::Leased(lease) = state.executions[slot].stage.clone() else {
            return;
        };
        let Scenario {
            timeout_ms, spare_ms, ..
        } = self.scenario;
        if self.design.starts_late || workflow::may_start(now, timeout_ms, spare_ms, lease.until) {
            state.executions[slot].stage = Stage::Probing(lease, state.now_ms + timeout_ms);
        } else {
            self.note(state, Event::TooLate);
            self.record(state, slot, lease.known.clone(), Some(lease), Ends::Undecided, now);
        }
    }
}
