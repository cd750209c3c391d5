//! An answer that would not fit into an execution's state is refused by the caller, at every length, and never by the
//! engine, which would fail the execution.

use serde_json::{Value, json};

use crate::echo;
use crate::system::System;

/// Whether the answer of so many characters is passed on. Anything but that and `unsupported-response` fails the test.
async fn is_live(system: &System, input: &Value, times: u32) -> bool {
    let mut input = input.clone();
    input["params"]["times"] = json!(times.to_string());
    let (status, output) = system.start_sync("repeat", &input).await;
    assert_eq!(status, "SUCCEEDED", "{times}: {output}");
    match output["reason"].as_str().unwrap() {
        "live" => {
            assert_eq!(output["body"].as_str().unwrap().len(), times as usize);
            true
        }
        "unsupported-response" => {
            assert_eq!(output["status"], 502);
            false
        }
        other => panic!("{times}: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_length_of_an_answer_fails_an_execution() {
    let echo = echo::start().await;
    let policy = json!({
        "circuit": "repeat",
        "params": { "character": "[0-9]{1,3}", "times": "[0-9]{1,6}" },
        "call": {
            "method": "POST", "url": format!("http://{echo}/repeat/{{character}}/{{times}}"), "timeoutMs": 8000,
            "maxResponseBytes": 200_000, "body": { "pass": true, "maxBytes": 65_536 },
        },
        // The largest policy that can be deployed, or nearly so.
        "fallback": { "body": "x".repeat(16_000) },
    });
    let system = System::start(&[policy], &json!({}));
    for (character, body, other) in [
        ('"', String::new(), 0),
        ('\u{1}', String::new(), 0),
        ('"', "\"".repeat(60_000), 0),
        ('x', "x".repeat(65_536), 0),
        ('"', String::new(), 120_000),
    ] {
        let input = json!({
            "params": { "character": u32::from(character).to_string() },
            "body": body,
            "other": "x".repeat(other),
        });
        let (mut fits, mut not) = (0_u32, 200_000_u32);
        while not - fits > 1 {
            let middle = fits.midpoint(not);
            if is_live(&system, &input, middle).await {
                fits = middle;
            } else {
                not = middle;
            }
        }
        assert!(fits > 10_000, "{character:?}: {fits} is not much");
        for times in fits.saturating_sub(3)..=not + 3 {
            assert_eq!(
                is_live(&system, &input, times).await,
                times <= fits,
                "{character:?} {times}"
            );
        }
    }
}
