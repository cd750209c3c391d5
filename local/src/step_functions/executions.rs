//! The executions that can be described: those that run, and the last that ended.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::StepFunctionsError;
use super::execution::{End, Execution, Status};

/// The most that run at once, started asynchronously and synchronously; that are kept after their end; and that the kept ones
/// hold in bytes.
const RUNNING: usize = 1_000;
const RUNNING_SYNC: usize = 10_000;
const KEPT: usize = 1_000;
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// The executions that are kept, and how many more may run.
#[derive(Debug)]
pub(super) struct Executions {
    known: Mutex<Known>,
    seats: Arc<Semaphore>,
    sync_seats: Arc<Semaphore>,
}

/// Leave to run.
pub(super) type Seat = OwnedSemaphorePermit;

/// What becomes of a start.
#[derive(Debug)]
pub(super) enum Begun {
    /// It may run.
    Anew(Seat),
    /// It repeats the start of one that runs.
    Already(Arc<Execution>),
}

#[derive(Debug, Default)]
struct Known {
    by_arn: HashMap<String, Arc<Execution>>,
    /// Oldest end first.
    ended: VecDeque<(Arc<Execution>, usize)>,
    bytes: usize,
}

/// Where an execution stands in a list: latest first.
type Position = (i128, String);

impl Default for Executions {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            seats: Arc::new(Semaphore::new(RUNNING)),
            sync_seats: Arc::new(Semaphore::new(RUNNING_SYNC)),
        }
    }
}

impl Executions {
    /// Leave for one more asynchronous execution, which nobody may see.
    ///
    /// # Errors
    /// `ExecutionLimitExceeded`.
    pub(super) fn seat(&self) -> Result<Seat, StepFunctionsError> {
        take(&self.seats, RUNNING)
    }

    /// As [`seat`](Self::seat), for a synchronous one. It may outlive whoever waited for it.
    ///
    /// # Errors
    /// `ExecutionLimitExceeded`.
    pub(super) fn sync_seat(&self) -> Result<Seat, StepFunctionsError> {
        take(&self.sync_seats, RUNNING_SYNC)
    }

    /// Takes an execution that is about to run, unless one of its ARN and input runs already.
    ///
    /// # Errors
    /// `ExecutionAlreadyExists`, `ExecutionLimitExceeded`.
    pub(super) fn begin(&self, execution: &Arc<Execution>) -> Result<Begun, StepFunctionsError> {
        let mut known = self.known();
        if let Some(existing) = known.by_arn.get(&execution.arn) {
            let exists = || StepFunctionsError::ExecutionAlreadyExists {
                arn: execution.arn.clone(),
            };
            return if execution.repeats(existing) {
                Ok(Begun::Already(Arc::clone(existing)))
            } else {
                Err(exists())
            };
        }
        let seat = self.seat()?;
        known.by_arn.insert(execution.arn.clone(), Arc::clone(execution));
        Ok(Begun::Anew(seat))
    }

    /// Takes a synchronous execution: its ARN is nobody else's.
    pub(super) fn begin_sync(&self, execution: &Arc<Execution>) {
        let arn = execution.arn.clone();
        self.known().by_arn.insert(arn, Arc::clone(execution));
    }

    /// Keeps the end of an execution, and drops the oldest ends past the limits.
    pub(super) fn end(&self, execution: &Arc<Execution>, end: End) {
        execution.end(end);
        let size = execution.size();
        let mut dropped = Vec::new();
        let mut known = self.known();
        known.bytes += size;
        known.ended.push_back((Arc::clone(execution), size));
        while known.ended.len() > KEPT || known.bytes > KEPT_BYTES {
            let Some((oldest, size)) = known.ended.pop_front() else {
                break;
            };
            known.bytes -= size;
            known.by_arn.remove(&oldest.arn);
            dropped.push(oldest);
        }
        // Freed once nobody waits for the lock.
        drop(known);
    }

    pub(super) fn find(&self, arn: &str) -> Option<Arc<Execution>> {
        self.known().by_arn.get(arn).cloned()
    }

    /// Up to `limit` executions of a machine, the latest start or end first, from the one after a position; and the
    /// position to go on from, if there are more.
    pub(super) fn list(
        &self,
        machine_arn: &str,
        status: Option<Status>,
        after: Option<&Position>,
        limit: usize,
    ) -> (Vec<Arc<Execution>>, Option<Position>) {
        let mut found: Vec<(Reverse<Position>, Arc<Execution>)> = self
            .known()
            .by_arn
            .values()
            .filter(|execution| execution.machine.arn == machine_arn)
            .filter(|execution| status.is_none_or(|status| execution.status() == status))
            .map(|execution| (Reverse(position(execution)), Arc::clone(execution)))
            .filter(|(Reverse(position), _)| after.is_none_or(|after| position < after))
            .collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().map(|(Reverse(position), _)| position.clone());
        let page = found.into_iter().map(|(_, execution)| execution).collect();
        (page, last.filter(|_| more))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing under this lock can leave it half changed.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take(seats: &Arc<Semaphore>, limit: usize) -> Result<Seat, StepFunctionsError> {
    let seat = Arc::clone(seats).try_acquire_owned();
    seat.map_err(|_| StepFunctionsError::ExecutionLimitExceeded { limit })
}

/// By the start of one that runs and the end of one that has ended, as on AWS.
fn position(execution: &Execution) -> Position {
    let at = execution.ended().map_or(execution.started_at, |end| end.at);
    (at.unix_timestamp_nanos(), execution.arn.clone())
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;
    use crate::integrations;
    use crate::step_functions::machine::Created;
    use crate::step_functions::machines::Machines;
    use crate::step_functions::{Arns, Kind, MachineSpec};

    fn machine(name: &str) -> Arc<Created> {
        let arns = Arns {
            region: "eu-west-1".to_owned(),
            account: "000000000000".to_owned(),
        };
        let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}"#;
        let spec = MachineSpec {
            name: name.to_owned(),
            kind: Kind::Standard,
            definition: definition.to_owned(),
            role_arn: "arn:aws:iam::000000000000:role/a".to_owned(),
            tags: super::super::tags::Tags::default(),
        };
        Machines::new(arns, integrations::supports).create(spec).unwrap()
    }

    fn execution(machine: &Arc<Created>, n: usize, input: &str) -> Arc<Execution> {
        Arc::new(Execution::new(
            format!("arn:{n}"),
            n.to_string(),
            machine,
            Some(input.to_owned()),
        ))
    }

    fn ended(status: Status) -> End {
        End {
            at: OffsetDateTime::now_utc(),
            status,
            stop: None,
        }
    }

    #[test]
    fn the_oldest_ends_are_dropped_past_the_count() {
        let (executions, machine) = (Executions::default(), machine("m"));
        for n in 0..KEPT + 2 {
            let execution = execution(&machine, n, "{}");
            executions.begin(&execution).unwrap();
            executions.end(&execution, ended(Status::Succeeded));
        }
        assert!(executions.find("arn:1").is_none());
        assert!(executions.find("arn:2").is_some());
        assert_eq!(executions.known().by_arn.len(), KEPT);
    }

    #[test]
    fn the_oldest_ends_are_dropped_past_the_bytes() {
        let (executions, machine) = (Executions::default(), machine("m"));
        let input = "x".repeat(KEPT_BYTES / 3);
        for n in 0..4 {
            let execution = execution(&machine, n, &input);
            executions.begin(&execution).unwrap();
            executions.end(&execution, ended(Status::Failed));
        }
        assert!(executions.find("arn:1").is_none());
        assert!(executions.find("arn:3").is_some());
        assert!(executions.known().bytes <= KEPT_BYTES);
    }

    #[test]
    fn one_that_runs_is_never_dropped_and_is_found_under_its_name() {
        let (executions, machine) = (Executions::default(), machine("m"));
        let running = execution(&machine, usize::MAX, "{}");
        assert!(matches!(executions.begin(&running).unwrap(), Begun::Anew(_)));
        for n in 0..KEPT + 2 {
            let execution = execution(&machine, n, "{}");
            executions.begin(&execution).unwrap();
            executions.end(&execution, ended(Status::Succeeded));
        }
        assert!(executions.find(&running.arn).is_some());
        let again = |input: &str| executions.begin(&execution(&machine, usize::MAX, input));
        assert!(matches!(again("{}").unwrap(), Begun::Already(_)));
        assert!(again("[]").is_err(), "another input");
        executions.end(&running, ended(Status::Succeeded));
        assert!(again("{}").is_err(), "it has ended");
    }

    #[test]
    fn only_so_many_run_at_once() {
        let (executions, machine) = (Executions::default(), machine("m"));
        let begin = |n: usize| executions.begin(&execution(&machine, n, "{}"));
        let mut seats: Vec<Begun> = (0..RUNNING).map(|n| begin(n).unwrap()).collect();
        assert_eq!(begin(RUNNING).unwrap_err().name(), "ExecutionLimitExceeded");
        assert_eq!(executions.seat().unwrap_err().name(), "ExecutionLimitExceeded");
        assert!(
            matches!(begin(1).unwrap(), Begun::Already(_)),
            "a repetition takes no seat"
        );
        seats.pop();
        assert!(matches!(begin(RUNNING).unwrap(), Begun::Anew(_)));
        assert!(executions.sync_seat().is_ok());
    }

    #[test]
    fn a_machines_executions_are_listed_the_latest_first_page_by_page() {
        let executions = Executions::default();
        let (ours, theirs) = (machine("ours"), machine("theirs"));
        for n in 0..7 {
            let execution = execution(if n == 3 { &theirs } else { &ours }, n, "{}");
            executions.begin(&execution).unwrap();
            match n {
                1 => executions.end(&execution, ended(Status::Aborted)),
                0 | 2 => executions.end(&execution, ended(Status::Succeeded)),
                _ => {}
            }
        }
        let names = |page: &[Arc<Execution>]| page.iter().map(|execution| execution.name.clone()).collect::<Vec<_>>();
        let mut listed = Vec::new();
        let mut after = None;
        loop {
            let (page, more) = executions.list(&ours.arn, None, after.as_ref(), 2);
            listed.push(names(&page));
            after = more;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(listed, [["6", "5"], ["4", "2"], ["1", "0"]]);
        let (page, more) = executions.list(&ours.arn, Some(Status::Succeeded), None, 2);
        assert_eq!((names(&page), more), (vec!["2".to_owned(), "0".to_owned()], None));
        let (page, _) = executions.list(
            &ours.arn,
            None,
            Some(&(OffsetDateTime::UNIX_EPOCH.unix_timestamp_nanos(), String::new())),
            9,
        );
        assert!(page.is_empty());
    }
}
