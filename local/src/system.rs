//! The system: everything started in its order, and stopped in the opposite one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::aws::AwsPort;
use crate::circuits::{self, Circuit, ExampleBody, Executables, SECRETS_FILE, Setup, Template};
use crate::config::Config;
use crate::dynamodb::DynamoDb;
use crate::error::{Cause, StartError};
use crate::front_door::FrontDoor;
use crate::http::Server;
use crate::integrations::{EventBus, Functions, Integrations, LambdaEndpoint};
use crate::lambda_host::{LambdaHost, Surroundings};
use crate::sfn_local::{MockConfig, StepFunctionsLocal};
use crate::step_functions::{Arns, Manners, StepFunctions};

/// Each process of a function needs four of them, each caller one; many systems allow 1,024 or 256.
const OPEN_FILES: u64 = 16_384;
/// How long a stopping system waits for what is under way.
const STOP_LIMIT: Duration = Duration::from_secs(3);

/// A running system. Dropping it ends it too, but does not wait for that.
#[derive(Debug)]
pub struct System {
    front_door: SocketAddr,
    aws: SocketAddr,
    step_functions_local: Option<SocketAddr>,
    circuits: Vec<CircuitInfo>,
    table: String,
    region: String,
    dynamodb: Arc<DynamoDb>,
    lambda: Arc<LambdaHost>,
    events: Arc<EventBus>,
    servers: Vec<JoinHandle<()>>,
    /// Stops what takes requests.
    doors: watch::Sender<bool>,
    /// Stops what requests under way need.
    stores: watch::Sender<bool>,
}

/// A circuit, for whoever wants to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitInfo {
    /// Its name.
    pub name: String,
    /// The ARN of its machine.
    pub machine_arn: String,
    /// Method and path of its own route, if it has one: `GET`, `/books/{isbn}/delivery-time`.
    pub route: Option<(String, String)>,
    /// The parameters that its route takes from the query.
    pub query: Vec<String>,
    /// Parameters to try it with: values that match, or where none was found the parameter's name in capitals.
    pub example: BTreeMap<String, String>,
    /// A body to try it with, where it passes on the customer's.
    pub example_body: Option<ExampleBody>,
}

impl System {
    /// Starts everything and returns once all of it answers. It needs a tokio runtime with several threads.
    ///
    /// # Errors
    /// A policy, port, executable, definition or DynamoDB that can't be used: nothing is left running then.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Ok(start(config).await?)
    }

    /// Where customers call: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn front_door_url(&self) -> String {
        format!("http://{}", self.front_door)
    }

    /// The endpoint for AWS SDKs and the CLI: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn aws_url(&self) -> String {
        format!("http://{}", self.aws)
    }

    /// The endpoint where Step Functions Local would be, if the system stands in for it.
    #[must_use]
    pub fn step_functions_local_url(&self) -> Option<String> {
        self.step_functions_local.map(|address| format!("http://{address}"))
    }

    /// The endpoint of DynamoDB itself, as the functions use it.
    #[must_use]
    pub fn dynamodb_url(&self) -> &str {
        self.dynamodb.endpoint()
    }

    /// The name of the table of circuits.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The region of every ARN.
    #[must_use]
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The circuits, in the order of their files' names.
    #[must_use]
    pub fn circuits(&self) -> &[CircuitInfo] {
        &self.circuits
    }

    /// The functions and their processes.
    #[must_use]
    pub fn lambda_host(&self) -> &LambdaHost {
        &self.lambda
    }

    /// The events that were put on the bus.
    #[must_use]
    pub fn events(&self) -> &EventBus {
        &self.events
    }

    /// Stops: takes no more requests, lets those under way end for some seconds, and ends every process.
    pub async fn stop(mut self) {
        self.doors.send_replace(true);
        let servers = futures_util::future::join_all(std::mem::take(&mut self.servers));
        let _ = tokio::time::timeout(STOP_LIMIT, servers).await;
        self.lambda.stop().await;
        self.stores.send_replace(true);
    }
}

async fn start(config: Config) -> Result<System, Cause> {
    check(&config)?;
    let policies = match &config.circuits {
        Some(directory) => circuits::load(directory)?,
        None => Vec::new(),
    };
    circuits::look_for_secrets(&policies, secrets_file(&config))?;
    let template = match config.definition {
        Some(file) => Template::read(&file).map_err(|source| Cause::Definition { file, source })?,
        None => Template::shipped(),
    };
    let executables = match config.circuits {
        Some(_) => {
            let directory = config.lambdas.unwrap_or_else(Executables::usual_directory);
            Some(Executables::in_directory(&directory)?)
        }
        None => None,
    };
    let (mocks, lambda_endpoint) = match &config.step_functions_local {
        Some(local) => (Some(mocks(local)?), lambda_endpoint(local)?),
        None => (None, None),
    };
    // A front door that leads nowhere is not worth a port that somebody else may want.
    let port = config.circuits.as_ref().map_or(0, |_| config.port);
    let front_door = bind("--port", port).await?;
    let aws = bind("--aws-port", config.aws_port).await?;
    let step_functions_local = match &config.step_functions_local {
        Some(local) => Some(bind("--sfn-local-port", local.port).await?),
        None => None,
    };
    allow_open_files();

    let (stores, stop_stores) = watch::channel(false);
    let dynamodb = match &config.dynamodb_endpoint {
        Some(endpoint) => DynamoDb::at(endpoint)?,
        None => DynamoDb::embed(stop_stores).await?,
    };
    if executables.is_some() {
        let no_table = |source| Cause::Table {
            endpoint: dynamodb.endpoint().to_owned(),
            source,
        };
        dynamodb.ensure_table(&config.table).await.map_err(no_table)?;
    }

    let mut variables = vec![
        ("AWS_ENDPOINT_URL".to_owned(), format!("http://{}", aws.address())),
        ("AWS_ENDPOINT_URL_DYNAMODB".to_owned(), dynamodb.endpoint().to_owned()),
        ("CIRCUITS_TABLE".to_owned(), config.table.clone()),
    ];
    variables.extend(config.function_variables);
    let (region, account) = (config.region.clone(), config.account);
    let lambda = LambdaHost::new(Surroundings {
        region: region.clone(),
        account: account.clone(),
        variables,
    });
    let (dynamodb, lambda) = (Arc::new(dynamodb), Arc::new(lambda));
    let events = Arc::new(EventBus::new(&region, &account));
    let tasks = Integrations {
        dynamodb: Arc::clone(&dynamodb),
        functions: Functions {
            host: Arc::clone(&lambda),
            others: lambda_endpoint.map(Arc::new),
        },
        events: Arc::clone(&events),
    };
    let manners = Manners {
        observer: config.observer,
        strict: config.strict,
        mocks,
    };
    let step_functions = Arc::new(StepFunctions::new(Arns { region, account }, tasks, manners));

    let circuits: Vec<Circuit> = match &executables {
        Some(executables) => {
            let setup = Setup {
                template: &template,
                executables,
                table: &config.table,
                max_concurrency: config.max_concurrency,
            };
            setup.install_shared(&lambda);
            let installed = policies
                .iter()
                .map(|policy| setup.install(policy, &lambda, &step_functions));
            installed.collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };

    let (doors, stop_doors) = watch::channel(false);
    let (front_door_address, aws_address) = (front_door.address(), aws.address());
    let infos = circuits.iter().map(CircuitInfo::of).collect();
    let port = AwsPort {
        step_functions: Arc::clone(&step_functions),
        dynamodb: Arc::clone(&dynamodb),
        lambda: Arc::clone(&lambda),
        events: Arc::clone(&events),
    };
    let door = FrontDoor::new(circuits, step_functions, Arc::clone(&dynamodb), config.table.clone());
    let step_functions_local_address = step_functions_local.as_ref().map(Server::address);
    let mut servers: Vec<_> = [Some(aws), step_functions_local]
        .into_iter()
        .flatten()
        .map(|server| {
            let port = port.clone();
            server.spawn(stop_doors.clone(), move |request| port.clone().answer(request))
        })
        .collect();
    servers.push(front_door.spawn(stop_doors, move |request| door.clone().answer(request)));
    Ok(System {
        front_door: front_door_address,
        aws: aws_address,
        step_functions_local: step_functions_local_address,
        circuits: infos,
        table: config.table,
        region: config.region,
        dynamodb,
        lambda,
        events,
        servers,
        doors,
        stores,
    })
}

impl CircuitInfo {
    fn of(circuit: &Circuit) -> Self {
        let route = circuit
            .route
            .as_ref()
            .map(|route| (route.method.to_owned(), route.path.clone()));
        Self {
            name: circuit.name.clone(),
            machine_arn: circuit.machine_arn.clone(),
            route,
            query: circuit
                .route
                .as_ref()
                .map(|route| route.query.clone())
                .unwrap_or_default(),
            example: circuit.example.clone(),
            example_body: circuit.example_body.clone(),
        }
    }
}

fn check(config: &Config) -> Result<(), Cause> {
    if config.max_concurrency == 0 {
        return Err(Cause::NoConcurrency);
    }
    let is_region = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if config.region.is_empty() || config.region.len() > 32 || !config.region.chars().all(is_region) {
        return Err(Cause::Region {
            region: config.region.clone(),
        });
    }
    if config.account.len() != 12 || !config.account.chars().all(|c| c.is_ascii_digit()) {
        return Err(Cause::Account {
            account: config.account.clone(),
        });
    }
    Ok(())
}

/// The file that the callers will be told of.
fn secrets_file(config: &Config) -> Option<PathBuf> {
    let given = config.function_variables.iter().rfind(|(name, _)| name == SECRETS_FILE);
    given
        .map(|(_, file)| file.clone())
        .or_else(|| std::env::var(SECRETS_FILE).ok())
        .map(PathBuf::from)
}

fn mocks(local: &StepFunctionsLocal) -> Result<MockConfig, Cause> {
    match &local.mock_config {
        Some(file) => Ok(MockConfig::load(file)?),
        None => Ok(MockConfig::default()),
    }
}

fn lambda_endpoint(local: &StepFunctionsLocal) -> Result<Option<LambdaEndpoint>, Cause> {
    let Some(endpoint) = &local.lambda_endpoint else {
        return Ok(None);
    };
    LambdaEndpoint::to(endpoint)
        .map(Some)
        .map_err(|problem| Cause::LambdaEndpoint {
            endpoint: endpoint.clone(),
            problem,
        })
}

async fn bind(flag: &'static str, port: u16) -> Result<Server, Cause> {
    Server::bind(port)
        .await
        .map_err(|source| Cause::Port { flag, port, source })
}

/// Room for many processes and callers, as far as the hard limit goes.
fn allow_open_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| match OPEN_FILES.min(hard) {
        wanted if soft < wanted => setrlimit(Resource::RLIMIT_NOFILE, wanted, hard),
        _ => Ok(()),
    });
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files could not be raised; many callers at once may be refused");
    }
}
