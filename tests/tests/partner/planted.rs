//! A planted secret and a planted parameter value, searched for in everything that the system keeps, says and writes.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::echo;
use crate::spelling::{hits, percent};
use crate::system::System;

const SECRET: &str = "pLaNtEd/sEcReT+\"%&?";
const VALUE: &str = "pLaNtEd vAlUe/\"ä%&?";

fn policy(circuit: &str, url: &str) -> Value {
    json!({
        "circuit": circuit,
        "route": { "path": format!("/{circuit}/{{v}}") },
        "params": { "v": ".{1,19}" },
        "call": { "url": url, "timeoutMs": 2000, "secretHeaders": { "x-key": { "secret": "key" } } },
        "trip": { "failures": 3 },
        "fallback": { "body": null },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_is_nowhere_and_the_value_only_in_the_data_of_executions() {
    let echo = echo::start().await;
    let system = System::start(
        &[
            policy("fine", &format!("http://{echo}/status/204/{{v}}?q={{v}}")),
            policy("failing", &format!("http://{echo}/status/500/{{v}}")),
            policy("refused", &format!("http://{echo}/status/401/{{v}}")),
            policy("nobody", "http://127.0.0.1:1/{v}?q={v}"),
        ],
        &json!({ "key": SECRET }),
    );
    let mut answers = String::new();
    let mut data = String::new();
    for circuit in ["fine", "failing", "refused", "nobody"] {
        let input = json!({ "params": { "v": VALUE } });
        for _ in 0..4 {
            answers += &format!(
                "{:?}",
                system.ask("GET", &format!("/{circuit}/{}", percent(VALUE)), b"").await
            );
            answers += &format!("{:?}", system.call(circuit, &input).await);
        }
        let wrong = json!({ "params": { "v": format!("{VALUE}0") } });
        answers += &format!("{:?}", system.call(circuit, &wrong).await);
        answers += &format!(
            "{:?}",
            system.call(circuit, &json!({ "params": { VALUE: VALUE } })).await
        );
        answers += &format!(
            "{:?}",
            system
                .ask("POST", &format!("/circuits/{circuit}/calls"), VALUE.as_bytes())
                .await
        );
        answers += &format!("{:?}", system.ask("GET", &format!("/circuits/{circuit}"), b"").await);
        let start = json!({ "stateMachineArn": system.machine(circuit), "input": input.to_string() });
        let started = system.aws("AWSStepFunctions.StartExecution", &start).await;
        let started: Value = serde_json::from_str(&started.body).unwrap();
        let execution = json!({ "executionArn": started["executionArn"], "maxResults": 1000 });
        data += &system.ended(&started["executionArn"]).await;
        let history = system
            .aws("AWSStepFunctions.GetExecutionHistory", &execution)
            .await
            .body;
        assert!(history.contains("ExecutionSucceeded"), "{history}");
        data += &history;
        let (status, output) = system.start_sync(circuit, &input).await;
        data += &format!("{status} {output}");
        let machine = json!({ "stateMachineArn": system.machine(circuit) });
        answers += &format!(
            "{:?}",
            system.aws("AWSStepFunctions.DescribeStateMachine", &machine).await
        );
    }
    let table = system
        .aws("DynamoDB_20120810.Scan", &json!({ "TableName": system.table() }))
        .await
        .body;
    assert!(table.contains("status-5xx") && table.contains("connect"), "{table}");
    let events = system.local("/_local/events").await.body;
    assert!(events.contains("CircuitOpened"), "{events}");
    let log = system.log();
    assert!(
        log.contains("partner called") && log.contains("\"TRACE\""),
        "the log is a talkative one"
    );
    let mut report = format!("{:<24} {:>12} {:>12}\n", "planted, found in", "secret", "value");
    let mut found = Vec::new();
    for (place, text) in [
        ("answers", &answers),
        ("the table", &table),
        ("events", &events),
        ("the log", &log),
        ("executions' data", &data),
    ] {
        let (secret, value) = (hits(SECRET, text), hits(VALUE, text));
        report += &format!("{place:<24} {secret:>12} {value:>12}\n");
        let is_data = place == "executions' data";
        if secret > 0 || (value > 0) != is_data {
            found.push(place);
        }
    }
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/partner-planted.txt");
    std::fs::write(kept, &report).unwrap();
    for line in log
        .lines()
        .filter(|line| hits(VALUE, line) + hits(SECRET, line) > 0)
        .take(5)
    {
        println!("{line}");
    }
    assert!(found.is_empty(), "{found:?}\n{report}");
}
