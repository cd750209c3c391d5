//! A trace as a story: who tells whom what, in the order of time. What is drawn is made of this.

use breaker::item::{Item, State as Stored};
use breaker::update::Written;
use breaker::window;
use stateright::Model;

use crate::action::{Action, Ends};
use crate::design::Kind;
use crate::explore::Trace;
use crate::refuted::is_slice;
use crate::scenario::{Command, START_MS};
use crate::state::{Stage, State, Writing};
use crate::system::System;

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// The partner.
    Partner,
    /// A caller: one execution after the other.
    Caller(char),
    /// A person.
    Person,
    /// The table.
    Table,
}

/// How a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It arrives and brings bad news.
    Bad,
    /// It is refused.
    Refused,
    /// It arrives, but nobody hears the answer.
    Unheard,
}

/// What the table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Closed.
    Closed,
    /// Open.
    Open,
    /// Open, and a probe is out.
    Probing,
}

/// One row of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beat {
    /// One tells another.
    Message {
        /// From whom.
        from: Lane,
        /// To whom.
        to: Lane,
        /// What.
        text: String,
        /// With what end.
        fate: Fate,
    },
    /// Something happens to one alone.
    Note {
        /// To whom.
        lane: Lane,
        /// What.
        text: String,
        /// Whether it is the end of it.
        is_end: bool,
    },
    /// Time goes on.
    Later(String),
}

/// A story: its rows, each with what the table shows afterwards.
pub type Story = Vec<(Beat, Shows)>;

/// Tells a trace.
pub fn tell(trace: &Trace) -> Story {
    let mut story = Story::new();
    for pair in trace.windows(2) {
        let ((before, Some(action)), (after, _)) = (&pair[0], &pair[1]) else {
            continue;
        };
        let shows = shows(&after.table.item);
        story.extend(beats(before, *action, after).into_iter().map(|beat| (beat, shows)));
    }
    story
}

/// Takes the steps of a trace again in another system: each by the same caller, and those left out that there is nothing
/// for.
pub fn again(trace: &Trace, system: &System) -> Trace {
    let mut state = system.init_states().remove(0);
    let mut taken = Trace::new();
    for (before, action) in trace {
        let Some(action) = action.and_then(|action| of_the_same_caller(before, action, &state)) else {
            continue;
        };
        // A step that there is nothing for changes nothing.
        if let Some(next) = system.next_state(&state, action).filter(|next| *next != state) {
            taken.push((std::mem::replace(&mut state, next), Some(action)));
        }
    }
    taken.push((state, None));
    taken
}

/// The same steps, but that the call of whoever writes last ends only just before: its answer is as late as can be.
pub fn answered_last(trace: &Trace) -> Trace {
    let mut steps = trace.clone();
    let name = |(state, action): &(State, Option<Action>)| match action {
        Some(Action::Write { slot, .. } | Action::CallEnds { slot, .. }) => Some(state.executions[*slot].name.0),
        _ => None,
    };
    let write = steps
        .iter()
        .rposition(|step| matches!(step.1, Some(Action::Write { .. })));
    let writer = write.and_then(|at| name(&steps[at]));
    let is_its_end =
        |step: &(State, Option<Action>)| matches!(step.1, Some(Action::CallEnds { .. })) && name(step) == writer;
    if let (Some(write), Some(end)) = (write, steps.iter().rposition(is_its_end)) {
        steps[end..write].rotate_left(1);
    }
    steps
}

fn of_the_same_caller(before: &State, mut action: Action, state: &State) -> Option<Action> {
    if let Action::Read { slot, .. }
    | Action::ProbeStarts { slot, .. }
    | Action::CallEnds { slot, .. }
    | Action::Write { slot, .. }
    | Action::Die { slot } = &mut action
    {
        let name = before.executions[*slot].name.0;
        *slot = state.executions.iter().position(|execution| execution.name.0 == name)?;
    }
    Some(action)
}

fn shows(item: &Item) -> Shows {
    match (item.state(), item.probe_token()) {
        (Stored::Closed, _) => Shows::Closed,
        (Stored::Open, Some(_)) => Shows::Probing,
        (Stored::Open, None) => Shows::Open,
    }
}

fn beats(before: &State, action: Action, after: &State) -> Vec<Beat> {
    let caller = |slot: usize| Lane::Caller(before.executions[slot].name.0);
    let of_table = |lane: Lane, text: String| Beat::Message {
        from: Lane::Table,
        to: lane,
        text,
        fate: Fate::Arrives,
    };
    let note = |lane: Lane, text: &str| Beat::Note {
        lane,
        text: text.to_owned(),
        is_end: true,
    };
    match action {
        Action::Tick => vec![Beat::Later(format!(
            "{} s later",
            (after.now_ms - before.now_ms) / 1000
        ))],
        Action::Read { slot, age, .. } => {
            let version = if age == 0 {
                &before.table
            } else {
                &before.earlier[age - 1]
            };
            let stale = if age == 0 { "" } else { " (stale)" };
            let read = of_table(
                caller(slot),
                format!("reads: {}{stale}", describe(&version.item, before.now_ms)),
            );
            let stage = &after
                .executions
                .iter()
                .find(|execution| execution.name.0 == name_at(before, slot));
            let calls = stage.is_some_and(|execution| matches!(execution.stage, Stage::Calling(_)));
            let call = calls.then(|| to_partner(caller(slot), "calls"));
            std::iter::once(read).chain(call).collect()
        }
        Action::ProbeStarts { slot, .. } => vec![to_partner(caller(slot), "probes")],
        Action::CallEnds { slot, ends, .. } => {
            let (text, fate) = match ends {
                Ends::Success => ("answers", Fate::Arrives),
                Ends::Failure => ("fails", Fate::Bad),
                Ends::Undecided => ("(nobody knows)", Fate::Unheard),
            };
            let answer = Beat::Message {
                from: Lane::Partner,
                to: caller(slot),
                text: text.to_owned(),
                fate,
            };
            let is_over = after.on_their_way() < before.on_their_way();
            let over = is_over.then(|| Beat::Note {
                lane: caller(slot),
                text: "has nothing to write".to_owned(),
                is_end: false,
            });
            std::iter::once(answer).chain(over).collect()
        }
        Action::Write { slot, heard, .. } => match &before.executions[slot].stage {
            Stage::Writing(writing) => {
                let write = written(before, writing, after, caller(slot), heard);
                let stage = after
                    .executions
                    .iter()
                    .find(|execution| execution.name.0 == name_at(before, slot));
                let is_ours = stage.is_some_and(|execution| matches!(execution.stage, Stage::Leased(_)));
                let recognised = (is_ours && is_refused(before, writing)).then(|| Beat::Note {
                    lane: caller(slot),
                    text: "finds the lease its own".to_owned(),
                    is_end: false,
                });
                std::iter::once(write).chain(recognised).collect()
            }
            _ => vec![],
        },
        Action::Die { slot } => vec![note(caller(slot), "dies")],
        Action::Show => vec![of_table(Lane::Person, describe(&before.table.item, before.now_ms))],
        Action::Command(command) => {
            let refused = before.table == after.table;
            vec![Beat::Message {
                from: Lane::Person,
                to: Lane::Table,
                text: match command {
                    Command::Force(kind, _) => format!("forces {}", kind.as_str()),
                    Command::Lift => "lifts the override".to_owned(),
                    Command::Reset => "resets".to_owned(),
                },
                fate: if refused { Fate::Refused } else { Fate::Arrives },
            }]
        }
        Action::Edit => vec![note(Lane::Table, "edited by hand")],
        Action::Expire => vec![note(Lane::Table, "deleted, a week later")],
        Action::Calm => vec![Beat::Later("the partner is healthy from now on".to_owned())],
    }
}

fn name_at(state: &State, slot: usize) -> char {
    state.executions[slot].name.0
}

fn to_partner(lane: Lane, text: &str) -> Beat {
    Beat::Message {
        from: lane,
        to: Lane::Partner,
        text: text.to_owned(),
        fate: Fate::Arrives,
    }
}

fn describe(item: &Item, now_ms: u64) -> String {
    let seconds = |ms: u64| (ms.saturating_sub(START_MS)) / 1000;
    match (item.state(), item.probe_token(), item.open_until()) {
        (Stored::Closed, ..) => match window::failures(item) {
            0 => "closed".to_owned(),
            1 => "closed, 1 failure".to_owned(),
            failures => format!("closed, {failures} failures"),
        },
        (Stored::Open, _, until) if until.is_none_or(|until| until.as_ms() <= now_ms) => "open, due".to_owned(),
        (Stored::Open, Some(_), _) => "open, a probe is out".to_owned(),
        (Stored::Open, None, until) => format!("open until {} s", until.map_or(0, |until| seconds(until.as_ms()))),
    }
}

fn is_refused(before: &State, writing: &Writing) -> bool {
    !matches!(
        writing.update.apply(before.table.item.attributes()),
        Ok(Written::Applied(_))
    )
}

fn written(before: &State, writing: &Writing, after: &State, from: Lane, heard: bool) -> Beat {
    let (was, is) = (&before.table.item, &after.table.item);
    let refused = is_refused(before, writing);
    let what = match writing.kind {
        Kind::CountAdds | Kind::CountReplaces if refused => "counts a failure".to_owned(),
        Kind::CountAdds | Kind::CountReplaces => match window::failures(is) {
            1 => "counts: 1 failure".to_owned(),
            failures => format!("counts: {failures} failures"),
        },
        Kind::Open => "opens".to_owned(),
        Kind::Grant => "takes the lease".to_owned(),
        Kind::ProbeCloses => "closes".to_owned(),
        Kind::ProbeSucceeds => "one success of several".to_owned(),
        Kind::ProbeFails => "failed: waits anew".to_owned(),
        Kind::ProbeFrees => "gives the lease back".to_owned(),
        Kind::Force | Kind::Lift | Kind::Reset => writing.kind.text().to_owned(),
        Kind::Success if was.state() == Stored::Open && is.state() == Stored::Closed => "success: closes it".to_owned(),
        Kind::Success if was.attributes().keys().any(|name| is_slice(name)) => "success: forgets failures".to_owned(),
        Kind::Success => "success: writes CLOSED".to_owned(),
    };
    Beat::Message {
        from,
        to: Lane::Table,
        text: what,
        fate: match (refused, heard) {
            (true, _) => Fate::Refused,
            (false, false) => Fate::Unheard,
            (false, true) if writing.kind == Kind::Success => Fate::Bad,
            (false, true) => Fate::Arrives,
        },
    }
}
