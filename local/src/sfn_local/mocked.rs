//! The tasks of one execution of a test case.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use states_language::{TaskError, TaskRequest, Tasks};

use super::TestCase;

/// Answers for the states that a test case mocks; the others are run for real.
pub(crate) struct Mocked<T> {
    case: Arc<TestCase>,
    real: T,
    /// How often each mocked state was invoked in this execution: retries, loops and iterations alike.
    invocations: Mutex<HashMap<String, u32>>,
}

impl<T: Tasks> Mocked<T> {
    pub(crate) fn new(case: Arc<TestCase>, real: T) -> Self {
        Self {
            case,
            real,
            invocations: Mutex::default(),
        }
    }

    fn count(&self, state: &str) -> u32 {
        let mut invocations = self.invocations.lock().unwrap_or_else(PoisonError::into_inner);
        let count = invocations.entry(state.to_owned()).or_default();
        let invocation = *count;
        *count += 1;
        invocation
    }
}

#[async_trait]
impl<T: Tasks> Tasks for Mocked<T> {
    async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
        let Some(response) = self.case.responses.get(task.state) else {
            return self.real.run(task).await;
        };
        let invocation = self.count(task.state);
        // Nothing catches States.Runtime: a case that forgot an invocation fails, as it does there.
        response.of(invocation).unwrap_or_else(|| {
            let cause = format!(
                "The test case '{}' has no mocked response for invocation {invocation} of the state '{}'",
                self.case.name, task.state
            );
            Err(TaskError::new("States.Runtime", cause))
        })
    }
}
