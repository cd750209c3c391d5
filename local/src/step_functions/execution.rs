//! One execution, while it runs and after.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::Shared;
use states_language::Outcome;
use states_language::history::History;
use time::OffsetDateTime;
use tokio::sync::oneshot;

use super::StepFunctionsError;
use super::journal::Journal;
use super::machine::Created;

/// An execution that is kept.
#[derive(Debug)]
pub(super) struct Execution {
    pub(super) arn: String,
    pub(super) name: String,
    /// As it was when the execution began.
    pub(super) machine: Arc<Created>,
    /// The input as it was given, if it was given as text.
    pub(super) input: Option<String>,
    /// The test case after the machine's ARN.
    pub(super) case: Option<String>,
    pub(super) started_at: OffsetDateTime,
    /// What happens in it; its input and output too.
    pub(super) journal: Journal,
    end: Mutex<Option<Arc<End>>>,
    /// Stops it while it runs, if it can be stopped.
    stopper: Mutex<Option<Stopper>>,
}

/// The end of an execution that others hold who want it to stop.
#[derive(Debug)]
struct Stopper {
    /// Taken by the first of them.
    ask: Option<oneshot::Sender<Stop>>,
    ended: Shared<oneshot::Receiver<()>>,
}

/// The end that the execution itself holds.
#[derive(Debug)]
pub(super) struct Stoppable {
    pub(super) asked: oneshot::Receiver<Stop>,
    /// To be dropped when it has ended.
    pub(super) ended: oneshot::Sender<()>,
}

/// How and when an execution ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) at: OffsetDateTime,
    pub(super) status: Status,
    /// Of an execution that was stopped.
    pub(super) stop: Option<Stop>,
}

/// What somebody said who stopped an execution; either may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) error: String,
    pub(super) cause: String,
}

/// A synchronous execution that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) arn: String,
    pub(crate) name: String,
    pub(crate) started_at: OffsetDateTime,
    pub(crate) stopped_at: OffsetDateTime,
    pub(crate) outcome: Outcome,
}

/// Where an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    Succeeded,
    Failed,
    TimedOut,
    Aborted,
}

impl Status {
    const ALL: [Self; 5] = [
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::TimedOut,
        Self::Aborted,
    ];

    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Succeeded { .. } => Self::Succeeded,
            Outcome::TimedOut { .. } => Self::TimedOut,
            _ => Self::Failed,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Aborted => "ABORTED",
        }
    }

    /// The status of this name.
    pub(super) fn named(name: &str) -> Result<Self, StepFunctionsError> {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == name);
        found.ok_or_else(|| {
            let allowed = Self::ALL.map(Self::as_str).join(", ");
            let constraint = format!("Member must satisfy enum value set: [{allowed}]");
            StepFunctionsError::constraint("statusFilter", &constraint)
        })
    }
}

impl Execution {
    pub(super) fn new(arn: String, name: String, machine: &Arc<Created>, input: Option<String>) -> Self {
        Self {
            arn,
            name,
            machine: Arc::clone(machine),
            input,
            case: None,
            started_at: OffsetDateTime::now_utc(),
            journal: Journal::new(machine),
            end: Mutex::default(),
            stopper: Mutex::default(),
        }
    }

    /// Whether starting this one again is the same as going on with another one.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        other.ended().is_none() && self.input == other.input && self.case == other.case
    }

    /// Makes it one that can be stopped, and gives what hears of that.
    pub(super) fn stoppable(&self) -> Stoppable {
        let (ask, asked) = oneshot::channel();
        let (over, ended) = oneshot::channel();
        let stopper = Stopper {
            ask: Some(ask),
            ended: ended.shared(),
        };
        *self.stopper() = Some(stopper);
        Stoppable { asked, ended: over }
    }

    /// Stops it, if it runs and can be stopped, and waits until it has ended. Of several who want that, the first is heard.
    pub(super) async fn stop(&self, stop: Stop) {
        let ended = {
            let mut stopper = self.stopper();
            let Some(stopper) = stopper.as_mut() else { return };
            if let Some(ask) = stopper.ask.take() {
                // It may have ended by itself in this moment.
                let _ = ask.send(stop);
            }
            stopper.ended.clone()
        };
        let _ = ended.await;
    }

    fn stopper(&self) -> MutexGuard<'_, Option<Stopper>> {
        // Nothing under this lock can leave it half changed.
        self.stopper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ended(&self) -> Option<Arc<End>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn status(&self) -> Status {
        self.ended().map_or(Status::Running, |end| end.status)
    }

    pub(super) fn end(&self, end: End) {
        self.journal.close();
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(end));
        *self.stopper() = None;
    }

    /// Its history, as far as it has come.
    pub(super) fn history(&self, region: &str) -> History {
        let history = History::new(region);
        self.journal.replay(&history);
        if let Some((at, stop)) = self.ended().and_then(|end| Some((end.at, end.stop.clone()?))) {
            history.abort(at, &stop.error, &stop.cause);
        }
        history
    }

    /// About how many bytes it holds.
    pub(super) fn size(&self) -> usize {
        self.input.as_ref().map_or(0, String::len) + self.journal.size() + 512
    }
}
