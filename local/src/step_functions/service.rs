//! What Step Functions does, whoever asks: the AWS port or the front door.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use states_language::{NoObserver, Observer, Outcome, Start, SystemClock, run};
use time::OffsetDateTime;

use super::execution::{Execution, Finished};
use super::executions::Executions;
use super::machine::Created;
use super::machines::Machines;
use super::{Arns, INPUT_LIMIT, Kind, MachineSpec, StepFunctionsError, name};
use crate::integrations::Integrations;

/// The longest EXPRESS execution.
const EXPRESS_LIMIT: Duration = Duration::from_secs(300);

/// Machines and executions.
pub(crate) struct StepFunctions {
    pub(super) machines: Machines,
    pub(super) executions: Arc<Executions>,
    tasks: Integrations,
    observer: Arc<dyn Observer>,
}

impl StepFunctions {
    /// No machines yet. The observer hears of every execution.
    pub(crate) fn new(arns: Arns, tasks: Integrations, observer: Option<Arc<dyn Observer>>) -> Self {
        let observer = observer.unwrap_or_else(|| Arc::new(NoObserver));
        Self {
            machines: Machines::new(arns),
            executions: Arc::default(),
            tasks,
            observer,
        }
    }

    /// Creates a machine and gives its ARN.
    pub(crate) fn create(&self, spec: MachineSpec) -> Result<String, StepFunctionsError> {
        self.machines.create(spec).map(|created| created.arn.clone())
    }

    /// Starts an EXPRESS execution and waits for its end, whatever that is. When the caller goes away it runs on, as on
    /// AWS: what it counts must not depend on a customer's patience.
    ///
    /// # Errors
    /// The start was refused.
    pub(crate) async fn start_sync(
        &self,
        machine_arn: &str,
        name: Option<String>,
        input: Value,
    ) -> Result<Finished, StepFunctionsError> {
        let machine = self.machines.find(machine_arn)?;
        if machine.spec.kind != Kind::Express {
            return Err(StepFunctionsError::MachineTypeNotSupported);
        }
        let name = named(name)?;
        let arn = self.machines.arns.express_execution(&machine.spec.name, &name);
        let started_at = OffsetDateTime::now_utc();
        let start = start(&machine, &arn, &name, started_at, input);
        let outcome = self.spawn(machine, start).await.unwrap_or_else(|_| broken());
        Ok(Finished {
            arn,
            name,
            started_at,
            stopped_at: OffsetDateTime::now_utc(),
            outcome,
        })
    }

    /// Starts an execution and does not wait for it.
    ///
    /// # Errors
    /// The start was refused.
    pub(super) fn start(
        &self,
        machine_arn: &str,
        name: Option<String>,
        input: String,
    ) -> Result<Arc<Execution>, StepFunctionsError> {
        let machine = self.machines.find(machine_arn)?;
        let value = read_input(&input)?;
        let name = named(name)?;
        let arn = match machine.spec.kind {
            Kind::Express => self.machines.arns.express_execution(&machine.spec.name, &name),
            Kind::Standard => self.machines.arns.standard_execution(&machine.spec.name, &name),
        };
        let execution = Arc::new(Execution::new(arn, name, machine.arn.clone(), input));
        if let Some(running) = self.executions.begin(&execution)? {
            return Ok(running);
        }
        let start = start(&machine, &execution.arn, &execution.name, execution.started_at, value);
        let outcome = self.spawn(machine, start);
        let (executions, ending) = (Arc::clone(&self.executions), Arc::clone(&execution));
        tokio::spawn(async move { executions.end(&ending, outcome.await.unwrap_or_else(|_| broken())) });
        Ok(execution)
    }

    fn spawn(&self, machine: Arc<Created>, start: Start) -> tokio::task::JoinHandle<Outcome> {
        let (tasks, observer) = (self.tasks.clone(), Arc::clone(&self.observer));
        tokio::spawn(async move { run(&machine.machine, start, &tasks, &SystemClock, observer.as_ref()).await })
    }
}

impl fmt::Debug for StepFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepFunctions")
            .field("machines", &self.machines)
            .finish_non_exhaustive()
    }
}

fn named(name: Option<String>) -> Result<String, StepFunctionsError> {
    match name {
        Some(name) => name::check(&name).map(|()| name),
        None => Ok(uuid::Uuid::new_v4().to_string()),
    }
}

fn start(machine: &Created, arn: &str, name: &str, started_at: OffsetDateTime, input: Value) -> Start {
    Start {
        execution_id: arn.to_owned(),
        execution_name: name.to_owned(),
        machine_id: machine.arn.clone(),
        machine_name: machine.spec.name.clone(),
        role_arn: machine.spec.role_arn.clone(),
        start_time: Some(started_at),
        time_limit: (machine.spec.kind == Kind::Express).then_some(EXPRESS_LIMIT),
        ..Start::new(input)
    }
}

/// An execution's input: JSON of at most [`INPUT_LIMIT`] bytes.
pub(super) fn read_input(text: &str) -> Result<Value, StepFunctionsError> {
    if text.len() > INPUT_LIMIT {
        return Err(StepFunctionsError::input_too_long());
    }
    serde_json::from_str(text).map_err(|error| StepFunctionsError::InvalidExecutionInput {
        problem: format!("it is no JSON: {error}"),
    })
}

/// The engine itself gave up, which is a bug of ours.
fn broken() -> Outcome {
    Outcome::Failed {
        error: "States.Runtime".to_owned(),
        cause: "The engine failed.".to_owned(),
    }
}
