//! One process of a function, and the slot with the invocation that it works on.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::invocation::Job;

/// A process as the host sees it. The child itself belongs to its supervisor.
#[derive(Debug)]
pub(super) struct Process {
    /// Unique within the host, in order of start.
    pub(super) id: u64,
    /// The operating system's id of it, which is also its process group.
    pub(super) pid: u32,
    slot: Mutex<Slot>,
    /// Wakes `/next` when there is a job.
    offered: Notify,
    /// Wakes the supervisor when there is a deadline to watch and it watches none.
    unwatched: Notify,
}

#[derive(Debug)]
struct Slot {
    job: Option<Job>,
    /// It has asked for work at least once.
    initialised: bool,
    /// The supervisor will look at the deadline by itself.
    watched: bool,
    dead: bool,
    last_used: Instant,
}

/// What a process does, to report it and to watch over it.
#[derive(Clone, Debug)]
pub(super) enum Activity {
    /// It has not asked for work yet.
    Starting,
    /// It waits for work since then.
    Idle { since: Instant },
    /// It works, or is about to take its work (`taken_at` is none).
    Busy {
        request_id: String,
        taken_at: Option<Instant>,
    },
}

impl Process {
    pub(super) fn new(id: u64, pid: u32, job: Job) -> Self {
        Self {
            id,
            pid,
            slot: Mutex::new(Slot {
                job: Some(job),
                initialised: false,
                watched: false,
                dead: false,
                last_used: Instant::now(),
            }),
            offered: Notify::new(),
            unwatched: Notify::new(),
        }
    }

    /// Gives an idle process its next job; gives the job back when the process has died.
    pub(super) fn assign(&self, job: Job) -> Result<(), Job> {
        let mut slot = self.slot();
        if slot.dead {
            return Err(job);
        }
        slot.job = Some(job);
        drop(slot);
        self.offered.notify_one();
        Ok(())
    }

    /// Waits for a job and hands a look at it to the process: its id and payload.
    pub(super) async fn next(&self) -> (String, bytes::Bytes) {
        loop {
            if let Some(taken) = self.take_up() {
                return taken;
            }
            self.offered.notified().await;
        }
    }

    fn take_up(&self) -> Option<(String, bytes::Bytes)> {
        let mut slot = self.slot();
        slot.initialised = true;
        let job = slot.job.as_mut().filter(|job| job.taken_at.is_none())?;
        job.taken_at = Some(Instant::now());
        let taken = (job.request_id.clone(), job.payload.clone());
        if !std::mem::replace(&mut slot.watched, true) {
            self.unwatched.notify_one();
        }
        Some(taken)
    }

    /// Takes the job with this id out of the slot, to answer it; none when the process works on no such job.
    pub(super) fn finish(&self, request_id: &str) -> Option<Job> {
        let mut slot = self.slot();
        let job = slot
            .job
            .take_if(|job| job.taken_at.is_some() && job.request_id == request_id)?;
        slot.last_used = Instant::now();
        Some(job)
    }

    /// Takes whatever job there is: the process could not start.
    pub(super) fn abandon(&self) -> Option<Job> {
        self.slot().job.take()
    }

    /// Takes the job out if its time is up.
    pub(super) fn overdue(&self, timeout: Duration) -> Option<Job> {
        self.slot()
            .job
            .take_if(|job| job.taken_at.is_some_and(|at| at.elapsed() >= timeout))
    }

    /// Marks it as ended. Gives the job that it leaves behind, and whether another process may have that job: only if
    /// this one worked before and has not seen it.
    pub(super) fn bury(&self) -> Option<(Job, bool)> {
        let mut slot = self.slot();
        slot.dead = true;
        let initialised = slot.initialised;
        slot.job.take().map(|job| {
            let unseen = initialised && job.taken_at.is_none();
            (job, unseen)
        })
    }

    /// What it does now.
    pub(super) fn activity(&self) -> Activity {
        let slot = self.slot();
        match &slot.job {
            _ if !slot.initialised => Activity::Starting,
            Some(job) => Activity::Busy {
                request_id: job.request_id.clone(),
                taken_at: job.taken_at,
            },
            None => Activity::Idle { since: slot.last_used },
        }
    }

    /// When the work under way has to be done; none, and somebody has to [`Self::wait_for_work`], when there is none.
    pub(super) fn deadline(&self, timeout: Duration) -> Option<Instant> {
        let mut slot = self.slot();
        let deadline = slot.job.as_ref().and_then(|job| job.taken_at).map(|at| at + timeout);
        slot.watched = deadline.is_some();
        deadline
    }

    /// Until it takes a job while nobody watches its deadline.
    pub(super) async fn wait_for_work(&self) {
        self.unwatched.notified().await;
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        // Nothing under this lock can leave the slot half changed.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
