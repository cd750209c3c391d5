//! Invocations that processes live through.

use std::sync::Arc;

use serde_json::{Value, json};
use stepbreaker_local::lambda_host::{FunctionSpec, InvokeError, PAYLOAD_LIMIT, ProcessState};

use super::{answer, error, host, invoke, processes, spec};
use crate::common::eventually;

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_process_is_used_again() {
    let host = host(spec());
    let first = answer(&host, json!({ "n": 1 })).await;
    assert_eq!(first["event"], json!({ "n": 1 }));
    for n in 2..20 {
        assert_eq!(answer(&host, json!({ "n": n })).await["pid"], first["pid"]);
    }
    assert_eq!(processes(&host).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_works_on_one_invocation_at_a_time() {
    let host = host(spec());
    let both = (
        answer(&host, json!({ "do": "sleep", "ms": 300 })),
        answer(&host, json!({ "do": "sleep", "ms": 300 })),
    );
    tokio::join!(both.0, both.1);
    assert_eq!(processes(&host).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn past_the_limit_an_invocation_is_refused_and_nothing_is_started() {
    let host = host(FunctionSpec {
        max_concurrency: 2,
        ..spec()
    });
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let host = Arc::clone(&host);
            tokio::spawn(async move { answer(&host, json!({ "do": "sleep", "ms": 700 })).await })
        })
        .collect();
    eventually("two processes", || async {
        (processes(&host).len() == 2).then_some(())
    })
    .await;
    let refused = invoke(&host, json!({})).await.unwrap_err();
    assert_eq!(
        refused,
        InvokeError::TooManyRequests {
            function: "scripted".to_owned(),
            limit: 2
        }
    );
    assert_eq!((refused.name(), refused.status()), ("TooManyRequestsException", 429));
    for task in waiting {
        task.await.unwrap();
    }
    answer(&host, json!({})).await;
    assert_eq!(processes(&host).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_function_and_a_large_payload_are_refused() {
    let host = host(spec());
    let unknown = host.invoke("other", "{}".into()).await.unwrap_err();
    let arn = "arn:aws:lambda:eu-west-1:000000000000:function:other".to_owned();
    assert_eq!(unknown, InvokeError::NotFound { arn });
    let large = host
        .invoke("scripted", vec![b' '; PAYLOAD_LIMIT + 1].into())
        .await
        .unwrap_err();
    assert_eq!(
        large,
        InvokeError::TooLarge {
            size: PAYLOAD_LIMIT + 1
        }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_found_by_its_arn_and_with_a_qualifier() {
    let host = host(spec());
    for name in [
        "arn:aws:lambda:eu-west-1:000000000000:function:scripted",
        "scripted:$LATEST",
        "000000000000:function:scripted",
    ] {
        assert!(host.invoke(name, "{}".into()).await.is_ok(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_function_is_its_answer_and_keeps_the_process() {
    let host = host(spec());
    let before = answer(&host, json!({})).await["pid"].clone();
    let (refused, _) = error(&host, json!({ "do": "fail" })).await;
    assert_eq!(
        refused,
        json!({ "errorType": "Test.Refused", "errorMessage": "as asked" })
    );
    let (untyped, _) = error(&host, json!({ "do": "fail without a type" })).await;
    assert_eq!(untyped["errorType"], "Runtime.UnknownReason");
    assert_eq!(answer(&host, json!({})).await["pid"], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_the_limit_passes_and_one_byte_more_does_not() {
    let host = host(spec());
    let largest = invoke(&host, json!({ "do": "large", "bytes": PAYLOAD_LIMIT }))
        .await
        .unwrap();
    assert_eq!((largest.failed, largest.payload.len()), (false, PAYLOAD_LIMIT));
    let (error, _) = error(&host, json!({ "do": "large", "bytes": PAYLOAD_LIMIT + 1 })).await;
    assert_eq!(error["errorType"], "Function.ResponseSizeTooLarge");
    answer(&host, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_under_another_id_reaches_nobody() {
    let host = host(spec());
    assert_eq!(answer(&host, json!({ "do": "answer another" })).await, "own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_sees_what_lambda_sets_and_nothing_of_the_hosts_own() {
    let host = host(FunctionSpec {
        variables: vec![("OWN".to_owned(), "yes".to_owned())],
        ..spec()
    });
    let seen = answer(&host, json!({ "do": "environment" })).await;
    for (name, value) in [
        ("AWS_LAMBDA_FUNCTION_NAME", "scripted"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128"),
        ("AWS_REGION", "eu-west-1"),
        ("CIRCUITS_TABLE", "circuits"),
        ("OWN", "yes"),
    ] {
        assert_eq!(seen[name], value, "{name}");
    }
    let (host_part, port) = seen["AWS_LAMBDA_RUNTIME_API"]
        .as_str()
        .unwrap()
        .split_once(':')
        .unwrap();
    assert_eq!((host_part, port.parse::<u16>().is_ok()), ("127.0.0.1", true));
    assert!(std::env::var("CARGO_PKG_NAME").is_ok(), "cargo sets it for the test");
    for name in ["HOME", "CARGO_PKG_NAME", "USER"] {
        assert_eq!(seen.get(name), None, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invocation_carries_id_deadline_arn_and_trace() {
    let host = host(spec());
    let invocation = invoke(&host, json!({ "do": "headers" })).await.unwrap();
    let seen: Value = serde_json::from_slice(&invocation.payload).unwrap();
    let head = seen["head"].as_str().unwrap().to_ascii_lowercase();
    let value = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {head}")).to_owned()
    };
    assert_eq!(value("lambda-runtime-aws-request-id"), invocation.request_id);
    assert_eq!(
        value("lambda-runtime-invoked-function-arn"),
        "arn:aws:lambda:eu-west-1:000000000000:function:scripted"
    );
    assert!(value("lambda-runtime-trace-id").starts_with("root=1-"));
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let deadline: u128 = value("lambda-runtime-deadline-ms").parse().unwrap();
    assert!(deadline > now && deadline <= now + 8_000, "{deadline} at {now}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_share_few_processes() {
    let host = host(FunctionSpec {
        max_concurrency: 50,
        ..spec()
    });
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..20 {
        let host = Arc::clone(&host);
        callers.spawn(async move {
            for n in 0..20 {
                let event = json!({ "caller": caller, "n": n });
                assert_eq!(answer(&host, event.clone()).await["event"], event);
            }
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller.unwrap();
    }
    let states = processes(&host);
    assert!(states.len() <= 20, "{}", states.len());
    assert!(
        states.iter().all(|(_, state)| *state == ProcessState::Idle),
        "{states:?}"
    );
}
