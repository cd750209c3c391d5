//! Items that somebody else wrote: nothing in them reaches a terminal as it is, and nothing in them stops the command.

use serde_json::{Value, json};

use crate::common::{CIRCUIT, Stage};

const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\nfake  closed\u{202e}\u{9b}31m";

fn hostile() -> Value {
    json!({
        "state": { "S": "CLOSED" },
        "epoch": { "N": "7" },
        "override": { "S": "OPEN" },
        "overrideBy": { "S": HOSTILE },
        "overrideReason": { "S": HOSTILE },
        "failingUntil": { "S": HOSTILE },
        "changedAt": { "S": HOSTILE },
        "lastFailure": { "M": { "at": { "S": HOSTILE }, "kind": { "S": HOSTILE }, "message": { "S": HOSTILE } } },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn control_characters_of_an_item_are_printed_escaped() {
    let stage = Stage::start().await;
    stage.put(hostile()).await;
    let mut other = hostile();
    other["circuit"] = json!({ "S": HOSTILE });
    stage.put(other).await;
    let commands: [&[&str]; 5] = [
        &["status"],
        &["status", CIRCUIT],
        &["status", "--json"],
        &["open", CIRCUIT, "--if-epoch", "6"],
        &["close", CIRCUIT],
    ];
    let by = stage.run(&["status", CIRCUIT, "--json"]).await.ended(0).json()["forced"]["by"].clone();
    assert_eq!(by, HOSTILE, "JSON says what is stored");
    for command in commands {
        let said = stage.run(command).await;
        for text in [&said.out, &said.err] {
            let unsafe_one = text
                .chars()
                .find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
            assert!(unsafe_one.is_none(), "{command:?}: {said:?}");
            assert!(
                !text.lines().any(|line| line.starts_with("fake")),
                "{command:?}: {said:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_of_wrong_types_is_shown_as_the_breaker_reads_it_and_can_be_forced() {
    let stage = Stage::start().await;
    for item in [
        json!({ "state": { "N": "1" }, "epoch": { "S": "seven" }, "override": { "BOOL": true }, "lastFailure": { "S": "x" } }),
        json!({ "state": { "S": "OPEN" }, "openUntil": { "S": "tomorrow" }, "epoch": { "NULL": true }, "w1": { "S": "x" } }),
        json!({ "epoch": { "N": "-1" }, "changedAt": { "N": "3" }, "overrideUntil": { "S": "never" } }),
    ] {
        stage.put(item.clone()).await;
        let standing = stage.standing().await;
        let state = if item["state"]["S"] == "OPEN" {
            "half-open"
        } else {
            "closed"
        };
        assert_eq!(
            (&standing["state"], &standing["epoch"]),
            (&json!(state), &json!(0)),
            "{item}"
        );
        stage.run(&["status"]).await.ended(0);
        stage.run(&["open", CIRCUIT, "--for", "1h"]).await.ended(0);
        assert_eq!(stage.standing().await["forced"]["kind"], "OPEN", "{item}");
        stage.run(&["auto", CIRCUIT]).await.ended(0);
        assert!(stage.standing().await["forced"].is_null(), "{item}");
    }
}
