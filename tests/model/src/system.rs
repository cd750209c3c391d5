//! The model: which steps a state may take, and what each makes of it. Every decision and every write is production's:
//! what stands here is who comes when, and what gets lost.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use breaker::clock::Timestamp;
use breaker::decision::Failure;
use breaker::item::{Item, name};
use breaker::recording::Verdict;
use breaker::update::Update;
use stateright::{Model, Property};

use crate::action::{Action, Ends};
use crate::design::{About, Design, Kind};
use crate::law;
use crate::scenario::{START_MS, Scenario};
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Execution, Ghost, Name, Stage, State, Version};

/// What a write came to, for the tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Came {
    /// It was made, and its writer heard so.
    Applied,
    /// It was made, and its writer heard nothing.
    Unheard,
    /// It was refused.
    Refused,
}

/// A design in a scenario.
#[derive(Debug)]
pub struct System {
    /// The bounds.
    pub scenario: Scenario,
    /// Whose protocol.
    pub design: Design,
    /// Whether each state remembers all that happened on the way to it: for finding a trace of it.
    pub remembers: bool,
    seen: AtomicU32,
    told: AtomicU64,
    tally: [[AtomicU64; 3]; 12],
    conditions: AtomicU32,
    pub(crate) recovered: Mutex<HashMap<(u64, u64), bool>>,
    pub(crate) alive: Mutex<HashMap<(u64, u64), bool>>,
}

impl System {
    /// A design in a scenario.
    pub fn new(scenario: Scenario, design: Design) -> Self {
        Self {
            scenario,
            design,
            remembers: false,
            seen: AtomicU32::new(0),
            told: AtomicU64::new(0),
            tally: Default::default(),
            conditions: AtomicU32::new(0),
            recovered: Mutex::default(),
            alive: Mutex::default(),
        }
    }

    /// Whether an event came before this state, or anywhere so far where states don't remember it.
    pub fn saw(&self, state: &State, event: Event) -> bool {
        state.ghost.happened.has(event) || self.seen.load(Ordering::Relaxed) & event.bit() != 0
    }

    /// Whether this is the first time that something is told: the checker keeps the last way to a discovery, and copies it
    /// each time, so that it is told of the first one only, which is a shortest.
    pub(crate) fn is_first(&self, bit: u32) -> bool {
        self.told.fetch_or(1 << bit, Ordering::Relaxed) & 1 << bit == 0
    }

    /// How many writes of a kind came to what, over all steps that were explored.
    pub fn tally(&self, kind: Kind, came: Came) -> u64 {
        self.tally[kind as usize][came as usize].load(Ordering::Relaxed)
    }

    /// Which conditions writes had: of which kind, about what.
    pub fn conditions(&self) -> Vec<(Kind, About)> {
        let seen = self.conditions.load(Ordering::Relaxed);
        let all = Kind::OURS
            .into_iter()
            .flat_map(|kind| [(kind, About::Epoch), (kind, About::Slice)]);
        all.filter(|(kind, about)| seen & condition_bit(*kind, *about) != 0)
            .collect()
    }

    pub(crate) fn note(&self, state: &mut State, event: Event) {
        if self.remembers {
            state.ghost.happened.add(event);
            return;
        }
        self.seen.fetch_or(event.bit(), Ordering::Relaxed);
        if event.is_kept() {
            state.ghost.happened.add(event);
        }
    }

    pub(crate) fn most_ahead_ms(&self) -> u64 {
        self.scenario.clocks_ms.iter().copied().max().unwrap_or(0)
    }

    pub(crate) fn count(&self, kind: Kind, came: Came) {
        self.tally[kind as usize][came as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// A write as it goes out: as decided, or as the design alters it.
    pub(crate) fn outgoing(&self, kind: Kind, on: &Item, update: Update) -> Update {
        for condition in &update.conditions {
            self.conditions
                .fetch_or(condition_bit(kind, About::of(condition.attribute())), Ordering::Relaxed);
        }
        self.design.alter(kind, on, update)
    }

    pub(crate) fn see_acquiring(&self, item: Item) -> Item {
        self.design
            .shown_to_acquisition
            .map_or_else(|| item.clone(), |see| see(item.clone()))
    }

    pub(crate) fn see_recording(&self, item: Item, token: Option<&str>) -> Item {
        match self.design.shown_to_recording {
            Some(see) => see(item, token),
            None => item,
        }
    }

    pub(crate) fn verdict(ends: Ends) -> Verdict {
        match ends {
            Ends::Success => Verdict::Success,
            Ends::Undecided => Verdict::Undecided,
            Ends::Failure => Verdict::Failure(Failure {
                kind: "timeout".to_owned(),
                message: String::new(),
            }),
        }
    }
}

/// An item without an epoch is of one epoch, 0, however often it comes: a deletion brings it back, seven days later.
pub(crate) const NO_EPOCH: u8 = 0;

fn condition_bit(kind: Kind, about: About) -> u32 {
    1 << (kind as u8 * 2 + about as u8)
}

impl Model for System {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let names = ('A'..).take(self.scenario.callers);
        let item = Item::from(self.scenario.item.clone());
        let has_epoch = item.attributes().contains_key(name::EPOCH);
        vec![State {
            now_ms: START_MS,
            ghost: Ghost {
                epoch: item.epoch(),
                generations: u8::from(has_epoch),
                openings_in_a_row: u8::try_from(item.openings()).unwrap_or(u8::MAX),
                ..Ghost::default()
            },
            table: Version {
                item: Shared::new(item),
                generation: if has_epoch { 1 } else { NO_EPOCH },
            },
            earlier: Vec::new(),
            executions: names
                .map(|name| Execution {
                    name: Name(name),
                    stage: Stage::Idle,
                })
                .collect(),
            shown: None,
            left: self.scenario.budget,
            calm: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if !state.ghost.broken.is_empty() {
            return;
        }
        let scenario = &self.scenario;
        let clocks = scenario.clocks_ms;
        let next_ms = state.now_ms + scenario.tick_ms;
        let is_over = |execution: &Execution| matches!(execution.stage, Stage::Probing(_, end_ms) if end_ms < next_ms);
        if state.left.ticks > 0 && !state.executions.iter().any(is_over) {
            actions.push(Action::Tick);
        }
        for (slot, execution) in state.executions.iter().enumerate() {
            if slot > 0 && state.executions[slot - 1] == *execution {
                continue;
            }
            let by_each_clock = clocks.iter().copied();
            match &execution.stage {
                Stage::Idle if state.left.executions > 0 => {
                    let stale = if state.left.stale_reads > 0 {
                        state.earlier.len()
                    } else {
                        0
                    };
                    for age in 0..=stale {
                        actions.extend(
                            by_each_clock
                                .clone()
                                .map(|ahead_ms| Action::Read { slot, age, ahead_ms }),
                        );
                    }
                }
                Stage::Idle => {}
                Stage::Calling(_) => {
                    let may_succeed = state.calm || scenario.healthy_calls || self.design.success.is_some();
                    if may_succeed {
                        let ends = Ends::Success;
                        actions.push(Action::CallEnds {
                            slot,
                            ends,
                            ahead_ms: 0,
                        });
                    }
                    if !state.calm {
                        let ends = Ends::Failure;
                        actions.extend(by_each_clock.map(|ahead_ms| Action::CallEnds { slot, ends, ahead_ms }));
                    }
                }
                Stage::Leased(_) => {
                    actions.extend(by_each_clock.map(|ahead_ms| Action::ProbeStarts { slot, ahead_ms }));
                }
                Stage::Probing(..) => {
                    let mut all = vec![Ends::Success];
                    if !state.calm {
                        all.push(Ends::Failure);
                        all.extend(scenario.undecided.then_some(Ends::Undecided));
                    }
                    for ends in all {
                        actions.extend(
                            by_each_clock
                                .clone()
                                .map(|ahead_ms| Action::CallEnds { slot, ends, ahead_ms }),
                        );
                    }
                }
                Stage::Writing(_) => {
                    let heard = true;
                    actions.extend(by_each_clock.map(|ahead_ms| Action::Write { slot, heard, ahead_ms }));
                    if state.left.losses > 0 {
                        let heard = false;
                        actions.push(Action::Write {
                            slot,
                            heard,
                            ahead_ms: 0,
                        });
                    }
                }
            }
            let opens = matches!(&execution.stage, Stage::Writing(writing) if writing.kind == Kind::Open);
            if state.left.deaths > 0 && (opens || execution.stage.lease().is_some()) {
                actions.push(Action::Die { slot });
            }
        }
        if state.left.commands > 0 {
            match &state.shown {
                None => actions.push(Action::Show),
                Some(_) => actions.extend(scenario.commands.iter().copied().map(Action::Command)),
            }
        }
        if state.left.edits > 0 {
            actions.push(Action::Edit);
        }
        if state.left.expiries > 0 {
            actions.push(Action::Expire);
        }
        if scenario.calm.is_some() && !state.calm {
            actions.push(Action::Calm);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let clock = |ahead_ms: u64| Timestamp::from_ms(last.now_ms + ahead_ms);
        match action {
            Action::Tick => {
                state.now_ms += self.scenario.tick_ms;
                state.left.ticks -= 1;
            }
            Action::Read { slot, age, ahead_ms } => self.read(&mut state, slot, age, clock(ahead_ms))?,
            Action::ProbeStarts { slot, ahead_ms } => self.start_probe(&mut state, slot, clock(ahead_ms)),
            Action::CallEnds { slot, ends, ahead_ms } => self.end_call(&mut state, slot, ends, clock(ahead_ms)),
            Action::Write { slot, heard, ahead_ms } => self.write(&mut state, slot, heard, clock(ahead_ms))?,
            Action::Die { slot } => self.die(&mut state, slot),
            Action::Show => state.shown = Some(state.table.clone()),
            Action::Command(command) => self.command(&mut state, command)?,
            Action::Edit => self.edit(&mut state)?,
            Action::Expire => self.expire(&mut state)?,
            Action::Calm => self.calm(&mut state)?,
        }
        if state.left.commands == 0 {
            state.shown = None;
        }
        if state.left.executions == 0 {
            // Nobody reads any more.
            state.earlier.clear();
        }
        self.look(&mut state);
        state.sort();
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let sights = self.scenario.sights.iter().map(|sight| sight.property());
        law::properties().into_iter().chain(sights).collect()
    }
}
