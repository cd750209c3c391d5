//! What comes from outside: a person's writes, deaths, and the end of the storm.

use breaker::clock::Timestamp;
use breaker::decision::{self, Forcing};
use breaker::item::{Item, Override, State as Stored, name};
use breaker::update::Written;

use crate::design::Kind;
use crate::law::Law;
use crate::scenario::{Budget, Command};
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Stage, State, Work, Writing};
use crate::system::{Came, System};

impl System {
    pub(crate) fn command(&self, state: &mut State, command: Command) -> Option<()> {
        let shown = state.shown.take()?;
        let now = state.now();
        let (kind, update) = match command {
            Command::Force(forced, lasts_ms) => {
                let forcing = Forcing {
                    kind: forced,
                    until: lasts_ms.map(|ms| now.plus_ms(ms)),
                    by: "somebody".to_owned(),
                    reason: None,
                };
                (Kind::Force, decision::force(&shown.item, &forcing, now))
            }
            Command::Lift if shown.item.has_override() => (Kind::Lift, decision::lift(&shown.item, now)),
            Command::Lift => return None,
            Command::Reset => (
                Kind::Reset,
                decision::reset(&self.scenario.policy.trip, &shown.item, now),
            ),
        };
        state.left.commands -= 1;
        let update = self.outgoing(kind, &shown.item, update);
        match update.apply(state.table.item.attributes()).ok()? {
            Written::Refused(_) => {
                self.count(kind, Came::Refused);
                self.note(state, Event::PersonRefused);
            }
            Written::Applied(after) => {
                self.count(kind, Came::Applied);
                match command {
                    Command::Force(Override::Open, _) if state.on_their_way() > 0 => {
                        self.note(state, Event::ForcedOpen)
                    }
                    Command::Force(Override::Closed, _) if state.table.item.state() == Stored::Open => {
                        self.note(state, Event::ForcedClosed);
                    }
                    Command::Lift => self.note(state, Event::Lifted),
                    _ => {}
                }
                let writing = Writing {
                    work: Work::Bare,
                    kind,
                    update: Shared::new(update),
                    on: shown,
                    at: now,
                    repeated: false,
                };
                self.commit(state, &writing, after.into());
                if !does_what_it_says(command, &state.table.item, now) {
                    state.ghost.broken.add(Law::ShownToThatPerson);
                }
            }
        }
        Some(())
    }

    pub(crate) fn die(&self, state: &mut State, slot: usize) {
        state.left.deaths -= 1;
        let stage = std::mem::replace(&mut state.executions[slot].stage, Stage::Idle);
        let is_holder = stage.lease().is_some();
        self.note(
            state,
            if is_holder {
                Event::HolderDied
            } else {
                Event::RecorderDied
            },
        );
    }

    pub(crate) fn calm(&self, state: &mut State) -> Option<()> {
        let (executions, ticks) = self.scenario.calm?;
        if state.table.item.has_override() {
            let update = decision::lift(&state.table.item, state.now());
            if let Ok(Written::Applied(after)) = update.apply(state.table.item.attributes()) {
                self.store(state, after.into(), true);
            }
        }
        state.calm = true;
        state.shown = None;
        state.earlier.clear();
        state.left = Budget {
            executions,
            ticks,
            ..Default::default()
        };
        Some(())
    }
}

fn does_what_it_says(command: Command, after: &Item, now: Timestamp) -> bool {
    let end = after
        .attributes()
        .get(name::OVERRIDE_UNTIL)
        .and_then(|end| Timestamp::parse(end.as_str()?));
    match command {
        Command::Force(kind, lasts_ms) => {
            after.forced(now) == Some(kind) && end == lasts_ms.map(|lasts_ms| now.plus_ms(lasts_ms))
        }
        Command::Lift => {
            let expires = after.attributes().contains_key(name::EXPIRES_AT);
            !after.has_override() && end.is_none() && expires
        }
        Command::Reset => after.state() == Stored::Closed,
    }
}
