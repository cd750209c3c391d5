//! Where policies come from: files, a directory, or texts that another program hands over.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use policy::{Policy, Refused, load, load_dir, parse, set};
use serde::Deserialize;

/// What is to be checked.
#[derive(Debug)]
pub(crate) enum Given {
    Directory(PathBuf),
    Files(Vec<PathBuf>),
    Texts(Vec<Text>),
}

/// A policy that stands in no file of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// What problems call it; its name without `.json` must be the circuit's.
    file: PathBuf,
    text: String,
}

impl Given {
    pub(crate) fn of(arguments: &[PathBuf]) -> anyhow::Result<Self> {
        match arguments {
            [only] if only == Path::new("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                let texts = serde_json::from_str(&text).context("standard input is no list of {file, text}")?;
                Ok(Self::Texts(texts))
            }
            [only] if only.is_dir() => Ok(Self::Directory(only.clone())),
            files => Ok(Self::Files(files.to_vec())),
        }
    }
}

/// All of them, if each can work and all can together.
pub(crate) fn policies(given: &Given) -> Result<Vec<Policy>, Refused> {
    let checked: Vec<Result<Policy, Refused>> = match given {
        Given::Directory(directory) => return load_dir(directory),
        Given::Files(files) => files.iter().map(|file| load(file)).collect(),
        Given::Texts(texts) => texts.iter().map(|text| parse(&text.file, &text.text)).collect(),
    };
    let mut policies = Vec::new();
    let mut problems = Vec::new();
    for each in checked {
        match each {
            Ok(policy) => policies.push(policy),
            Err(refused) => problems.extend(refused.problems),
        }
    }
    if let Err(refused) = set::check(&policies, Path::new("the policies")) {
        problems.extend(refused.problems);
    }
    if problems.is_empty() {
        Ok(policies)
    } else {
        Err(Refused { problems })
    }
}
