//! Where cases run: on the system in this process, or on whatever `AWS_ENDPOINT_URL*` names.
//!
//! Both are reached through their endpoints. Only what a case `needs` beyond that asks for the process at hand: functions
//! that are replaced, a table that fails, a front door.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use dynoxide::Database;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use policy::Deployed;
use policy::definition::{Names, bind};
use serde_json::{Map, Value, json};
use states_language::Observer;
use stepbreaker_local::lambda_host::{FunctionSpec, LambdaHost};
use stepbreaker_local::{Config, System};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::case::{Case, Function, FunctionName, Kind};
use crate::deadline::{eventually, eventually_elsewhere};
use crate::function_maker::FunctionMaker;
use crate::http::{Service, client};
use crate::policy_file::merge;
use crate::shared_circuit::partner_host;
use crate::signature::Signer;
use crate::stack::Stack;
use crate::store_proxy::StoreProxy;

/// The shipped definition.
pub(crate) const DEFINITION: &str = include_str!("../../statemachine/circuit-breaker.asl.json");

/// Where cases run.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) client: reqwest::Client,
    pub(crate) step_functions: Service,
    /// The table itself, whatever stands before it for the system.
    pub(crate) dynamodb: Service,
    pub(crate) table: String,
    pub(crate) local: Option<Local>,
    /// The circuits that somebody else deployed here, with their front door.
    pub(crate) stack: Option<Stack>,
    starts: Starts,
    /// Makes functions of a case's own there.
    pub(crate) function_maker: Option<FunctionMaker>,
    /// Whether the functions there reach a partner on this machine.
    pub(crate) reaches_partners: bool,
    /// Whether it is AWS itself.
    is_aws: bool,
}

/// How executions are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    /// By StartSyncExecution, which waits for the end.
    Synchronous,
    /// By StartExecution, and DescribeExecution until the end: for an engine that has no other start. (AWS can't describe
    /// Express executions.)
    Asynchronous,
}

impl Starts {
    fn from_environment() -> anyhow::Result<Self> {
        match variable("CASES_STARTS", "sync").as_str() {
            "sync" => Ok(Self::Synchronous),
            "async" => Ok(Self::Asynchronous),
            other => anyhow::bail!("CASES_STARTS is {other:?}; allowed: sync or async"),
        }
    }
}

/// The system in this process.
#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) system: System,
    /// Stands before the table, if the system was started so.
    pub(crate) store: Option<StoreProxy>,
    _circuits: TempDir,
}

/// How a machine differs from the usual one of its circuit.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Variation {
    pub(crate) names: Vec<(FunctionName, String)>,
    pub(crate) read_table: Option<String>,
    pub(crate) policy: Map<String, Value>,
    pub(crate) definition: Map<String, Value>,
}

impl Variation {
    /// What a case says of it. Its functions are for the engine to make.
    pub(crate) fn of(case: &Case) -> Self {
        Self {
            names: Vec::new(),
            read_table: case.read_table.clone(),
            policy: case.bound_policy.clone(),
            definition: case.bound_definition.clone(),
        }
    }
}

impl Engine {
    /// The engine that the environment names, if it does: `AWS_ENDPOINT_URL_SFN`, `AWS_ENDPOINT_URL_DYNAMODB`, or
    /// `AWS_ENDPOINT_URL` for both.
    pub(crate) fn from_environment() -> anyhow::Result<Option<Self>> {
        if std::env::var_os("CASES_ON_AWS").is_some() {
            return Self::aws().map(Some);
        }
        let endpoint = |service: &str| {
            let own = std::env::var(format!("AWS_ENDPOINT_URL_{service}")).ok();
            own.or_else(|| std::env::var("AWS_ENDPOINT_URL").ok())
        };
        match (endpoint("SFN"), endpoint("DYNAMODB")) {
            (None, None) => Ok(None),
            (Some(step_functions), Some(dynamodb)) => {
                let client = client()?;
                Ok(Some(Self {
                    function_maker: FunctionMaker::from_environment(&client, &step_functions),
                    step_functions: Service::step_functions(client.clone(), step_functions),
                    dynamodb: Service::dynamodb(client.clone(), dynamodb),
                    client,
                    table: variable("CIRCUITS_TABLE", Config::TABLE),
                    local: None,
                    stack: None,
                    starts: Starts::from_environment()?,
                    reaches_partners: true,
                    is_aws: false,
                }))
            }
            _ => anyhow::bail!("AWS_ENDPOINT_URL_SFN and AWS_ENDPOINT_URL_DYNAMODB go together"),
        }
    }

    /// AWS, with requests that are signed.
    fn aws() -> anyhow::Result<Self> {
        let client = client()?;
        let region = std::env::var("AWS_REGION").context("AWS_REGION")?;
        let signer = Arc::new(Signer::from_environment(&region)?);
        let url = |service: &str| format!("https://{service}.{region}.amazonaws.com/");
        let step_functions = Service::step_functions(client.clone(), url("states"));
        let dynamodb = Service::dynamodb(client.clone(), url("dynamodb"));
        Ok(Self {
            step_functions: step_functions.signed(Arc::clone(&signer)),
            dynamodb: dynamodb.signed(signer),
            client,
            table: variable("CIRCUITS_TABLE", Config::TABLE),
            local: None,
            stack: None,
            starts: Starts::Synchronous,
            function_maker: None,
            reaches_partners: partner_host().is_some(),
            is_aws: true,
        })
    }

    /// The same engine, with these policy files deployed as a stack.
    pub(crate) async fn with_stack(&self, command: &str, name: &str, files: &[&Value]) -> anyhow::Result<Self> {
        let stack = Stack::deploy(command, name, files).await?;
        Ok(Self {
            client: self.client.clone(),
            step_functions: self.step_functions.clone(),
            dynamodb: self.dynamodb.clone(),
            table: stack.output("TableName")?.to_owned(),
            local: None,
            stack: Some(stack),
            starts: self.starts,
            function_maker: self.function_maker.clone(),
            reaches_partners: self.reaches_partners,
            is_aws: self.is_aws,
        })
    }

    /// The system in this process, with these policy files; with `store_faults` its table can be made to fail.
    pub(crate) async fn start(
        files: &[Value],
        store_faults: bool,
        observer: Option<Arc<dyn Observer>>,
    ) -> anyhow::Result<Self> {
        let circuits = TempDir::new()?;
        for file in files {
            let name = file["circuit"].as_str().context("a policy has a circuit")?;
            std::fs::write(circuits.path().join(format!("{name}.json")), file.to_string())?;
        }
        let client = client()?;
        let mut config = Config::new(circuits.path());
        config.observer = observer;
        let mut store = None;
        let mut upstream = None;
        if store_faults {
            let database = serve_database().await?;
            let proxy = StoreProxy::start(database.clone(), client.clone()).await?;
            config.dynamodb_endpoint = Some(proxy.url());
            store = Some(proxy);
            upstream = Some(database);
        }
        let system = System::start(config).await?;
        warm(system.lambda_host()).await;
        let dynamodb = upstream.unwrap_or_else(|| system.dynamodb_url().to_owned());
        Ok(Self {
            step_functions: Service::step_functions(client.clone(), system.aws_url()),
            dynamodb: Service::dynamodb(client.clone(), dynamodb),
            client,
            table: system.table().to_owned(),
            local: Some(Local {
                system,
                store,
                _circuits: circuits,
            }),
            stack: None,
            starts: Starts::Synchronous,
            function_maker: None,
            reaches_partners: true,
            is_aws: false,
        })
    }

    /// Makes the circuit's machine, and gives its ARN. The system in this process has made it already, and only a variation
    /// changes it.
    pub(crate) async fn deploy(&self, deployed: &Deployed, variation: &Variation) -> anyhow::Result<String> {
        let circuit = &deployed.circuit;
        let mut names = self.names(circuit);
        if let Some(table) = &variation.read_table {
            names.circuits_table.clone_from(table);
        }
        for (function, name) in &variation.names {
            *match function {
                FunctionName::CallPartner => &mut names.call_partner_function,
                FunctionName::AcquireProbe => &mut names.acquire_probe_function,
                FunctionName::RecordOutcome => &mut names.record_outcome_function,
            } = name.clone();
        }
        let mut definition: Value = serde_json::from_str(&bind(DEFINITION, deployed, &names)?)?;
        merge(&mut definition["States"]["Load Policy"]["Result"], &variation.policy);
        merge(&mut definition, &variation.definition);
        let definition = definition.to_string();
        match &self.local {
            Some(local) => {
                let info = local.system.circuits().iter().find(|info| info.name == *circuit);
                let arn = info.context("the system has the circuit")?.machine_arn.clone();
                let update = json!({ "stateMachineArn": arn, "definition": definition });
                self.step_functions.call("UpdateStateMachine", &update).await?;
                Ok(arn)
            }
            None => {
                // What is deployed is played as it is.
                let deployed = self.stack_machine(circuit);
                if let Some(deployed) = deployed.filter(|_| *variation == Variation::default()) {
                    return Ok(deployed.to_owned());
                }
                static MADE: AtomicUsize = AtomicUsize::new(0);
                let number = MADE.fetch_add(1, Ordering::Relaxed);
                let create = json!({
                    "name": format!("circuit-{circuit}-{}-{number}", std::process::id()),
                    "definition": definition,
                    "type": "EXPRESS",
                    "roleArn": role(),
                });
                let created = self.step_functions.call("CreateStateMachine", &create).await?;
                Ok(created["stateMachineArn"]
                    .as_str()
                    .context("a machine has an ARN")?
                    .to_owned())
            }
        }
    }

    /// Takes a machine away that was made for a case. The system in this process goes with all of its own.
    pub(crate) async fn undeploy(&self, machine_arn: &str) -> anyhow::Result<()> {
        let is_deployed = self.stack.as_ref().is_some_and(|stack| stack.has_machine(machine_arn));
        if self.local.is_none() && !is_deployed {
            let delete = json!({ "stateMachineArn": machine_arn });
            self.step_functions.call("DeleteStateMachine", &delete).await?;
        }
        Ok(())
    }

    /// Starts an execution, and waits for its end.
    pub(crate) async fn execute(&self, machine_arn: &str, input: &Value) -> anyhow::Result<Value> {
        let start = json!({ "stateMachineArn": machine_arn, "input": input.to_string() });
        if self.starts == Starts::Synchronous {
            return self.step_functions.start_sync(&start).await;
        }
        let started = self.step_functions.call("StartExecution", &start).await?;
        let describe = json!({ "executionArn": started["executionArn"] });
        let mut described = Value::Null;
        // As long as a machine may run, and a little: 28 s.
        eventually_elsewhere(Duration::from_secs(40), "the execution ends", async || {
            described = self.step_functions.call("DescribeExecution", &describe).await?;
            Ok(described["status"] != "RUNNING")
        })
        .await?;
        Ok(described)
    }

    /// Another engine has one function of each kind, since a policy comes with each invocation.
    fn names(&self, circuit: &str) -> Names {
        let name = |variable_name: &str, function: FunctionName| {
            let output = function.output();
            let deployed = self.stack.as_ref().and_then(|stack| stack.output(output).ok());
            deployed.map_or_else(|| variable(variable_name, function.as_str()), str::to_owned)
        };
        Names {
            circuits_table: self.table.clone(),
            call_partner_function: match self.local {
                Some(_) => own_name(FunctionName::CallPartner, circuit),
                None => name("CALL_PARTNER_FUNCTION", FunctionName::CallPartner),
            },
            acquire_probe_function: name("ACQUIRE_PROBE_FUNCTION", FunctionName::AcquireProbe),
            record_outcome_function: name("RECORD_OUTCOME_FUNCTION", FunctionName::RecordOutcome),
        }
    }

    fn stack_machine(&self, circuit: &str) -> Option<&str> {
        self.stack.as_ref()?.machine_arn(circuit)
    }

    /// Where the front door is, if there is one.
    pub(crate) fn front_door(&self) -> Option<String> {
        match (&self.local, &self.stack) {
            (Some(local), _) => Some(local.system.front_door_url()),
            (None, Some(stack)) => stack.output("LocalUrl").ok().map(str::to_owned),
            (None, None) => None,
        }
    }

    /// What was announced of these circuits; none where the engine can't tell.
    pub(crate) async fn events(&self, circuits: &[&str]) -> anyhow::Result<Option<Vec<Value>>> {
        let events = match &self.local {
            Some(local) => local.system.events().list(),
            None if self.is_aws => return Ok(None),
            None => {
                let url = format!("{}/_local/events", self.step_functions.endpoint());
                let answer = self.client.get(url).send().await?;
                if !answer.status().is_success() {
                    return Ok(None);
                }
                let listed: Value = serde_json::from_str(&answer.text().await?)?;
                listed["events"].as_array().cloned().unwrap_or_default()
            }
        };
        let ours = |event: &Value| circuits.iter().any(|circuit| event["detail"]["circuit"] == *circuit);
        Ok(Some(events.into_iter().filter(ours).collect()))
    }

    pub(crate) async fn stop(self) {
        if let Some(local) = self.local {
            local.system.stop().await;
        }
    }
}

impl Local {
    /// Adds a function of one circuit's own, and gives its name.
    pub(crate) fn add(&self, name: FunctionName, function: &Function, circuit: &str) -> anyhow::Result<String> {
        let (executable, part) = match &function.is {
            Kind::Missing => return Ok(format!("missing-{circuit}")),
            Kind::Broken => (PathBuf::from("/nowhere/at/all"), None),
            Kind::Shipped => (binaries()?.join(name.as_str()), None),
            Kind::Gives(value) => (binaries()?.join("stand-in"), Some(json!({ "gives": value }))),
            Kind::Fails(error) => (binaries()?.join("stand-in"), Some(json!({ "fails": error }))),
            Kind::Exits => (binaries()?.join("stand-in"), Some(json!("exits"))),
            Kind::Hangs => (binaries()?.join("stand-in"), Some(json!("hangs"))),
        };
        let own_name = own_name(name, circuit);
        self.system.lambda_host().add(FunctionSpec {
            name: own_name.clone(),
            executable,
            arguments: Vec::new(),
            timeout: Duration::from_millis(function.timeout_ms.unwrap_or(60_000)),
            memory_mb: 128,
            max_concurrency: function.max_concurrency.unwrap_or(100),
            variables: part
                .map(|part| ("STAND_IN".to_owned(), part.to_string()))
                .into_iter()
                .collect(),
        });
        Ok(own_name)
    }

    /// Kills (-9) every process that works for a circuit's own function; waits for one.
    pub(crate) async fn kill(&self, name: FunctionName, circuit: &str) -> anyhow::Result<()> {
        let function = own_name(name, circuit);
        let busy = || self.system.lambda_host().busy_processes(&function);
        eventually("a process works for the function", async || Ok(!busy().is_empty())).await?;
        for pid in busy() {
            // One may have answered by now, and then is killed while it waits.
            kill(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL)?;
        }
        Ok(())
    }
}

/// The name of a circuit's own function.
fn own_name(name: FunctionName, circuit: &str) -> String {
    format!("{}-{circuit}", name.as_str())
}

/// The role of machines that are made for cases.
pub(crate) fn role() -> String {
    variable("STATE_MACHINE_ROLE", "arn:aws:iam::000000000000:role/tests")
}

fn variable(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

/// Where cargo puts the executables.
fn binaries() -> anyhow::Result<PathBuf> {
    let executable = std::env::current_exe()?;
    let deps = executable.parent().context("an executable is in a directory")?;
    let directory = deps.parent().filter(|_| deps.ends_with("deps")).unwrap_or(deps);
    ensure!(
        directory.join("stand-in").is_file(),
        "{} is missing; build it with `cargo build --bins`",
        directory.join("stand-in").display()
    );
    Ok(Path::new(directory).to_path_buf())
}

/// A DynamoDB for the proxy to stand before, on a free port, for as long as the runtime lives.
async fn serve_database() -> anyhow::Result<String> {
    let database = Database::memory()?;
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(dynoxide::server::serve_with_shutdown(
        listener,
        database,
        std::future::pending(),
    ));
    Ok(format!("http://{address}"))
}

/// Starts some processes of the shared functions: on a busy machine the first start of all could take a good part of a
/// Task's second.
async fn warm(lambda: &LambdaHost) {
    let invocations = [FunctionName::AcquireProbe, FunctionName::RecordOutcome]
        .into_iter()
        .flat_map(|function| [function; 4])
        // They refuse the payload, which is as good.
        .map(|function| lambda.invoke(function.as_str(), "{}".into()));
    futures_util::future::join_all(invocations).await;
}
