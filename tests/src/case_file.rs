//! The files of cases, read and checked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::case::Case;

/// A file of cases about one subject.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CaseFile {
    /// The subject, for a reader.
    #[serde(rename = "about")]
    _about: String,
    pub(crate) cases: Vec<Case>,
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) name: String,
}

/// The directory with the files of cases.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// Reads every file of cases, and checks that each id is there once. (`patterns.json` is the policy's, and no such file.)
pub(crate) fn load() -> anyhow::Result<Vec<CaseFile>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory())?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("patterns.json"));
    paths.sort();
    let mut ids = BTreeSet::new();
    let mut files = Vec::new();
    for path in paths {
        let file = read(&path).with_context(|| path.display().to_string())?;
        for case in &file.cases {
            case.check()
                .with_context(|| format!("{}: {}", path.display(), case.id))?;
            ensure!(
                ids.insert(case.id.clone()),
                "{}: the id {} is there twice",
                path.display(),
                case.id
            );
        }
        files.push(file);
    }
    Ok(files)
}

impl CaseFile {
    /// Cases that a test has made, each checked as those in files are.
    pub(crate) fn made(name: &str, cases: Vec<Value>) -> anyhow::Result<Self> {
        let cases = cases.into_iter().map(|case| {
            let told = case.to_string();
            let case: Case = serde_json::from_value(case).with_context(|| told.clone())?;
            case.check().with_context(|| told)?;
            Ok(case)
        });
        Ok(Self {
            _about: String::new(),
            cases: cases.collect::<anyhow::Result<_>>()?,
            name: name.to_owned(),
        })
    }
}

fn read(path: &Path) -> anyhow::Result<CaseFile> {
    let mut file: CaseFile = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    file.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(file)
}
