//! What Step Functions does, whoever asks: the AWS port or the front door.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use states_language::{Observer, Outcome};
use time::OffsetDateTime;

use super::execution::{Execution, Finished};
use super::executions::{Begun, Executions, Seat};
use super::machine::Created;
use super::machines::Machines;
use super::running::Running;
use super::{Arns, INPUT_LIMIT, Kind, MachineSpec, StepFunctionsError, name};
use crate::integrations::{self, Integrations};
use crate::sfn_local::{MockConfig, Mocked, TestCase};

/// Machines and executions.
pub(crate) struct StepFunctions {
    pub(super) machines: Machines,
    pub(super) executions: Arc<Executions>,
    /// Whether EXPRESS executions are as unknown afterwards as on AWS.
    pub(super) strict: bool,
    /// The test cases, where it stands in for Step Functions Local.
    mocks: Option<MockConfig>,
    pub(super) tasks: Integrations,
    observer: Option<Arc<dyn Observer>>,
}

/// How executions are run.
#[derive(Default)]
pub(crate) struct Manners {
    /// Hears of every execution.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// As [`Config::strict`](crate::Config::strict).
    pub(crate) strict: bool,
    /// Test cases. Where there may be some, any state may be mocked, so each `Resource` is accepted.
    pub(crate) mocks: Option<MockConfig>,
}

impl StepFunctions {
    /// No machines yet.
    pub(crate) fn new(arns: Arns, tasks: Integrations, manners: Manners) -> Self {
        let supports = match manners.mocks {
            Some(_) => integrations::supports_mocked,
            None => integrations::supports,
        };
        Self {
            machines: Machines::new(arns, supports),
            executions: Arc::default(),
            strict: manners.strict,
            mocks: manners.mocks,
            tasks,
            observer: manners.observer,
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
        self.start_sync_as(machine_arn, name, input, None).await
    }

    /// As [`start_sync`](Self::start_sync); `text` is the input as it was given.
    pub(super) async fn start_sync_as(
        &self,
        machine_arn: &str,
        name: Option<String>,
        input: Value,
        text: Option<String>,
    ) -> Result<Finished, StepFunctionsError> {
        let (machine, case) = self.find(machine_arn)?;
        if machine.spec.kind != Kind::Express {
            return Err(StepFunctionsError::MachineTypeNotSupported);
        }
        let name = named(name)?;
        let arn = self.machines.arns.express_execution(&machine.spec.name, &name);
        let execution = Arc::new(Execution::new(arn, name, &machine, text));
        let seat = self.executions.sync_seat()?;
        if self.keeps(machine.spec.kind) {
            self.executions.begin_sync(&execution);
        }
        let tasks = self.tasks.clone();
        let outcome = match case {
            None => self.running(&execution, seat, tasks).attended(input).await,
            Some(case) => {
                let tasks = Mocked::new(case, tasks);
                self.running(&execution, seat, tasks).attended(input).await
            }
        };
        Ok(Finished {
            arn: execution.arn.clone(),
            name: execution.name.clone(),
            started_at: execution.started_at,
            stopped_at: execution.ended().map_or_else(OffsetDateTime::now_utc, |end| end.at),
            outcome: outcome.unwrap_or_else(broken),
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
        let (machine, case) = self.find(machine_arn)?;
        let value = read_input(&input)?;
        let name = named(name)?;
        let arn = match machine.spec.kind {
            Kind::Express => self.machines.arns.express_execution(&machine.spec.name, &name),
            Kind::Standard => self.machines.arns.standard_execution(&machine.spec.name, &name),
        };
        let mut execution = Execution::new(arn, name, &machine, Some(input));
        execution.case = case.as_ref().map(|case| case.name.clone());
        let execution = Arc::new(execution);
        let seat = if self.keeps(machine.spec.kind) {
            match self.executions.begin(&execution)? {
                Begun::Anew(seat) => seat,
                Begun::Already(running) => return Ok(running),
            }
        } else {
            self.executions.seat()?
        };
        let tasks = self.tasks.clone();
        match case {
            None => self.running(&execution, seat, tasks).spawn(value),
            Some(case) => self.running(&execution, seat, Mocked::new(case, tasks)).spawn(value),
        }
        Ok(execution)
    }

    /// The region of every ARN.
    pub(super) fn region(&self) -> &str {
        &self.machines.arns.region
    }

    /// The execution with this ARN, if it is of a kind that is told about.
    ///
    /// # Errors
    /// `InvalidArn`, `ExecutionDoesNotExist`.
    pub(super) fn execution(&self, arn: &str) -> Result<Arc<Execution>, StepFunctionsError> {
        Arns::check_execution(arn, self.strict)?;
        let found = self.executions.find(arn);
        found.ok_or_else(|| StepFunctionsError::ExecutionDoesNotExist { arn: arn.to_owned() })
    }

    /// Whether executions of a kind can be told about.
    pub(super) fn keeps(&self, kind: Kind) -> bool {
        kind == Kind::Standard || !self.strict
    }

    /// The machine of an ARN, and the test case after its `#` where there are test cases.
    fn find(&self, arn: &str) -> Result<(Arc<Created>, Option<Arc<TestCase>>), StepFunctionsError> {
        let (Some(mocks), Some((machine_arn, case))) = (&self.mocks, arn.split_once('#')) else {
            return Ok((self.machines.find(arn)?, None));
        };
        let machine = self.machines.find(machine_arn)?;
        let Some(case) = mocks.case(&machine.spec.name, case) else {
            let problem = format!("The mock configuration has no such test case: {arn}");
            return Err(StepFunctionsError::InvalidArn { problem });
        };
        let exists = |state: &str| machine.machine.outline().any(|known| known.name == state);
        for state in case.states().filter(|state| !exists(state)) {
            let (machine, case) = (&machine.spec.name, &case.name);
            tracing::warn!(
                machine,
                case,
                state,
                "the test case mocks a state that the machine does not have"
            );
        }
        Ok((machine, Some(case)))
    }

    fn running<T>(&self, execution: &Arc<Execution>, seat: Seat, tasks: T) -> Running<T> {
        let kind = execution.machine.spec.kind;
        Running {
            execution: Arc::clone(execution),
            tasks,
            observer: self.observer.clone(),
            executions: self.keeps(kind).then(|| Arc::clone(&self.executions)),
            // As on AWS, an EXPRESS execution can't be stopped.
            stoppable: (kind == Kind::Standard).then(|| execution.stoppable()),
            seat,
        }
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
