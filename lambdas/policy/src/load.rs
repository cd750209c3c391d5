//! Loads policies from files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::deployed::Deployed;
use crate::file::{PolicyFile, Route};
use crate::problem::{Problem, Problems, Refused};
use crate::{check, json, limits, set};

/// A policy that was loaded: every rule holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Where it came from.
    pub file: PathBuf,
    /// Where the front door takes calls, besides `POST /circuits/NAME/calls`.
    pub route: Option<Route>,
    /// What is deployed of it.
    pub deployed: Deployed,
}

impl Policy {
    /// The circuit's name.
    pub fn circuit(&self) -> &str {
        &self.deployed.circuit
    }
}

/// Loads one file, which must have the circuit's name and end in `.json`.
///
/// # Errors
/// It can't be read, or every problem that it has.
pub fn load(file: &Path) -> Result<Policy, Refused> {
    let mut problems = Problems::of(file);
    match fs::metadata(file) {
        // Opening a pipe would wait for whoever writes to it.
        Ok(metadata) if !metadata.is_file() => {
            problems.add("", "is no regular file", "a policy file in UTF-8");
            return Err(problems.into_refused());
        }
        Ok(metadata) if metadata.len() > limits::FILE_BYTES => {
            let allowed = format!("at most {} bytes", limits::FILE_BYTES);
            problems.add("", format!("has {} bytes", metadata.len()), allowed);
            return Err(problems.into_refused());
        }
        _ => {}
    }
    match fs::read_to_string(file) {
        Ok(text) => parse(file, &text),
        Err(error) => {
            problems.add("", format!("can't be read: {error}"), "a policy file in UTF-8");
            Err(problems.into_refused())
        }
    }
}

/// Checks the text of one file; `file` is its name, and is not opened.
///
/// # Errors
/// Every problem that it has.
pub fn parse(file: &Path, text: &str) -> Result<Policy, Refused> {
    let mut problems = Problems::of(file);
    let value = match json::parse(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        Ok(value) => value,
        Err(error) => {
            problems.add("", format!("is no JSON: {error}"), "one JSON object");
            return Err(problems.into_refused());
        }
    };
    let name = file.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
    check::check(&value, &name, &mut problems);
    let mut problems = match problems.into_result(()) {
        Ok(()) => Problems::of(file),
        Err(refused) => return Err(refused),
    };
    // The types say the same as the checks. Should they ever disagree, the policy is refused rather than half-read.
    let file_types: PolicyFile = match serde_json::from_value(value) {
        Ok(file) => file,
        Err(error) => {
            problems.add(
                "",
                format!("can't be used: {error}"),
                "what policy.schema.json describes",
            );
            return Err(problems.into_refused());
        }
    };
    let route = file_types.route.clone();
    let deployed = Deployed::of(file_types);
    let length = serde_json::to_string(&deployed).map_or(usize::MAX, |text| text.len());
    if length > limits::DEPLOYED_BYTES {
        let allowed = format!(
            "at most {}, since it is a part of each execution's state",
            limits::DEPLOYED_BYTES
        );
        problems.add("", format!("has {length} bytes as it is deployed"), allowed);
    }
    problems.into_result(Policy {
        file: file.to_path_buf(),
        route,
        deployed,
    })
}

/// Loads all files of a directory that end in `.json` (hidden ones are left out), in the order of their names, and
/// checks them as a set.
///
/// # Errors
/// The directory can't be read or has no policy; every problem of every file, and every one of the set.
pub fn load_dir(directory: &Path) -> Result<Vec<Policy>, Refused> {
    let mut problems = Problems::of(directory);
    let entries = fs::read_dir(directory).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let mut files: Vec<PathBuf> = match entries {
        Ok(entries) => entries
            .iter()
            .map(fs::DirEntry::path)
            .filter(|path| is_policy(path))
            .collect(),
        Err(error) => {
            problems.add("", format!("can't be read: {error}"), "a directory of policy files");
            return Err(problems.into_refused());
        }
    };
    files.sort();
    if files.is_empty() {
        problems.add("", "has no policy", "one file NAME.json per circuit at least");
        return Err(problems.into_refused());
    }
    let mut policies = Vec::new();
    let mut found: Vec<Problem> = Vec::new();
    for file in &files {
        match load(file) {
            Ok(policy) => policies.push(policy),
            Err(refused) => found.extend(refused.problems),
        }
    }
    if let Err(refused) = set::check(&policies, directory) {
        found.extend(refused.problems);
    }
    if found.is_empty() {
        Ok(policies)
    } else {
        Err(Refused { problems: found })
    }
}

fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
        && !path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'))
        && !path.is_dir()
}
