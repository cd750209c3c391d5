//! The circuits that a command is about: what is deployed, and what is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use breaker::clock::Timestamp;
use breaker::item::Item;
use breaker::policy::Trip;
use circuit_table::Table;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::error::CommandError;
use crate::machine::{Machine, common_table, machines};

/// How long the machines are looked for where it works without them.
const PATIENCE: Duration = Duration::from_secs(3);

fn no_answer() -> CommandError {
    CommandError::Service {
        operation: "ListStateMachines",
        why: format!("no answer within {PATIENCE:?}"),
    }
}

/// The time now, in the item's own measure.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(since.as_millis().try_into().unwrap_or(u64::MAX))
}

/// The circuits of one table.
#[derive(Debug)]
pub(crate) struct Circuits {
    pub(crate) table: Table,
    machines: BTreeMap<String, Machine>,
    /// Why no machine is known, where Step Functions could not be asked.
    pub(crate) unknown: Option<CommandError>,
}

impl Circuits {
    /// Looks for the machines, and by them for the table, unless that is given. A table that is given is enough: who has
    /// to switch something off must not wait for Step Functions.
    ///
    /// # Errors
    /// No table is given, and the machines can't be asked for it or don't agree on one.
    pub(crate) async fn find(connection: &Connection, table: Option<&str>) -> Result<Self, CommandError> {
        let client = connection.step_functions();
        let looked = match table {
            Some(_) => timeout(PATIENCE, machines(&client))
                .await
                .unwrap_or_else(|_| Err(no_answer())),
            None => machines(&client).await,
        };
        let (found, unknown) = match looked {
            Ok(found) => (found, None),
            Err(error) if table.is_some() => (Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let table = match table {
            Some(table) => table.to_owned(),
            None => common_table(&found)?,
        };
        let name = table.rsplit('/').next().unwrap_or(&table);
        let ours = found.into_iter().filter(|machine| machine.table == name);
        Ok(Self {
            machines: ours.map(|machine| (machine.circuit.clone(), machine)).collect(),
            table: Table::configured(&connection.config, table),
            unknown,
        })
    }

    pub(crate) fn machine(&self, circuit: &str) -> Option<&Machine> {
        self.machines.get(circuit)
    }

    /// The machine of a circuit that must have one.
    ///
    /// # Errors
    /// It has none, or Step Functions could not be asked.
    pub(crate) fn deployed(&self, circuit: &str) -> Result<&Machine, CommandError> {
        match (self.machine(circuit), &self.unknown) {
            (Some(machine), _) => Ok(machine),
            (None, Some(error)) => Err(CommandError::Configuration {
                found: format!("the policy of {circuit} can't be read: {error}"),
                allowed: "this takes the permissions states:ListStateMachines and states:DescribeStateMachine"
                    .to_owned(),
            }),
            (None, None) => Err(self.not_found(circuit, "no machine here has its policy", None)),
        }
    }

    pub(crate) fn trip(&self, circuit: &str) -> Option<Trip> {
        self.machine(circuit)?.trip()
    }

    /// Every circuit that is deployed or has an item, in the order of their names.
    ///
    /// # Errors
    /// The table can't be read.
    pub(crate) async fn all(&self) -> Result<BTreeMap<String, Item>, CommandError> {
        let mut items = self.table.list().await?;
        for circuit in self.machines.keys() {
            items.entry(circuit.clone()).or_default();
        }
        Ok(items)
    }

    /// That there is no such circuit, and which ones there are.
    pub(crate) fn not_found(&self, circuit: &str, missing: &str, instead: Option<&str>) -> CommandError {
        let names: BTreeSet<&str> = self.machines.keys().map(String::as_str).collect();
        let names: Vec<_> = names.into_iter().collect();
        let known = match (instead, names.is_empty()) {
            (Some(instead), _) => instead.to_owned(),
            (None, true) => "none is deployed here".to_owned(),
            (None, false) => format!("there are {}", names.join(", ")),
        };
        CommandError::NotFound {
            circuit: circuit.to_owned(),
            missing: missing.to_owned(),
            known,
        }
    }
}
