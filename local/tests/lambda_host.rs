//! The local Lambda with real processes. What it expects of errors is taken from AWS's documentation, except where it says
//! *local only*.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail in a helper too")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{eventually, is_alive, scripted_function};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use stepbreaker_local::lambda_host::{
    FunctionSpec, Invocation, InvokeError, LambdaHost, PAYLOAD_LIMIT, ProcessState, Surroundings,
};

#[test]
#[ignore = "it is the function that the other tests run"]
fn scripted_function() {
    scripted_function::run();
}

fn spec() -> FunctionSpec {
    let (executable, arguments) = scripted_function::command();
    FunctionSpec {
        name: "scripted".to_owned(),
        executable,
        arguments,
        timeout: Duration::from_secs(8),
        memory_mb: 128,
        max_concurrency: 4,
        variables: Vec::new(),
    }
}

fn host(spec: FunctionSpec) -> Arc<LambdaHost> {
    let host = LambdaHost::new(Surroundings {
        region: "eu-west-1".to_owned(),
        account: "000000000000".to_owned(),
        variables: vec![("CIRCUITS_TABLE".to_owned(), "circuits".to_owned())],
    });
    host.add(spec);
    Arc::new(host)
}

async fn invoke(host: &LambdaHost, event: Value) -> Result<Invocation, InvokeError> {
    host.invoke("scripted", event.to_string().into()).await
}

async fn answer(host: &LambdaHost, event: Value) -> Value {
    let invocation = invoke(host, event).await.unwrap();
    assert!(!invocation.failed, "{:?}", invocation.payload);
    serde_json::from_slice(&invocation.payload).unwrap()
}

async fn error(host: &LambdaHost, event: Value) -> (Value, String) {
    let invocation = invoke(host, event).await.unwrap();
    assert!(invocation.failed, "{:?}", invocation.payload);
    (
        serde_json::from_slice(&invocation.payload).unwrap(),
        invocation.request_id,
    )
}

async fn busy(host: &LambdaHost) -> u32 {
    eventually("a busy process", || async {
        host.busy_processes("scripted").first().copied()
    })
    .await
}

fn processes(host: &LambdaHost) -> Vec<(u32, ProcessState)> {
    let reports = host.report();
    reports[0]
        .processes
        .iter()
        .map(|process| (process.pid, process.state))
        .collect()
}

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
async fn a_function_is_killed_at_its_timeout() {
    let host = host(FunctionSpec {
        timeout: Duration::from_secs(1),
        ..spec()
    });
    answer(&host, json!({})).await;
    let started = Instant::now();
    let hung = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { error(&host, json!({ "do": "sleep", "ms": 60_000 })).await })
    };
    let pid = busy(&host).await;
    let (error, id) = hung.await.unwrap();
    let took = started.elapsed();
    assert_eq!(error["errorType"], "Sandbox.Timedout");
    assert_eq!(
        error["errorMessage"],
        format!("RequestId: {id} Error: Task timed out after 1.00 seconds")
    );
    assert!(
        took >= Duration::from_secs(1) && took < Duration::from_secs(3),
        "{took:?}"
    );
    eventually("the process to be gone", || async { (!is_alive(pid)).then_some(()) }).await;
    assert_ne!(answer(&host, json!({})).await["pid"], pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_invocation_has_the_whole_timeout() {
    let host = host(FunctionSpec {
        timeout: Duration::from_secs(1),
        ..spec()
    });
    for _ in 0..4 {
        assert_eq!(answer(&host, json!({ "do": "sleep", "ms": 600 })).await, "slept");
    }
    assert_eq!(processes(&host).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_in_mid_call_is_an_exit_error() {
    let host = host(spec());
    let hung = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { error(&host, json!({ "do": "sleep", "ms": 60_000 })).await })
    };
    let pid = busy(&host).await;
    kill(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL).unwrap();
    let (error, id) = hung.await.unwrap();
    assert_eq!(error["errorType"], "Runtime.ExitError");
    assert_eq!(
        error["errorMessage"],
        format!("RequestId: {id} Error: Runtime exited with error: signal: killed")
    );
    answer(&host, json!({})).await;
    assert_eq!(processes(&host).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_die_is_an_exit_error_that_says_how() {
    let host = host(spec());
    for (way, how) in [
        ("exit", "Runtime exited with error: exit status 7"),
        ("exit well", "Runtime exited without providing a reason"),
        ("abort", "Runtime exited with error: signal: aborted"),
    ] {
        let (error, id) = error(&host, json!({ "do": way })).await;
        assert_eq!(error["errorType"], "Runtime.ExitError");
        assert_eq!(error["errorMessage"], format!("RequestId: {id} Error: {how}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_after_its_answer_harms_no_later_invocation() {
    let host = host(spec());
    for _ in 0..10 {
        assert_eq!(answer(&host, json!({ "do": "answer, then exit" })).await, "done");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_initialisation_is_what_the_function_reports() {
    let host = host(FunctionSpec {
        variables: vec![("FAIL_INIT".to_owned(), "1".to_owned())],
        ..spec()
    });
    let (error, _) = error(&host, json!({})).await;
    assert_eq!(
        error,
        json!({ "errorType": "Test.NotConfigured", "errorMessage": "no table" })
    );
    eventually("no process", || async { processes(&host).is_empty().then_some(()) }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_during_initialisation_is_an_exit_error() {
    let host = host(FunctionSpec {
        variables: vec![("DIE_IN_INIT".to_owned(), "1".to_owned())],
        ..spec()
    });
    let (error, _) = error(&host, json!({})).await;
    assert_eq!(error["errorType"], "Runtime.ExitError");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executable_that_cannot_be_started_frees_its_room() {
    let host = host(FunctionSpec {
        executable: "/nowhere/at/all".into(),
        max_concurrency: 1,
        ..spec()
    });
    for _ in 0..3 {
        let failed = invoke(&host, json!({})).await.unwrap_err();
        assert_eq!(failed.name(), "ServiceException", "{failed}");
    }
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
async fn a_caller_that_goes_away_leaves_a_process_that_is_used_again() {
    let host = host(FunctionSpec {
        max_concurrency: 1,
        ..spec()
    });
    let pid = answer(&host, json!({})).await["pid"].clone();
    let call = invoke(&host, json!({ "do": "sleep", "ms": 400 }));
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    assert_eq!(
        invoke(&host, json!({})).await.unwrap_err().status(),
        429,
        "it still works on the first"
    );
    let next = eventually("the process to be free", || async {
        invoke(&host, json!({})).await.ok()
    })
    .await;
    let next: Value = serde_json::from_slice(&next.payload).unwrap();
    assert_eq!(next["pid"], pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_process_is_killed_though_its_caller_went_away() {
    let host = host(FunctionSpec {
        timeout: Duration::from_secs(1),
        ..spec()
    });
    let call = invoke(&host, json!({ "do": "sleep", "ms": 60_000 }));
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err());
    let pid = busy(&host).await;
    eventually("the process to be gone", || async { (!is_alive(pid)).then_some(()) }).await;
    eventually("the room to be free", || async {
        processes(&host).is_empty().then_some(())
    })
    .await;
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

#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_every_process_and_fails_what_is_under_way() {
    let host = host(spec());
    let hung = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { invoke(&host, json!({ "do": "sleep", "ms": 60_000 })).await })
    };
    let pid = busy(&host).await;
    answer(&host, json!({})).await;
    let pids: Vec<_> = processes(&host).iter().map(|(pid, _)| *pid).collect();
    assert_eq!((pids.len(), pids.contains(&pid)), (2, true));
    host.stop().await;
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
    assert_eq!(hung.await.unwrap().unwrap_err().name(), "ServiceException");
    assert_eq!(invoke(&host, json!({})).await.unwrap_err().name(), "ServiceException");
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_host_ends_every_process() {
    let host = host(spec());
    let pid = answer(&host, json!({})).await["pid"].as_u64().unwrap() as u32;
    drop(host);
    eventually("the process to be gone", || async { (!is_alive(pid)).then_some(()) }).await;
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
