//! Reading items for a person: one, none, and all of a table that does not fit into one answer.

// Helpers of tests may fail as tests do; Clippy excuses only the test functions themselves.
#![allow(clippy::unwrap_used)]

mod embedded;

use breaker::attribute::Attribute;
use breaker::update::{Assignment, Update};
use circuit_table::{ReadError, Table};
use embedded::TABLE;

/// A page of a scan holds a megabyte.
const BYTES: usize = 300_000;

fn large() -> Update {
    let text = Attribute::string("x".repeat(BYTES));
    Update {
        conditions: Vec::new(),
        assignments: vec![Assignment::Set("large".to_owned(), text)],
        repeatable: false,
    }
}

#[tokio::test]
async fn one_item_is_read_and_all_of_them_are_listed_by_their_circuits() {
    let (client, _database) = embedded::start().await;
    let table = Table::new(client, TABLE);
    assert_eq!(table.read("c0").await.unwrap(), None);
    assert!(table.list().await.unwrap().is_empty());
    let circuits: Vec<_> = (0..8).map(|number| format!("c{number}")).collect();
    for circuit in &circuits {
        table.write(circuit, &large()).await.unwrap();
    }
    let read = table.read("c0").await.unwrap().unwrap();
    let attributes: Vec<_> = read.attributes().keys().collect();
    assert_eq!(attributes, ["large"], "the key is no attribute of the breaker's");
    let listed = table.list().await.unwrap();
    assert_eq!(listed.keys().cloned().collect::<Vec<_>>(), circuits);
    assert!(listed.values().all(|item| *item == read));
}

#[tokio::test]
async fn a_table_that_is_not_there_is_named_with_dynamodbs_code() {
    let (client, _database) = embedded::start().await;
    let table = Table::new(client, "another");
    for error in [
        table.read("a").await.map(drop).unwrap_err(),
        table.list().await.map(drop).unwrap_err(),
    ] {
        let text = error.to_string();
        assert_eq!(text, "table another can't be read (ResourceNotFoundException)");
        assert!(matches!(error, ReadError::Failed { .. }));
    }
}
