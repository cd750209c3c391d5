//! What is wrong with a policy: the file, the field, the value it had and what is allowed.

use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, or the directory where a set of policies is wrong as a set.
    pub file: PathBuf,
    /// The field, as in `call.timeoutMs`; empty where the file as a whole is wrong.
    pub field: String,
    /// The value that it had, shortened, or why it isn't shown.
    pub found: String,
    /// What is allowed instead.
    pub allowed: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", one_line(&self.file.to_string_lossy()))?;
        if !self.field.is_empty() {
            write!(f, "{}: ", one_line(&self.field))?;
        }
        if !self.found.is_empty() {
            write!(f, "{}; ", one_line(&self.found))?;
        }
        write!(f, "allowed: {}", self.allowed)
    }
}

/// A file's name, its keys and its values are shown: none of them starts a line, or means something to a terminal.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for next in text.chars() {
        if next.is_control() {
            line.extend(next.escape_default());
        } else {
            line.push(next);
        }
    }
    line
}

/// Why a policy, or a set of them, was refused: every problem that was found, at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refused {
    /// In the order of the files and their fields.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Collects the problems of one file.
pub(crate) struct Problems<'a> {
    file: &'a Path,
    found: Vec<Problem>,
}

impl<'a> Problems<'a> {
    pub(crate) fn of(file: &'a Path) -> Self {
        Self {
            file,
            found: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, field: impl Into<String>, found: impl Into<String>, allowed: impl Into<String>) {
        self.found.push(Problem {
            file: self.file.to_path_buf(),
            field: field.into(),
            found: found.into(),
            allowed: allowed.into(),
        });
    }

    /// Whether the field, or one inside it, already has a problem, so that a rule about it would only say so again.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.found.iter().any(|problem| {
            problem
                .field
                .strip_prefix(field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    pub(crate) fn into_result<T>(self, value: T) -> Result<T, Refused> {
        if self.found.is_empty() {
            Ok(value)
        } else {
            Err(Refused { problems: self.found })
        }
    }

    pub(crate) fn into_refused(self) -> Refused {
        Refused { problems: self.found }
    }
}
