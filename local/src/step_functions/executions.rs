//! The executions that can be described: those that run, and the last that ended.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use states_language::Outcome;

use super::StepFunctionsError;
use super::execution::Execution;

/// The most that run at once, that are kept after their end, and that the kept ones hold in bytes.
const RUNNING: usize = 1_000;
const KEPT: usize = 1_000;
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Executions that were started asynchronously.
#[derive(Debug, Default)]
pub(super) struct Executions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    by_arn: HashMap<String, Arc<Execution>>,
    /// Oldest end first.
    ended: VecDeque<(Arc<Execution>, usize)>,
    bytes: usize,
}

impl Executions {
    /// Takes an execution that is about to run. Gives the running one of that ARN and input instead, if there is one:
    /// then this start is a repetition of that.
    pub(super) fn begin(&self, execution: &Arc<Execution>) -> Result<Option<Arc<Execution>>, StepFunctionsError> {
        let mut known = self.known();
        if let Some(existing) = known.by_arn.get(&execution.arn) {
            let repeated = existing.ended().is_none() && existing.input == execution.input;
            let exists = || StepFunctionsError::ExecutionAlreadyExists {
                arn: execution.arn.clone(),
            };
            return if repeated {
                Ok(Some(Arc::clone(existing)))
            } else {
                Err(exists())
            };
        }
        if known.by_arn.len() - known.ended.len() >= RUNNING {
            return Err(StepFunctionsError::ExecutionLimitExceeded { limit: RUNNING });
        }
        known.by_arn.insert(execution.arn.clone(), Arc::clone(execution));
        Ok(None)
    }

    /// Keeps the end of an execution, and drops the oldest ends past the limits.
    pub(super) fn end(&self, execution: &Arc<Execution>, outcome: Outcome) {
        execution.end(outcome);
        let size = execution.size();
        let mut known = self.known();
        known.bytes += size;
        known.ended.push_back((Arc::clone(execution), size));
        while known.ended.len() > KEPT || known.bytes > KEPT_BYTES {
            let Some((oldest, size)) = known.ended.pop_front() else {
                break;
            };
            known.bytes -= size;
            known.by_arn.remove(&oldest.arn);
        }
    }

    pub(super) fn find(&self, arn: &str) -> Option<Arc<Execution>> {
        self.known().by_arn.get(arn).cloned()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing under this lock can leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn execution(n: usize, input: &str) -> Arc<Execution> {
        Arc::new(Execution::new(
            format!("arn:{n}"),
            n.to_string(),
            "machine".to_owned(),
            input.to_owned(),
        ))
    }

    fn succeeded() -> Outcome {
        Outcome::Succeeded { output: json!({}) }
    }

    #[test]
    fn the_oldest_ends_are_dropped_past_the_count() {
        let executions = Executions::default();
        for n in 0..KEPT + 2 {
            let execution = execution(n, "{}");
            executions.begin(&execution).unwrap();
            executions.end(&execution, succeeded());
        }
        assert!(executions.find("arn:1").is_none());
        assert!(executions.find("arn:2").is_some());
        assert_eq!(executions.known().by_arn.len(), KEPT);
    }

    #[test]
    fn the_oldest_ends_are_dropped_past_the_bytes() {
        let executions = Executions::default();
        let input = "x".repeat(KEPT_BYTES / 3);
        for n in 0..4 {
            let execution = execution(n, &input);
            executions.begin(&execution).unwrap();
            executions.end(&execution, succeeded());
        }
        assert!(executions.find("arn:1").is_none());
        assert!(executions.find("arn:3").is_some());
        assert!(executions.known().bytes <= KEPT_BYTES);
    }

    #[test]
    fn one_that_runs_is_never_dropped_and_is_found_under_its_name() {
        let executions = Executions::default();
        let running = execution(usize::MAX, "{}");
        assert!(executions.begin(&running).unwrap().is_none());
        for n in 0..KEPT + 2 {
            let execution = execution(n, "{}");
            executions.begin(&execution).unwrap();
            executions.end(&execution, succeeded());
        }
        assert!(executions.find(&running.arn).is_some());
        assert!(executions.begin(&execution(usize::MAX, "{}")).unwrap().is_some());
        assert!(executions.begin(&execution(usize::MAX, "[]")).is_err(), "another input");
        executions.end(&running, succeeded());
        assert!(executions.begin(&execution(usize::MAX, "{}")).is_err(), "it has ended");
    }

    #[test]
    fn only_so_many_run_at_once() {
        let executions = Executions::default();
        for n in 0..RUNNING {
            executions.begin(&execution(n, "{}")).unwrap();
        }
        let refused = executions.begin(&execution(RUNNING, "{}")).unwrap_err();
        assert_eq!(refused.name(), "ExecutionLimitExceeded");
    }
}
