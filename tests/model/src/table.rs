//! The table: it gets one write at a time, and the writer goes on with what it hears, if it does.

use breaker::acquisition::Answer;
use breaker::clock::Timestamp;
use breaker::item::{Item, State as Stored, name};
use breaker::procedure::{Next, Procedure};
use breaker::recording::{Call, Recording};
use breaker::update::{Assignment, Update, Written};

use crate::action::Ends;
use crate::design::Kind;
use crate::law::{self, Law};
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Known, Stage, State, Version, Work, Writing};
use crate::system::{Came, NO_EPOCH, System};

impl System {
    pub(crate) fn write(&self, state: &mut State, slot: usize, heard: bool, now: Timestamp) -> Option<()> {
        let Stage::Writing(writing) = state.executions[slot].stage.clone() else {
            return None;
        };
        let kind = writing.kind;
        let Ok(written) = writing.update.apply(state.table.item.attributes()) else {
            // The table rejects it whatever its conditions say, and with that the procedure ends.
            state.executions[slot].stage = Stage::Idle;
            return heard.then_some(());
        };
        match &written {
            Written::Applied(after) => {
                self.count(kind, if heard { Came::Applied } else { Came::Unheard });
                self.commit(state, &writing, after.clone().into());
            }
            Written::Refused(_) if heard => {
                self.count(kind, Came::Refused);
                if kind == Kind::ProbeCloses && state.table.item.probe_token().is_some() {
                    self.note(state, Event::LateSuccess);
                }
                if kind == Kind::Open && state.table.item.state() == Stored::Closed {
                    self.note(state, Event::OpenOvertaken);
                }
            }
            // Not to hear of a refusal is not to know more than somebody who is slow.
            Written::Refused(_) => return None,
        }
        if heard {
            self.resume(state, slot, writing, written, now);
            return Some(());
        }
        state.left.losses -= 1;
        if writing.update.repeatable && !writing.repeated {
            state.executions[slot].stage = Stage::Writing(Writing {
                repeated: true,
                ..writing
            });
        } else {
            self.note(state, Event::AnswerLost);
            state.executions[slot].stage = Stage::Idle;
        }
        Some(())
    }

    pub(crate) fn resume(&self, state: &mut State, slot: usize, writing: Writing, written: Written, now: Timestamp) {
        let on = state.table.clone();
        let refused = matches!(written, Written::Refused(_));
        match writing.work {
            Work::Bare => state.executions[slot].stage = Stage::Idle,
            Work::Acquiring(acquisition, id, went_out) => {
                let mut acquisition = (*acquisition).clone();
                let written = seen_by(written, |item| self.see_acquiring(item));
                let next = acquisition.resume(written, now);
                let recognised = matches!(&next, Next::Done(acquired) if acquired.answer == Answer::Granted);
                if writing.repeated && refused && recognised {
                    self.note(state, Event::GrantRecognised);
                }
                self.acquire(state, slot, acquisition, next, (id, went_out), on, now);
            }
            Work::Recording(recording, known, lease) => {
                let mut recording = (*recording).clone();
                let token = lease.as_ref().map(|lease| self.design.token(lease.id));
                let written = seen_by(written, |item| self.see_recording(item, token.as_deref()));
                let is_count = writing.kind.is_count();
                // A failure is stamped once, whenever it is written.
                let at = if is_count && refused { writing.at } else { now };
                let next = match written {
                    Written::Refused(item) if self.design.recounts && is_count => {
                        let call = Call {
                            known: item.into(),
                            token: None,
                            went_out: known.went_out,
                            verdict: Self::verdict(Ends::Failure),
                        };
                        recording = Recording::new(self.scenario.policy.clone(), call);
                        recording.begin(at)
                    }
                    written => recording.resume(written, now),
                };
                if is_count && !refused {
                    let trip = &self.scenario.policy.trip;
                    let opens = matches!(&next, Next::Write(update) if Kind::of_recording(update, false) == Kind::Open);
                    let owes = law::must_open(&state.ghost.accepted, trip);
                    if owes && !opens {
                        state.ghost.broken.add(Law::Opens);
                    }
                    if writing.kind == Kind::CountAdds && refused_before_as_replacement(&writing.update, &known) {
                        self.note(state, Event::AddedAfterReplace);
                    }
                }
                self.follow(state, slot, recording, next, (known, lease), on, at);
            }
        }
    }

    /// Puts a version in the table.
    pub(crate) fn store(&self, state: &mut State, item: Item, begins_generation: bool) {
        let has_epoch = item.attributes().contains_key(name::EPOCH);
        let table = Version {
            item: Shared::new(item),
            generation: match (begins_generation, has_epoch) {
                (false, _) => state.table.generation,
                (true, false) => NO_EPOCH,
                (true, true) => {
                    state.ghost.generations += 1;
                    state.ghost.generations
                }
            },
        };
        let before = std::mem::replace(&mut state.table, table);
        if state.left.stale_reads > 0 {
            state.earlier.insert(0, before);
            state.earlier.truncate(self.scenario.stale_depth);
        }
    }
}

fn seen_by(written: Written, see: impl Fn(Item) -> Item) -> Written {
    match written {
        Written::Applied(item) => Written::Applied(see(item.into()).into_attributes()),
        Written::Refused(item) => Written::Refused(see(item.into()).into_attributes()),
    }
}

/// Whether a count that adds was first one that replaces: the slice that its execution knew can't be added to.
fn refused_before_as_replacement(update: &Update, known: &Known) -> bool {
    let slice = update.assignments.iter().find_map(|assignment| match assignment {
        Assignment::Add(name, _) => Some(name),
        _ => None,
    });
    slice
        .and_then(|name| known.version.item.attributes().get(name))
        .is_some_and(|found| found.as_count().is_none())
}
