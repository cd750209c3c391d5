//! What stops the start, in one clear line each; and where the system stops without being a command.

use std::fs;
use std::net::TcpListener;

use serde_json::json;
use stepbreaker_local::{Config, System};

use crate::common::http::get;
use crate::common::is_alive;
use crate::common::system::{TestSystem, circuits, config};

async fn refusal(change: impl FnOnce(Config) -> Config) -> String {
    let files = tempfile::tempdir().unwrap();
    match System::start(change(config(files.path()))).await {
        Ok(_) => panic!("it started"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_policy_is_named_with_field_value_and_what_is_allowed() {
    let message = refusal(|config| {
        let file = circuits(&config).join("tested.json");
        let broken = fs::read_to_string(&file).unwrap().replace("800", "30");
        fs::write(file, broken).unwrap();
        config
    })
    .await;
    for part in ["tested.json", "call.timeoutMs", "30", "50", "20000"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_is_named_with_its_option() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let front_door = refusal(|config| Config { port, ..config }).await;
    assert!(
        front_door.starts_with(&format!("--port {port}: the port is in use")),
        "{front_door}"
    );
    let aws = refusal(|config| Config {
        aws_port: port,
        ..config
    })
    .await;
    assert!(
        aws.starts_with(&format!("--aws-port {port}: the port is in use")),
        "{aws}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_executable_is_named() {
    let message = refusal(|config| {
        fs::remove_file(config.lambdas.as_ref().unwrap().join("record-outcome")).unwrap();
        config
    })
    .await;
    assert!(message.contains("lambdas/record-outcome is missing"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dynamodb_that_does_not_answer_or_can_not_be_used_is_named() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let at = |endpoint: &str| Some(endpoint.to_owned());
    let silent = refusal(|config| Config {
        dynamodb_endpoint: at(&endpoint),
        ..config
    })
    .await;
    assert!(silent.contains(&endpoint) && silent.contains("no answer"), "{silent}");
    for wrong in [
        "https://127.0.0.1:8000",
        "127.0.0.1:8000",
        "http://127.0.0.1:8000/path",
        "not a url",
    ] {
        let message = refusal(|config| Config {
            dynamodb_endpoint: at(wrong),
            ..config
        })
        .await;
        assert!(
            message.contains(wrong) && message.contains("allowed: http://HOST:PORT"),
            "{message}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_that_can_not_be_used_is_named() {
    let missing = refusal(|config| Config {
        definition: Some("/nowhere.asl.json".into()),
        ..config
    })
    .await;
    assert!(missing.contains("/nowhere.asl.json"), "{missing}");
    let mut refused = Vec::new();
    for text in [
        "{",
        "{}",
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Result":"${Policy}","Next":"B"}}}"#,
    ] {
        let message = refusal(|config| {
            let file = circuits(&config).with_file_name("own.asl.json");
            fs::write(&file, text).unwrap();
            Config {
                definition: Some(file),
                ..config
            }
        })
        .await;
        assert!(message.contains("own.asl.json"), "{message}");
        refused.push(message);
    }
    assert!(refused[2].contains("tested"), "the circuit is named: {}", refused[2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_nothing_and_a_region_that_is_none_are_refused() {
    let limit = refusal(|config| Config {
        max_concurrency: 0,
        ..config
    })
    .await;
    assert_eq!(limit, "--max-concurrency 0, allowed: at least 1");
    let region = refusal(|config| Config {
        region: "EU West".to_owned(),
        ..config
    })
    .await;
    assert!(region.contains("EU West"), "{region}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_dynamodb_is_used_and_its_table_made_once() {
    let first = TestSystem::start().await;
    let endpoint = Some(first.system.dynamodb_url().to_owned());
    let change = |table: &str| {
        let (dynamodb_endpoint, table) = (endpoint.clone(), table.to_owned());
        |config| Config {
            dynamodb_endpoint,
            table,
            ..config
        }
    };
    for _ in 0..2 {
        let second = TestSystem::start_with(change("other-table")).await;
        let written = get(&second.door(), "/do/write").await;
        assert_eq!(written.status, 200, "{written:?}");
        assert_eq!(get(&second.door(), "/circuits/tested").await.json()["epoch"], 7);
        assert_eq!(
            get(&second.door(), "/do/read").await.json()["Item"]["epoch"],
            json!({ "N": "7" })
        );
    }
    assert_eq!(
        get(&first.door(), "/circuits/tested").await.json()["state"],
        "CLOSED",
        "its table is another one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_every_process_and_frees_the_ports() {
    let tested = TestSystem::start().await;
    let answer = get(&tested.door(), "/do/echo").await.json();
    let pid = u32::try_from(answer["Payload"]["pid"].as_u64().unwrap()).unwrap();
    let ports = [tested.door(), tested.aws()];
    tested.system.stop().await;
    assert!(!is_alive(pid));
    for port in ports {
        assert!(
            TcpListener::bind(port.strip_prefix("http://").unwrap()).is_ok(),
            "{port}"
        );
    }
}
