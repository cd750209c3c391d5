//! The system with the scripted function in the place of every Lambda, and a definition for tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use stepbreaker_local::{Config, System};
use tempfile::TempDir;

use super::scripted_function;

/// A running system with its files.
pub struct TestSystem {
    pub system: System,
    /// Held until the end of the test.
    _files: TempDir,
}

impl TestSystem {
    pub async fn start() -> Self {
        Self::start_with(|config| config).await
    }

    pub async fn start_with(change: impl FnOnce(Config) -> Config) -> Self {
        let files = tempfile::tempdir().expect("a directory");
        let system = System::start(change(config(files.path())))
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Self { system, _files: files }
    }

    pub fn door(&self) -> String {
        self.system.front_door_url()
    }

    pub fn aws(&self) -> String {
        self.system.aws_url()
    }

    pub fn machine(&self) -> String {
        self.system.circuits()[0].machine_arn.clone()
    }
}

/// A configuration with one circuit, `tested`, in this directory.
pub fn config(directory: &Path) -> Config {
    let circuits = directory.join("circuits");
    fs::create_dir(&circuits).expect("a directory");
    let policy = json!({
        "circuit": "tested",
        "route": { "method": "GET", "path": "/do/{do}" },
        "params": { "do": "[a-z, ]{1,40}" },
        "call": { "url": "http://127.0.0.1:1/{do}", "timeoutMs": 800 },
        "fallback": { "body": { "placeholder": true } },
    });
    fs::write(circuits.join("tested.json"), policy.to_string()).expect("a file");
    Config {
        definition: Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/local/common/definition.asl.json")),
        lambdas: Some(lambdas(directory)),
        ..Config::new(circuits)
    }
}

/// The directory of policies that such a configuration has.
pub fn circuits(config: &Config) -> &Path {
    config.circuits.as_deref().expect("it has circuits")
}

/// A directory with the three executables, each of which becomes the scripted function.
pub fn lambdas(directory: &Path) -> PathBuf {
    let lambdas = directory.join("lambdas");
    fs::create_dir(&lambdas).expect("a directory");
    let (executable, arguments) = scripted_function::command();
    let script = format!("#!/bin/sh\nexec '{}' {}\n", executable.display(), arguments.join(" "));
    for name in ["call-partner", "acquire-probe", "record-outcome"] {
        let file = lambdas.join(name);
        fs::write(&file, &script).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    lambdas
}
