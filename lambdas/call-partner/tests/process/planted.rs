//! A planted secret and a planted parameter value, searched for in everything that the function writes.

use serde_json::json;

use crate::function::{Function, event};
use crate::server::{answer, serve};
use crate::spelling::hits;

const SECRET: &str = "pLaNtEd/sEcReT+\"%&?";
const VALUE: &str = "pLaNtEd vAlUe/\"ä%&?";

#[track_caller]
fn assert_absent(planted: &str, place: &str, text: &str) {
    assert_eq!(hits(planted, text), 0, "{place}: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_secret_nor_value_is_in_what_the_function_writes() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("secrets.json");
    std::fs::write(&file, json!({"key": SECRET}).to_string()).unwrap();
    let partner = serve(|request| {
        let path = request.line().split(' ').nth(1).unwrap_or_default().to_owned();
        let secret = request.header("x-key").unwrap_or_default().to_owned();
        std::future::ready(match path.split('/').nth(1) {
            Some("ok") => Some(answer(200, "", "fine")),
            Some("refused") => Some(answer(401, "", &secret)),
            Some("broken") => Some(answer(500, "", &secret)),
            Some("garbage") => Some(format!("garbage {path} {secret}\r\n\r\n").into_bytes()),
            Some("large") => Some(answer(200, "", &secret.repeat(20_000))),
            _ => None,
        })
    })
    .await;
    let mut function = Function::start(&[("SECRETS_FILE", file.display().to_string())]).await;
    for (path, reason) in [
        ("ok", "live"),
        ("refused", "credentials"),
        ("broken", "error"),
        ("garbage", "error"),
        ("large", "unsupported-response"),
        ("dropped", "error"),
    ] {
        let mut event = event(&format!("http://{partner}/{path}/{{key}}?q={{key}}"));
        event["params"]["key"] = json!(VALUE);
        event["policy"]["call"]["secretHeaders"] = json!({"x-key": {"secret": "key", "prefix": "Key "}});
        let result = function.invoke(event.clone()).await;
        assert_eq!(result["outcome"]["reason"], reason, "{path}");
        for planted in [SECRET, VALUE] {
            assert_absent(planted, path, &result.to_string());
        }
        // Payloads that are refused are what a log is most tempted to show.
        event["params"]["key"] = json!([VALUE]);
        let invalid = function.invoke(event.clone()).await;
        event["policy"]["call"]["url"] = json!(VALUE);
        event["params"]["key"] = json!(VALUE);
        let bad = function.invoke(event).await;
        for result in [invalid, bad] {
            assert_absent(VALUE, path, &result.to_string());
        }
    }
    let log = function.log();
    assert!(log.contains("partner called"), "{log}");
    for planted in [SECRET, VALUE] {
        assert_absent(planted, "the log", &log);
    }
}
