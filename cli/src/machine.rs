//! The circuits that are deployed: their machines, each of which carries its policy in its first state.

use std::collections::BTreeSet;

use aws_sdk_sfn::Client;
use aws_sdk_sfn::types::{StateMachineListItem, StateMachineType};
use breaker::policy::Trip;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use crate::error::CommandError;

/// How many machines are described at once. AWS takes some ten of these requests a second.
const AT_ONCE: usize = 8;

/// The machine of a circuit.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) circuit: String,
    pub(crate) arn: String,
    /// The table that it reads.
    pub(crate) table: String,
    /// The policy as it is deployed, by whatever version.
    pub(crate) policy: Value,
}

impl Machine {
    /// The machine of a definition, if that is a circuit's: its first state is the policy, and one of its states reads a
    /// circuit. A name can't tell, since CDK makes it up.
    fn of(arn: &str, definition: &str) -> Option<Self> {
        let definition: Value = serde_json::from_str(definition).ok()?;
        let states = &definition["States"];
        let policy = &states["Load Policy"]["Result"];
        Some(Self {
            circuit: policy["circuit"].as_str()?.to_owned(),
            arn: arn.to_owned(),
            table: states["Read Circuit"]["Parameters"]["TableName"].as_str()?.to_owned(),
            policy: policy.clone(),
        })
    }

    /// When it opens; none where another version says it in another way.
    pub(crate) fn trip(&self) -> Option<Trip> {
        serde_json::from_value(self.policy["trip"].clone()).ok()
    }
}

/// Every circuit's machine in the account and region.
///
/// # Errors
/// Step Functions did not answer, or refused.
pub(crate) async fn machines(client: &Client) -> Result<Vec<Machine>, CommandError> {
    let pages = client.list_state_machines().into_paginator().items().send();
    let listed = pages.try_collect().await;
    let listed: Vec<StateMachineListItem> =
        listed.map_err(|error| CommandError::service("ListStateMachines", &error))?;
    let express = listed
        .into_iter()
        .filter(|machine| machine.r#type == StateMachineType::Express);
    let described = stream::iter(express).map(|machine| async move {
        let request = client
            .describe_state_machine()
            .state_machine_arn(&machine.state_machine_arn);
        match request.send().await {
            Ok(described) => Ok(Machine::of(&described.state_machine_arn, &described.definition)),
            // Deleted in between.
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_state_machine_does_not_exist()) =>
            {
                Ok(None)
            }
            Err(error) => Err(CommandError::service("DescribeStateMachine", &error)),
        }
    });
    let described: Vec<Option<Machine>> = described.buffered(AT_ONCE).try_collect().await?;
    Ok(described.into_iter().flatten().collect())
}

/// The one table that they all read.
///
/// # Errors
/// There is none, or more than one.
pub(crate) fn common_table(machines: &[Machine]) -> Result<String, CommandError> {
    let tables: BTreeSet<&str> = machines.iter().map(|machine| machine.table.as_str()).collect();
    let tables: Vec<_> = tables.into_iter().collect();
    match tables[..] {
        [only] => Ok(only.to_owned()),
        [] => Err(CommandError::Configuration {
            found: "no circuit's machine is deployed here, so that the table is not known".to_owned(),
            allowed: "check the region, or give --table".to_owned(),
        }),
        _ => Err(CommandError::Configuration {
            found: format!("the circuits here are in {} tables", tables.len()),
            allowed: format!("give --table with one of {}", tables.join(", ")),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn definition(policy: Value) -> String {
        json!({ "States": {
            "Load Policy": { "Result": policy },
            "Read Circuit": { "Parameters": { "TableName": "circuits" } },
        } })
        .to_string()
    }

    #[test]
    fn a_circuits_machine_is_known_by_its_definition() {
        let policy = json!({ "circuit": "a", "trip": { "failures": 5, "windowMs": 1000 } });
        let machine = Machine::of("arn", &definition(policy)).unwrap();
        assert_eq!((machine.circuit.as_str(), machine.table.as_str()), ("a", "circuits"));
        assert_eq!(machine.trip().map(|trip| trip.failures), Some(5));
        for other in ["", "{}", r#"{"States":{"Load Policy":{"Result":{"circuit":"a"}}}}"#] {
            assert!(Machine::of("arn", other).is_none(), "{other}");
        }
        let later = Machine::of("arn", &definition(json!({ "circuit": "a", "trip": { "else": 1 } }))).unwrap();
        assert_eq!(later.trip(), None);
    }

    #[test]
    fn one_table_is_known_without_being_told() {
        let machine = |table: &str| Machine {
            circuit: "a".to_owned(),
            arn: "arn".to_owned(),
            table: table.to_owned(),
            policy: Value::Null,
        };
        assert_eq!(common_table(&[machine("one"), machine("one")]).unwrap(), "one");
        assert!(common_table(&[]).is_err());
        let several = common_table(&[machine("one"), machine("two")]).unwrap_err().to_string();
        assert!(several.ends_with("give --table with one of one, two"), "{several}");
    }
}
