//! The circuits: one policy, one machine and one caller each, and what all of them share.

mod definition;
mod example;
mod functions;
mod secrets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use policy::{Params, Policy, Refused, Segment};

use crate::lambda_host::LambdaHost;
use crate::step_functions::{Kind, MachineSpec, StepFunctions, StepFunctionsError, Tags};

pub(crate) use definition::Template;
pub use example::ExampleBody;
pub(crate) use functions::{Executables, MissingExecutable};
pub(crate) use secrets::{SECRETS_FILE, SecretsError, look as look_for_secrets};

/// A circuit that can be called.
#[derive(Debug)]
pub(crate) struct Circuit {
    pub(crate) name: String,
    /// Where the front door takes calls, besides `POST /circuits/NAME/calls`: method, path as written, and its segments.
    pub(crate) route: Option<Route>,
    pub(crate) params: Params,
    /// How large a customer's body may be, in bytes; none where the circuit takes none.
    pub(crate) body_bytes: Option<u64>,
    /// Parameters to try it with.
    pub(crate) example: BTreeMap<String, String>,
    /// A body to try it with, where it takes one.
    pub(crate) example_body: Option<ExampleBody>,
    pub(crate) machine_arn: String,
}

/// A way into a circuit.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) segments: Vec<Segment>,
    /// The parameters that are taken from the query.
    pub(crate) query: Vec<String>,
}

/// Why the circuits can't be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CircuitError {
    /// Policies that can't work, each named with file, field, value and what is allowed.
    #[error(transparent)]
    Policies(#[from] Refused),
    /// A route or a pattern that the policy's own check let pass.
    #[error("{}: {problem}", .file.display())]
    Policy { file: PathBuf, problem: String },
    /// A definition that takes no policy.
    #[error("{origin}: {source}")]
    Bind {
        origin: String,
        source: policy::definition::BindError,
    },
    /// A definition that the engine refuses.
    #[error("{origin}, bound to the circuit {circuit}: {source}")]
    Machine {
        origin: String,
        circuit: String,
        source: StepFunctionsError,
    },
}

/// Loads the policies of a directory.
pub(crate) fn load(directory: &Path) -> Result<Vec<Policy>, CircuitError> {
    Ok(policy::load_dir(directory)?)
}

/// What circuits are set up with.
pub(crate) struct Setup<'a> {
    pub(crate) template: &'a Template,
    pub(crate) executables: &'a Executables,
    pub(crate) table: &'a str,
    pub(crate) max_concurrency: usize,
}

impl Setup<'_> {
    /// Adds the shared functions.
    pub(crate) fn install_shared(&self, lambda: &LambdaHost) {
        self.executables
            .shared(self.max_concurrency)
            .into_iter()
            .for_each(|spec| lambda.add(spec));
    }

    /// Adds a circuit's function and machine.
    pub(crate) fn install(
        &self,
        policy: &Policy,
        lambda: &LambdaHost,
        step_functions: &StepFunctions,
    ) -> Result<Circuit, CircuitError> {
        let refuse = |problem: String| CircuitError::Policy {
            file: policy.file.clone(),
            problem,
        };
        let name = policy.circuit().to_owned();
        let caller = self.executables.caller(&policy.deployed, self.max_concurrency);
        let definition = self.template.bind(&policy.deployed, self.table, &caller.name)?;
        lambda.add(caller);
        let spec = MachineSpec {
            name: format!("circuit-{name}"),
            kind: Kind::Express,
            definition,
            role_arn: "arn:aws:iam::000000000000:role/local".to_owned(),
            tags: Tags::default(),
        };
        let machine_arn = step_functions.create(spec).map_err(|source| CircuitError::Machine {
            origin: self.template.origin.clone(),
            circuit: name.clone(),
            source,
        })?;
        let route = match &policy.route {
            Some(route) => Some(Route {
                method: route.method.as_str(),
                path: route.path.clone(),
                segments: route.segments().map_err(|error| refuse(error.to_string()))?,
                query: route.query.clone(),
            }),
            None => None,
        };
        let example = example::params(&policy.deployed.params);
        let params = Params::compile(&policy.deployed.params).map_err(|error| refuse(error.to_string()))?;
        Ok(Circuit {
            name,
            route,
            params,
            body_bytes: policy.deployed.call.passes_body(),
            example,
            example_body: example::body(&policy.deployed.call),
            machine_arn,
        })
    }
}
