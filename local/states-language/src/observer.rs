//! What an execution tells while it runs: enough for AWS's history, and for the coverage of a definition.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;

/// Hears of each step of an execution, in order and while it happens.
///
/// Everything is lent: an observer that keeps a payload clones it, one that doesn't costs nothing. Two observers in a
/// tuple hear the same; so does one behind a reference or an [`Arc`].
pub trait Observer: Send + Sync {
    /// Called on the execution's own path: it should be quick, and must not block.
    fn event(&self, at: OffsetDateTime, event: &Event<'_>);

    /// What the engine calls: as [`event`](Self::event), with the event's place in AWS's history. An observer that
    /// wraps another hands this one on.
    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        let _ = ids;
        self.event(at, event);
    }

    /// Whether it wants to hear at all. Asked once, when an execution starts.
    fn listens(&self) -> bool {
        true
    }
}

/// An event's place in AWS's history.
///
/// An event that history does not have ([`Event::ChoiceTaken`], [`Event::Retried`], [`Event::Caught`]) comes with the
/// ids of the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventIds {
    /// Counted from 1 over the whole execution, all its branches included.
    pub id: u64,
    /// The event that it followed on its own branch; 0 where AWS names none.
    pub previous_id: u64,
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _at: OffsetDateTime, _event: &Event<'_>) {}

    fn listens(&self) -> bool {
        false
    }
}

impl<O: Observer + ?Sized> Observer for &O {
    fn event(&self, at: OffsetDateTime, event: &Event<'_>) {
        (**self).event(at, event);
    }

    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        (**self).event_with_ids(at, ids, event);
    }

    fn listens(&self) -> bool {
        (**self).listens()
    }
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn event(&self, at: OffsetDateTime, event: &Event<'_>) {
        (**self).event(at, event);
    }

    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        (**self).event_with_ids(at, ids, event);
    }

    fn listens(&self) -> bool {
        (**self).listens()
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn event(&self, at: OffsetDateTime, event: &Event<'_>) {
        self.0.event(at, event);
        self.1.event(at, event);
    }

    fn event_with_ids(&self, at: OffsetDateTime, ids: EventIds, event: &Event<'_>) {
        if self.0.listens() {
            self.0.event_with_ids(at, ids, event);
        }
        if self.1.listens() {
            self.1.event_with_ids(at, ids, event);
        }
    }

    fn listens(&self) -> bool {
        self.0.listens() || self.1.listens()
    }
}

/// The type of a state, spelled as in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateKind {
    /// Hands its input on, changed or not.
    Pass,
    /// Does work through [`Tasks`](crate::Tasks).
    Task,
    /// Decides where to go.
    Choice,
    /// Waits.
    Wait,
    /// Runs branches side by side.
    Parallel,
    /// Runs the same states for each item of an array.
    Map,
    /// Ends the execution well.
    Succeed,
    /// Ends the execution with an error.
    Fail,
}

impl StateKind {
    /// The value of the field `Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "Pass",
            Self::Task => "Task",
            Self::Choice => "Choice",
            Self::Wait => "Wait",
            Self::Parallel => "Parallel",
            Self::Map => "Map",
            Self::Succeed => "Succeed",
            Self::Fail => "Fail",
        }
    }
}

impl fmt::Display for StateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One step of an execution.
///
/// All but [`ChoiceTaken`](Event::ChoiceTaken), [`Retried`](Event::Retried) and [`Caught`](Event::Caught) correspond
/// one to one, and in this order, to the events of AWS's `GetExecutionHistory`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The execution begins.
    ExecutionStarted {
        /// The execution's input.
        input: &'a Value,
        /// The machine's role, as [`Start::role_arn`](crate::Start::role_arn) gave it.
        role_arn: &'a str,
    },
    /// A state begins.
    StateEntered {
        /// The state's name.
        state: &'a str,
        /// Its type.
        kind: StateKind,
        /// Its raw input, before `InputPath`.
        input: &'a Value,
    },
    /// A Choice state decided.
    ChoiceTaken {
        /// The state's name.
        state: &'a str,
        /// The index in `Choices` of the rule that matched; none for `Default`.
        rule: Option<usize>,
        /// Where the execution goes.
        next: &'a str,
    },
    /// An attempt of a Task is about to run.
    TaskScheduled {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// What it is given.
        parameters: &'a Value,
        /// Its `TimeoutSeconds`.
        timeout: Option<Duration>,
        /// Its `HeartbeatSeconds`, which only matters where tasks report back by a token.
        heartbeat: Option<Duration>,
    },
    /// The attempt runs.
    TaskStarted {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
    },
    /// The attempt gave a result.
    TaskSucceeded {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// The result, before `ResultSelector`.
        output: &'a Value,
    },
    /// The attempt failed.
    TaskFailed {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// The attempt took longer than `TimeoutSeconds`, and was dropped.
    TaskTimedOut {
        /// The state's name.
        state: &'a str,
        /// Its `Resource`.
        resource: &'a str,
        /// `States.Timeout`.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// The branches of a Parallel begin. They tell their events in between each other's.
    ParallelStarted {
        /// The state's name.
        state: &'a str,
    },
    /// Every branch of a Parallel ended well.
    ParallelSucceeded {
        /// The state's name.
        state: &'a str,
    },
    /// A branch of a Parallel failed; the others were dropped.
    ParallelFailed {
        /// The state's name.
        state: &'a str,
        /// The name of the branch's error.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// A Map begins.
    MapStarted {
        /// The state's name.
        state: &'a str,
        /// How many items it has.
        length: usize,
    },
    /// A Map begins with one of its items.
    IterationStarted {
        /// The state's name.
        state: &'a str,
        /// The item's index.
        index: usize,
    },
    /// A Map is done with an item.
    IterationSucceeded {
        /// The state's name.
        state: &'a str,
        /// The item's index.
        index: usize,
    },
    /// A Map failed at an item.
    IterationFailed {
        /// The state's name.
        state: &'a str,
        /// The item's index.
        index: usize,
    },
    /// An item was dropped because another failed.
    IterationAborted {
        /// The state's name.
        state: &'a str,
        /// The item's index.
        index: usize,
    },
    /// A Map is done with all its items.
    MapSucceeded {
        /// The state's name.
        state: &'a str,
    },
    /// A Map failed at one of its items.
    MapFailed {
        /// The state's name.
        state: &'a str,
        /// The name of the item's error.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
    },
    /// A Task, Wait, Parallel or Map was dropped because another branch or item failed.
    StateAborted {
        /// The state's name.
        state: &'a str,
        /// Its type.
        kind: StateKind,
    },
    /// A retrier matched an error, and the next attempt follows after a wait.
    Retried {
        /// The state's name.
        state: &'a str,
        /// The retrier's index in `Retry`.
        retrier: usize,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
        /// How many retries of this state that makes, over all retriers: at least 1.
        retry_count: u32,
        /// How long until the next attempt.
        wait: Duration,
    },
    /// A catcher matched an error.
    Caught {
        /// The state's name.
        state: &'a str,
        /// The catcher's index in `Catch`.
        catcher: usize,
        /// The error's name.
        error: &'a str,
        /// Its cause.
        cause: &'a str,
        /// Where the execution goes.
        next: &'a str,
    },
    /// A state ended; one that failed without being caught, and a Fail state, don't say so.
    StateExited {
        /// The state's name.
        state: &'a str,
        /// Its type.
        kind: StateKind,
        /// Its output, after `OutputPath`.
        output: &'a Value,
    },
    /// The execution ended well.
    ExecutionSucceeded {
        /// Its output.
        output: &'a Value,
    },
    /// The execution failed.
    ExecutionFailed {
        /// The error's name; empty when a Fail state names none.
        error: &'a str,
        /// Its cause; may be empty.
        cause: &'a str,
    },
    /// The execution took longer than the machine's `TimeoutSeconds` or [`Start::time_limit`](crate::Start::time_limit).
    ExecutionTimedOut {
        /// `States.Timeout`.
        error: &'a str,
        /// Its cause; may be empty.
        cause: &'a str,
    },
}

impl Event<'_> {
    /// Whether AWS's history has an event for it.
    pub(crate) fn is_in_history(&self) -> bool {
        !matches!(
            self,
            Self::ChoiceTaken { .. } | Self::Retried { .. } | Self::Caught { .. }
        )
    }

    /// Whether the next event on its branch names it as the previous one. AWS passes some by: seen in recorded
    /// histories, where `ParallelStateExited` and the next `MapIterationStarted` follow the last state's exit.
    pub(crate) fn is_followed(&self) -> bool {
        !matches!(
            self,
            Self::ExecutionStarted { .. }
                | Self::ParallelSucceeded { .. }
                | Self::MapSucceeded { .. }
                | Self::IterationSucceeded { .. }
                | Self::IterationFailed { .. }
                | Self::IterationAborted { .. }
                | Self::StateAborted { .. }
        )
    }
}
