//! How processes end, and what that means for whoever waits for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use stepbreaker_local::lambda_host::FunctionSpec;

use super::{answer, busy, error, host, invoke, processes, spec};
use crate::common::{eventually, is_alive};

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
