//! Functions of a case's own on another engine: made by Lambda's API from the archives that `CASES_FUNCTIONS` names.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Map, Value, json};

use crate::case::{Case, Function, FunctionName, Kind};
use crate::deadline::{WITHIN, eventually_elsewhere};
use crate::http::UNVERIFIED;

/// Makes functions.
#[derive(Clone, Debug)]
pub(crate) struct FunctionMaker {
    client: reqwest::Client,
    endpoint: String,
    /// With an archive for each of our functions, one of the stand-in, and one whose `bootstrap` can't be started.
    archives: PathBuf,
}

impl FunctionMaker {
    /// Where the environment says how.
    pub(crate) fn from_environment(client: &reqwest::Client, endpoint: &str) -> Option<Self> {
        Some(Self {
            client: client.clone(),
            endpoint: endpoint.to_owned(),
            archives: std::env::var_os("CASES_FUNCTIONS")?.into(),
        })
    }

    /// Makes the functions of a case, and gives their names.
    pub(crate) async fn make(&self, case: &Case, table: &str) -> anyhow::Result<Vec<(FunctionName, String)>> {
        let mut names = Vec::new();
        for (function, own) in &case.functions {
            static MADE: AtomicUsize = AtomicUsize::new(0);
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = format!("case-{}-{number}-{}", std::process::id(), function.as_str());
            if !matches!(own.is, Kind::Missing) {
                let made = self.make_one(&name, *function, own, table).await;
                made.with_context(|| format!("the function {name}"))?;
            }
            names.push((*function, name));
        }
        Ok(names)
    }

    /// Takes them away.
    pub(crate) async fn remove(&self, case: &Case, names: &[(FunctionName, String)]) -> anyhow::Result<()> {
        for (function, name) in names {
            if !matches!(case.functions[function].is, Kind::Missing) {
                let path = format!("2015-03-31/functions/{name}");
                self.ask(reqwest::Method::DELETE, &path, None).await?;
            }
        }
        Ok(())
    }

    /// Kills (-9) every process of a function, which an engine on this machine runs as such; waits for one.
    pub(crate) async fn kill(&self, name: &str) -> anyhow::Result<()> {
        let variable = format!("AWS_LAMBDA_FUNCTION_NAME={name}");
        eventually_elsewhere(WITHIN, "a process runs for the function", async || {
            let found = processes_with(&variable)?;
            for pid in &found {
                kill(*pid, Signal::SIGKILL)?;
            }
            Ok(!found.is_empty())
        })
        .await
    }

    async fn make_one(&self, name: &str, function: FunctionName, own: &Function, table: &str) -> anyhow::Result<()> {
        let (archive, part) = match &own.is {
            Kind::Missing | Kind::Broken => ("broken", None),
            Kind::Shipped => (function.as_str(), None),
            Kind::Gives(value) => ("stand-in", Some(json!({ "gives": value }))),
            Kind::Fails(error) => ("stand-in", Some(json!({ "fails": error }))),
            Kind::Exits => ("stand-in", Some(json!("exits"))),
            Kind::Hangs => ("stand-in", Some(json!("hangs"))),
        };
        let mut variables = Map::new();
        if matches!(own.is, Kind::Shipped) && function != FunctionName::CallPartner {
            variables.insert("CIRCUITS_TABLE".to_owned(), table.into());
        }
        if let Some(part) = part {
            variables.insert("STAND_IN".to_owned(), part.to_string().into());
        }
        let archive = self.archives.join(format!("{archive}.zip"));
        let bytes = std::fs::read(&archive).with_context(|| archive.display().to_string())?;
        let create = json!({
            "FunctionName": name,
            "Runtime": "provided.al2023",
            "Handler": "bootstrap",
            "Role": crate::engine::role(),
            "Code": { "ZipFile": STANDARD.encode(bytes) },
            // Whole seconds, from 1 to 900.
            "Timeout": own.timeout_ms.unwrap_or(60_000).div_ceil(1000),
            "Environment": { "Variables": variables },
        });
        self.ask(reqwest::Method::POST, "2015-03-31/functions", Some(create))
            .await?;
        let configuration = format!("2015-03-31/functions/{name}/configuration");
        eventually_elsewhere(WITHIN, "the function is there", async || {
            let told = self.ask(reqwest::Method::GET, &configuration, None).await?;
            // One that can't be started fails here or when it is called, as the engine has it.
            Ok(told["State"] != "Pending")
        })
        .await?;
        if let Some(most) = own.max_concurrency {
            let path = format!("2017-10-31/functions/{name}/concurrency");
            let reserve = json!({ "ReservedConcurrentExecutions": most });
            self.ask(reqwest::Method::PUT, &path, Some(reserve)).await?;
        }
        Ok(())
    }

    async fn ask(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let url = format!("{}/{path}", self.endpoint);
        // One port of all services tells Lambda's paths from S3's by what a request is signed for.
        let signature = UNVERIFIED.replace("/any/", "/lambda/");
        let request = self.client.request(method, &url).header("authorization", signature);
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        let answer = request.send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{url}: {status} {text}");
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }
}

/// The processes with this variable in their environment.
fn processes_with(variable: &str) -> anyhow::Result<Vec<Pid>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let path = entry?.path();
        let Some(Ok(number)) = path.file_name().and_then(|name| name.to_str()).map(str::parse) else {
            continue;
        };
        // One that has ended by now, or is another's, has none that can be read.
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|held| held == variable.as_bytes())
        {
            found.push(Pid::from_raw(number));
        }
    }
    Ok(found)
}
