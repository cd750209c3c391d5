//! `status`: how circuits stand.

use std::collections::BTreeMap;
use std::io::Write;

use breaker::item::Item;
use serde_json::json;

use crate::circuits::{Circuits, now};
use crate::connection::Connection;
use crate::error::CommandError;
use crate::options::{ConnectionOptions, StatusOptions};
use crate::paint::Paint;
use crate::report::{Shown, table};
use crate::text::safe_json;
use crate::watch::watch;

/// Shows one circuit or all of them.
///
/// # Errors
/// The table can't be read, or there is no such circuit.
pub(crate) async fn status(connection: &ConnectionOptions, options: &StatusOptions) -> Result<(), CommandError> {
    let table = connection.table.as_deref();
    let circuits = Circuits::find(&Connection::open(connection).await?, table).await?;
    if let Some(error) = &circuits.unknown {
        eprintln!("stepbreaker: no policy is known, and no circuit that was never stored: {error}");
    }
    if options.watch {
        return watch(&circuits, options).await;
    }
    let items = look(&circuits, options.circuit.as_deref()).await?;
    let shown = Shown::all(&circuits, &items, now());
    let mut out = std::io::stdout().lock();
    let paint = Paint::for_stream(&out);
    match (&options.circuit, options.json) {
        (Some(_), true) => {
            for shown in &shown {
                writeln!(out, "{}", safe_json(&format!("{:#}", shown.json())))?;
            }
        }
        (None, true) => {
            let all: Vec<_> = shown.iter().map(Shown::json).collect();
            writeln!(out, "{}", safe_json(&format!("{:#}", json!({ "circuits": all }))))?;
        }
        (Some(_), false) => {
            for shown in &shown {
                writeln!(out, "{}", shown.sheet(paint))?;
            }
        }
        (None, false) => {
            for line in lines(&shown, paint) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// The items of one circuit, or of all.
pub(crate) async fn look(circuits: &Circuits, circuit: Option<&str>) -> Result<BTreeMap<String, Item>, CommandError> {
    let Some(circuit) = circuit else {
        return circuits.all().await;
    };
    match (circuits.table.read(circuit).await?, circuits.machine(circuit)) {
        (None, None) => {
            let missing = format!(
                "table {} has no item of it, and no machine its policy",
                circuits.table.name()
            );
            Err(circuits.not_found(circuit, &missing, None))
        }
        (item, _) => Ok(BTreeMap::from([(circuit.to_owned(), item.unwrap_or_default())])),
    }
}

pub(crate) fn lines(shown: &[Shown], paint: Paint) -> Vec<String> {
    if shown.is_empty() {
        return vec!["There is no circuit here.".to_owned()];
    }
    table(shown, paint)
}
