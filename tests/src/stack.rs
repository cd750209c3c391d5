//! Circuits that somebody else deploys: the CDK app, on an engine behind `AWS_ENDPOINT_URL`.
//!
//! `STACK_DEPLOY` is a command. It is given a stack's name and a directory of policy files, deploys them, and prints what
//! `cdk deploy --outputs-file` writes; the API it made is this engine's front door.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::process::Command;

/// How many circuits are deployed as one stack: what the CDK app allows.
pub(crate) const CIRCUITS: usize = 24;

/// A deployed stack.
#[derive(Debug)]
pub(crate) struct Stack {
    outputs: Map<String, Value>,
}

impl Stack {
    /// The command that deploys, if there is one.
    pub(crate) fn command() -> Option<String> {
        std::env::var("STACK_DEPLOY").ok()
    }

    /// Deploys these policy files.
    pub(crate) async fn deploy(command: &str, name: &str, files: &[&Value]) -> anyhow::Result<Self> {
        let circuits = TempDir::new()?;
        for file in files {
            let name = file["circuit"].as_str().context("a policy has a circuit")?;
            std::fs::write(circuits.path().join(format!("{name}.json")), file.to_string())?;
        }
        let outputs = run(command, name, circuits.path()).await?;
        Ok(Self { outputs })
    }

    /// Something that the stack tells of itself.
    pub(crate) fn output(&self, name: &str) -> anyhow::Result<&str> {
        let value = self.outputs.get(name).and_then(Value::as_str);
        value.with_context(|| format!("the stack has no output {name}"))
    }

    pub(crate) fn has_machine(&self, machine_arn: &str) -> bool {
        self.outputs.values().any(|value| value == machine_arn)
    }

    /// The machine of one of its circuits.
    pub(crate) fn machine_arn(&self, circuit: &str) -> Option<&str> {
        let words = circuit.split(|c: char| !c.is_ascii_alphanumeric());
        let name: String = words.map(capitalised).collect();
        self.outputs.get(&format!("MachineArn{name}")).and_then(Value::as_str)
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

async fn run(command: &str, name: &str, circuits: &Path) -> anyhow::Result<Map<String, Value>> {
    let output = Command::new(command)
        .arg(name)
        .arg(circuits)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .await
        .with_context(|| command.to_owned())?;
    ensure!(output.status.success(), "{command} {name}: {}", output.status);
    let mut told: Value = serde_json::from_slice(&output.stdout).with_context(|| format!("what {command} prints"))?;
    let outputs = told[name].as_object_mut().map(std::mem::take);
    outputs.with_context(|| format!("{command} prints no outputs of {name}"))
}
