//! STANDARD and EXPRESS: which operations answer for which, as the README's table has it.

use serde_json::{Value, json};
use stepbreaker_local::Config;

use super::{PASS, create, ended, sfn};
use crate::common::system::TestSystem;

const README: &str = include_str!("../../../README.md");

/// What is asked of an execution.
const OF_EXECUTIONS: [&str; 4] = [
    "DescribeExecution",
    "GetExecutionHistory",
    "DescribeStateMachineForExecution",
    "StopExecution",
];

/// A machine of a kind, and what came of each operation on it and its execution.
async fn column(tested: &TestSystem, kind: &str) -> Vec<String> {
    let machine = create(tested, kind, PASS, kind).await;
    let body = json!({ "stateMachineArn": machine, "name": "once" });
    let started = sfn(tested, "StartExecution", body.clone()).await.json();
    let execution = started["executionArn"].as_str().unwrap();
    let shape: Vec<&str> = execution.split(':').skip(5).take(1).collect();
    let mut cells = vec![format!("`{}`", shape.join(":")), told(&started)];
    if kind == "STANDARD" {
        ended(tested, execution).await;
    }
    let again = sfn(tested, "StartExecution", body).await.json();
    cells.push(told(&again));
    for (operation, field, arn) in [
        ("StartSyncExecution", "stateMachineArn", machine.as_str()),
        ("ListExecutions", "stateMachineArn", machine.as_str()),
    ]
    .into_iter()
    .chain(OF_EXECUTIONS.map(|operation| (operation, "executionArn", execution)))
    {
        cells.push(told(&sfn(tested, operation, json!({ field: arn })).await.json()));
    }
    cells
}

fn told(answer: &Value) -> String {
    answer["__type"]
        .as_str()
        .map_or_else(|| "yes".to_owned(), |name| format!("`{name}`"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_operation_answers_for_the_kinds_that_the_readme_says() {
    let usual = TestSystem::start().await;
    let strict = TestSystem::start_with(|config| Config { strict: true, ..config }).await;
    let columns = [
        column(&usual, "STANDARD").await,
        column(&strict, "STANDARD").await,
        column(&strict, "EXPRESS").await,
        column(&usual, "EXPRESS").await,
    ];
    assert_eq!(columns[0], columns[1], "--strict changes nothing for STANDARD");
    let rows = [
        "an execution's ARN is an",
        "StartExecution",
        "StartExecution again, by the same name",
    ]
    .into_iter()
    .chain(["StartSyncExecution", "ListExecutions"])
    .chain(OF_EXECUTIONS);
    let mut table = String::from("| | STANDARD | EXPRESS with `--strict` | EXPRESS |\n| --- | --- | --- | --- |\n");
    for (row, name) in rows.enumerate() {
        let cells = [0, 2, 3].map(|column: usize| columns[column][row].as_str());
        table.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    let found = README
        .split_once("<!-- kinds -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- end of kinds -->"))
        .map(|(found, _)| found);
    assert_eq!(found, Some(table.as_str()), "local/README.md should have:\n{table}");
}
