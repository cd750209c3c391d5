//! What is refused before anything is asked, and what needs no AWS at all.

use std::net::TcpListener;

use scripted_partner::{Behaviour, Partner};
use serde_json::json;

use crate::common::{CIRCUIT, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_not_allowed_is_named_with_what_is() {
    let stage = Stage::start().await;
    let long = "x".repeat(201);
    let cases: [(&[&str], &str, &str); 12] = [
        (&["open", CIRCUIT, "--for", "10"], "'10'", "from 1s to 365d"),
        (&["open", CIRCUIT, "--for", "999ms"], "'999ms'", "from 1s to 365d"),
        (&["open", CIRCUIT, "--for", "366d"], "'366d'", "from 1s to 365d"),
        (&["open", CIRCUIT, "--for", "soon"], "'soon'", "from 1s to 365d"),
        (&["open", "a/b"], "'a/b'", "[A-Za-z0-9_-]{1,48}"),
        (
            &["open", CIRCUIT, "--reason", "a\u{1b}[2J"],
            "--reason",
            "control character",
        ),
        (&["open", CIRCUIT, "--by", &long], "--by", "1 to 200 characters"),
        (&["status", "--watch", "--every", "1ms"], "'1ms'", "from 100ms to 1h"),
        (
            &["status", "--endpoint", "localhost:4566"],
            "'localhost:4566'",
            "http:// or https://",
        ),
        (&["status", "--table", "a"], "'a'", "3 to 255"),
        (&["call", CIRCUIT, "isbn"], "'isbn'", "NAME=VALUE"),
        (&["call", CIRCUIT, "isbn=1", "isbn=2"], "isbn", "once"),
    ];
    for (arguments, value, allowed) in cases {
        let said = stage.run(arguments).await.ended(2);
        assert!(
            said.err.contains(value) && said.err.contains(allowed),
            "{arguments:?}: {said:?}"
        );
        assert!(!said.err.contains('\u{1b}'), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_does_not_answer_is_named() {
    let stage = Stage::start().await;
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{free}");
    for arguments in [
        &["status", "--endpoint", &endpoint][..],
        &["open", CIRCUIT, "--endpoint", &endpoint],
        &["status", "--endpoint", &endpoint, "--table", "stepbreaker-circuits"],
    ] {
        let said = stage.run(arguments).await.ended(1);
        assert!(
            said.err.starts_with("stepbreaker: ") && said.err.contains("onnection refused"),
            "{said:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_given_is_enough_to_force_a_circuit_while_step_functions_is_down() {
    let stage = Stage::start().await;
    stage.trip().await;
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let hangs = Partner::start(Behaviour::hang()).unwrap();
    for (command, endpoint) in [("open", format!("http://{free}")), ("close", hangs.url("/"))] {
        let mut command = stage.command(&[command, CIRCUIT, "--table", stage.system.table()]);
        let output = command.env("AWS_ENDPOINT_URL_SFN", endpoint).output().await.unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(stage.item(CIRCUIT).await["override"]["S"], "CLOSED");
    assert!(hangs.hits() > 0, "it was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_region_is_asked_for_where_it_matters() {
    let stage = Stage::start().await;
    let mut command = stage.command(&["status"]);
    let output = command.env_remove("AWS_ENDPOINT_URL").output().await.unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("set AWS_REGION"),
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_are_checked_alone_and_as_a_set() {
    let stage = Stage::start().await;
    let directory = stage.home().join("more");
    std::fs::create_dir(&directory).unwrap();
    let write = |name: &str, policy: &serde_json::Value| {
        let file = directory.join(name);
        std::fs::write(&file, policy.to_string()).unwrap();
        file.display().to_string()
    };
    let route = json!({ "method": "GET", "path": "/books" });
    let policy = |name: &str, timeout_ms: u32| {
        json!({ "circuit": name, "route": route, "call": { "url": "http://a.example.com", "timeoutMs": timeout_ms },
                "fallback": { "body": null } })
    };
    let (one, two) = (
        write("one.json", &policy("one", 800)),
        write("two.json", &policy("two", 800)),
    );
    let said = stage.run(&["validate", &one]).await.ended(0);
    assert_eq!(said.out, "1 circuit: one\n");
    assert_eq!(
        stage.run(&["validate", &one, &one]).await.ended(0).out,
        "1 circuit: one\n"
    );
    let said = stage.run(&["validate", &one, &two]).await.ended(7);
    assert!(
        said.err
            .contains("route.path: is GET /books, the route of \"one\" too; allowed: each route once"),
        "{said:?}"
    );
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    let said = stage
        .run(&["validate", &directory.display().to_string()])
        .await
        .ended(7);
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    write("two.json", &policy("two", 1));
    let said = stage.run(&["validate", &one, &two, "nowhere.json"]).await.ended(7);
    assert!(
        said.err.contains("call.timeoutMs") && said.err.contains("nowhere.json"),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_know_the_commands() {
    let stage = Stage::start().await;
    for shell in ["bash", "zsh", "fish"] {
        let said = stage.run(&["completions", shell]).await.ended(0);
        assert!(said.out.contains("dry-run") && said.out.contains("if-epoch"), "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readme_has_the_exit_statuses_that_help_has() {
    let stage = Stage::start().await;
    let help = stage.run(&["--help"]).await.ended(0).out;
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let statuses: Vec<_> = help
        .lines()
        .skip_while(|line| *line != "Exit status:")
        .skip(1)
        .collect();
    assert_eq!(statuses.len(), 8, "{help}");
    for status in statuses {
        let (number, meaning) = status.trim().split_once("  ").unwrap();
        assert!(readme.contains(&format!("| {number} | {meaning} |")), "{status}");
    }
}
