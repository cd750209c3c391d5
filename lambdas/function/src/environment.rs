//! What a function is told by its environment. A bad value stops it at its start: it never becomes a default.

/// A variable that is missing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {variable} is missing: it must name {meaning}")]
pub struct Missing {
    variable: &'static str,
    meaning: &'static str,
}

/// The name of the table of circuits, from `CIRCUITS_TABLE`.
///
/// # Errors
/// [`Missing`] where it is not set, or empty.
pub fn circuits_table() -> Result<String, Missing> {
    let name = std::env::var("CIRCUITS_TABLE").ok().filter(|name| !name.is_empty());
    name.ok_or(Missing {
        variable: "CIRCUITS_TABLE",
        meaning: "the table of circuits",
    })
}
