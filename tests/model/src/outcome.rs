//! What came of a call, and its recording up to each write.

use breaker::clock::Timestamp;
use breaker::procedure::{Next, Procedure};
use breaker::recording::{Call, Recorded, Recording};

use crate::action::Ends;
use crate::design::Kind;
use crate::law::Law;
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Known, Lease, Stage, State, Version, Work, Writing};
use crate::system::System;
use crate::workflow;

impl System {
    pub(crate) fn end_call(&self, state: &mut State, slot: usize, ends: Ends, now: Timestamp) {
        match state.executions[slot].stage.clone() {
            Stage::Calling(known) => self.record(state, slot, known, None, ends, now),
            Stage::Probing(lease, _) => self.record(state, slot, lease.known.clone(), Some(lease), ends, now),
            _ => {}
        }
    }

    pub(crate) fn record(
        &self,
        state: &mut State,
        slot: usize,
        known: Known,
        lease: Option<Lease>,
        ends: Ends,
        now: Timestamp,
    ) {
        let verdict = Self::verdict(ends);
        state.executions[slot].stage = Stage::Idle;
        if !workflow::must_be_recorded(lease.is_some(), &verdict) {
            if let (Some(success), Ends::Success) = (self.design.success, ends) {
                let update = success(&self.scenario.policy, &known.version.item, now);
                state.executions[slot].stage = Stage::Writing(Writing {
                    work: Work::Bare,
                    kind: Kind::Success,
                    update: Shared::new(update),
                    on: known.version,
                    at: now,
                    repeated: false,
                });
            }
            return;
        }
        let token = lease.as_ref().map(|lease| self.design.token(lease.id));
        let call = Call {
            known: self.see_recording((*known.version.item).clone(), token.as_deref()),
            token,
            went_out: known.went_out,
            verdict,
        };
        let mut recording = Recording::new(self.scenario.policy.clone(), call);
        let next = recording.begin(now);
        let on = known.version.clone();
        self.follow(state, slot, recording, next, (known, lease), on, now);
    }

    #[allow(clippy::too_many_arguments, reason = "what one step of a recording is about")]
    pub(crate) fn follow(
        &self,
        state: &mut State,
        slot: usize,
        recording: Recording,
        next: Next<Recorded>,
        (known, lease): (Known, Option<Lease>),
        on: Version,
        at: Timestamp,
    ) {
        match next {
            Next::Write(update) => {
                let kind = Kind::of_recording(&update, lease.is_some());
                let update = self.outgoing(kind, &on.item, update);
                state.executions[slot].stage = Stage::Writing(Writing {
                    work: Work::Recording(Shared::new(recording), known, lease),
                    kind,
                    update: Shared::new(update),
                    on,
                    at,
                    repeated: false,
                });
            }
            Next::Done(recorded) => {
                state.executions[slot].stage = Stage::Idle;
                if recorded == Recorded::Late {
                    let event = if lease.is_some() {
                        Event::LateProbe
                    } else {
                        Event::LateFailure
                    };
                    self.note(state, event);
                }
                if let Some(transition) = recorded.transition() {
                    let its_own = transition.epoch == state.table.item.epoch();
                    if !its_own || transition.epoch <= state.ghost.announced {
                        state.ghost.broken.add(Law::OneAnnouncement);
                    }
                    state.ghost.announced = transition.epoch;
                }
            }
        }
    }
}
