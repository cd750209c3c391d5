//! The model: which steps a state may take, and what each makes of it. Every decision and every write is production's:
//! what stands here is who comes when, and what gets lost.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use breaker::acquisition::{Acquired, Acquisition, Answer};
use breaker::clock::Timestamp;
use breaker::decision::{self, Failure, Forcing};
use breaker::item::{Item, Override, State as Stored, name};
use breaker::procedure::{Next, Procedure};
use breaker::recording::{Call, Recorded, Recording, Verdict};
use breaker::update::{Update, Written};
use stateright::{Model, Property};

use crate::action::{Action, Ends};
use crate::design::{About, Design, Kind};
use crate::law::{self, Law};
use crate::scenario::{Command, START_MS, Scenario, TICK_MS};
use crate::shared::Shared;
use crate::sight::Event;
use crate::state::{Execution, Ghost, Known, Lease, Name, Stage, State, Version, Work, Writing};
use crate::workflow::{self, Route};

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

    fn count(&self, kind: Kind, came: Came) {
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

    fn read(&self, state: &mut State, slot: usize, age: usize, now: Timestamp) -> Option<()> {
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
    fn call(&self, state: &mut State, slot: usize, known: Known, now: Timestamp) {
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
    fn acquire(
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

    fn acquired(&self, state: &mut State, slot: usize, acquired: &Acquired, known: Known, id: u8, now: Timestamp) {
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

    fn start_probe(&self, state: &mut State, slot: usize, now: Timestamp) {
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

    fn end_call(&self, state: &mut State, slot: usize, ends: Ends, now: Timestamp) {
        match state.executions[slot].stage.clone() {
            Stage::Calling(known) => self.record(state, slot, known, None, ends, now),
            Stage::Probing(lease, _) => self.record(state, slot, lease.known.clone(), Some(lease), ends, now),
            _ => {}
        }
    }

    fn record(&self, state: &mut State, slot: usize, known: Known, lease: Option<Lease>, ends: Ends, now: Timestamp) {
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
    fn follow(
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

    fn write(&self, state: &mut State, slot: usize, heard: bool, now: Timestamp) -> Option<()> {
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

    fn resume(&self, state: &mut State, slot: usize, writing: Writing, written: Written, now: Timestamp) {
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

    fn command(&self, state: &mut State, command: Command) -> Option<()> {
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

    fn die(&self, state: &mut State, slot: usize) {
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

    fn calm(&self, state: &mut State) -> Option<()> {
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
        state.left = crate::scenario::Budget {
            executions,
            ticks,
            ..Default::default()
        };
        Some(())
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

/// An item without an epoch is of one epoch, 0, however often it comes: a deletion brings it back, seven days later.
const NO_EPOCH: u8 = 0;

fn condition_bit(kind: Kind, about: About) -> u32 {
    1 << (kind as u8 * 2 + about as u8)
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
        breaker::update::Assignment::Add(name, _) => Some(name),
        _ => None,
    });
    slice
        .and_then(|name| known.version.item.attributes().get(name))
        .is_some_and(|found| found.as_count().is_none())
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
        let next_ms = state.now_ms + TICK_MS;
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
                state.now_ms += TICK_MS;
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
