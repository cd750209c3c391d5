//! What one execution at a time, undisturbed, makes of any state: that a closed circuit still opens, and an open one
//! still closes.

use breaker::acquisition::{Acquisition, Answer};
use breaker::clock::Timestamp;
use breaker::decision;
use breaker::item::{Item, State as Stored};
use breaker::procedure::{Next, Procedure};
use breaker::recording::{Call, Recording};
use breaker::update::{Update, Written};

use crate::action::Ends;
use crate::design::Kind;
use crate::state::State;
use crate::system::System;

impl System {
    /// 7: as soon as the gate opens, healthy probes close it. The gate is at most one wait, or one lease, away: so a dead
    /// holder delays it by its lease at most.
    pub(crate) fn recovers(&self, state: &State) -> bool {
        let now = Timestamp::from_ms(state.now_ms + self.most_ahead_ms());
        let key = (state.table.item.hash(), state.now_ms);
        remembered(&self.recovered, key, || {
            let mut item = self.lifted(&state.table.item, now);
            if item.state() == Stored::Closed {
                return true;
            }
            let policy = &self.scenario.policy;
            let due = item.open_until().unwrap_or(now).max(now);
            let latest = now.plus_ms(policy.open.for_ms.max(policy.probe.lease_ms));
            if due > latest {
                return false;
            }
            for probe in 0..policy.probe.successes_to_close {
                if item.state() == Stored::Closed {
                    break;
                }
                let token = self
                    .design
                    .token
                    .map_or_else(|| format!("alone-{probe}"), str::to_owned);
                let seen = self.see_acquiring(item.clone());
                let acquisition = Acquisition::new(policy.clone(), seen, token.clone());
                let acquired = self.drive(acquisition, &mut item, due, |_| Kind::Grant);
                if acquired.is_none_or(|acquired| acquired.answer != Answer::Granted) {
                    return false;
                }
                self.record_alone(&mut item, Some(token), Ends::Success, due);
            }
            item.state() == Stored::Closed
        })
    }

    /// 5: N fresh failures always open a closed circuit, whatever the item looks like.
    pub(crate) fn is_alive(&self, state: &State) -> bool {
        let now = Timestamp::from_ms(state.now_ms + self.most_ahead_ms());
        let key = (state.table.item.hash(), state.now_ms);
        remembered(&self.alive, key, || {
            let mut item = self.lifted(&state.table.item, now);
            if item.state() == Stored::Open {
                return true;
            }
            for _ in 0..self.scenario.policy.trip.failures {
                self.record_alone(&mut item, None, Ends::Failure, now);
            }
            item.state() == Stored::Open
        })
    }

    fn lifted(&self, item: &Item, now: Timestamp) -> Item {
        if !item.has_override() {
            return item.clone();
        }
        match decision::lift(item, now).apply(item.attributes()) {
            Ok(Written::Applied(after) | Written::Refused(after)) => after.into(),
            Err(_) => item.clone(),
        }
    }

    fn record_alone(&self, item: &mut Item, token: Option<String>, ends: Ends, now: Timestamp) {
        let is_probe = token.is_some();
        let call = Call {
            known: self.see_recording(item.clone(), token.as_deref()),
            token,
            went_out: now,
            verdict: Self::verdict(ends),
        };
        let recording = Recording::new(self.scenario.policy.clone(), call);
        self.drive(recording, item, now, |update| Kind::of_recording(update, is_probe));
    }

    fn drive<P: Procedure>(
        &self,
        mut procedure: P,
        item: &mut Item,
        now: Timestamp,
        kind: impl Fn(&Update) -> Kind,
    ) -> Option<P::Answer> {
        let mut next = procedure.begin(now);
        loop {
            match next {
                Next::Done(answer) => return Some(answer),
                Next::Write(update) => {
                    let update = self.design.alter(kind(&update), item, update);
                    let written = update.apply(item.attributes()).ok()?;
                    if let Written::Applied(after) = &written {
                        *item = after.clone().into();
                    }
                    next = procedure.resume(written, now);
                }
            }
        }
    }
}

type Memory = std::sync::Mutex<std::collections::HashMap<(u64, u64), bool>>;

fn remembered(memory: &Memory, key: (u64, u64), find: impl FnOnce() -> bool) -> bool {
    let known = memory.lock().ok().and_then(|memory| memory.get(&key).copied());
    known.unwrap_or_else(|| {
        let found = find();
        if let Ok(mut memory) = memory.lock() {
            memory.insert(key, found);
        }
        found
    })
}
