//! The functions of the circuits: which executables, with which time-outs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::Deployed;

use crate::lambda_host::FunctionSpec;

/// The functions that all circuits share.
pub(super) const ACQUIRE_PROBE: &str = "acquire-probe";
pub(super) const RECORD_OUTCOME: &str = "record-outcome";
const CALL_PARTNER: &str = "call-partner";

/// Their time-out. The Task's own, a second, comes first; this one only ends a process that hangs.
const SHARED_TIMEOUT: Duration = Duration::from_secs(3);
/// What every function is given.
const MEMORY_MB: u32 = 128;

/// The directory with the functions' executables.
#[derive(Debug)]
pub(crate) struct Executables(PathBuf);

/// One of them is not there.
#[derive(Debug, thiserror::Error)]
#[error("{} is missing; build it with `cargo build --bins`, or say with --lambdas where the executables are", .file.display())]
pub(crate) struct MissingExecutable {
    file: PathBuf,
}

impl Executables {
    /// Checks that all are there.
    pub(crate) fn in_directory(directory: &Path) -> Result<Self, MissingExecutable> {
        for name in [CALL_PARTNER, ACQUIRE_PROBE, RECORD_OUTCOME] {
            let file = directory.join(name);
            if !file.is_file() {
                return Err(MissingExecutable { file });
            }
        }
        Ok(Self(directory.to_path_buf()))
    }

    /// Where cargo puts them: beside the running executable, or above `deps` for a test.
    pub(crate) fn usual_directory() -> PathBuf {
        let executable = std::env::current_exe().unwrap_or_default();
        let directory = executable.parent().unwrap_or(Path::new("."));
        match (directory.file_name(), directory.parent()) {
            (Some(name), Some(parent)) if name == "deps" => parent.to_path_buf(),
            _ => directory.to_path_buf(),
        }
    }

    /// The functions that all circuits share.
    pub(super) fn shared(&self, max_concurrency: usize) -> [FunctionSpec; 2] {
        [ACQUIRE_PROBE, RECORD_OUTCOME].map(|name| self.spec(name, name, SHARED_TIMEOUT, max_concurrency))
    }

    /// A circuit's own caller.
    pub(super) fn caller(&self, policy: &Deployed, max_concurrency: usize) -> FunctionSpec {
        let name = format!("{CALL_PARTNER}-{}", policy.circuit);
        self.spec(
            &name,
            CALL_PARTNER,
            caller_timeout(policy.call.timeout_ms),
            max_concurrency,
        )
    }

    fn spec(&self, name: &str, executable: &str, timeout: Duration, max_concurrency: usize) -> FunctionSpec {
        FunctionSpec {
            name: name.to_owned(),
            executable: self.0.join(executable),
            arguments: Vec::new(),
            timeout,
            memory_mb: MEMORY_MB,
            max_concurrency,
            variables: Vec::new(),
        }
    }
}

/// The call's own time-out rounded up to a whole second, which is what Lambda takes, plus one.
fn caller_timeout(timeout_ms: u64) -> Duration {
    Duration::from_secs(timeout_ms.div_ceil(1_000) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_timeout_is_the_calls_rounded_up_plus_a_second() {
        for (timeout_ms, seconds) in [(50, 2), (800, 2), (1_000, 2), (1_001, 3), (20_000, 21)] {
            assert_eq!(caller_timeout(timeout_ms), Duration::from_secs(seconds), "{timeout_ms}");
        }
    }

    #[test]
    fn a_missing_executable_is_named() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(CALL_PARTNER), "").unwrap();
        let missing = Executables::in_directory(directory.path()).unwrap_err().to_string();
        assert!(missing.contains("/acquire-probe is missing"), "{missing}");
    }
}
