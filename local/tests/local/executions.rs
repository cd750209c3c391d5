//! What an execution meets on its way: functions that fail, limits, customers who leave, observers.

use std::sync::{Arc, Mutex};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::common::eventually;
use crate::common::http::get;
use crate::common::system::TestSystem;

#[tokio::test(flavor = "multi_thread")]
async fn a_task_sees_each_way_a_function_fails() {
    let tested = TestSystem::start().await;
    for (asked, error, cause) in [
        ("fail", None, ""),
        (
            "fail%20without%20a%20type",
            Some("Runtime.UnknownReason"),
            "errorMessage",
        ),
        ("exit", Some("Runtime.ExitError"), "exit status 7"),
        ("abort", Some("Runtime.ExitError"), "signal: aborted"),
        ("sleep", Some("States.Timeout"), ""),
    ] {
        let answer = get(&tested.door(), &format!("/do/{asked}")).await;
        let Some(error) = error else { continue };
        assert_eq!(answer.status, 200, "{asked}: {answer:?}");
        let result = answer.json();
        assert_eq!(result["Error"], error, "{asked}");
        assert!(result["Cause"].as_str().unwrap().contains(cause), "{asked}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_killed_in_mid_call_is_an_exit_error_of_the_task() {
    let tested = TestSystem::start().await;
    let door = tested.door();
    let call = tokio::spawn(async move { get(&door, "/do/sleep").await });
    let function = "call-partner-tested";
    let busy = || async { tested.system.lambda_host().busy_processes(function).first().copied() };
    let pid = eventually("a call under way", busy).await;
    kill(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL).unwrap();
    let result = call.await.unwrap().json();
    assert_eq!(result["Error"], "Runtime.ExitError");
    let cause: Value = serde_json::from_str(result["Cause"].as_str().unwrap()).unwrap();
    assert_eq!(cause["errorType"], "Runtime.ExitError");
}

#[tokio::test(flavor = "multi_thread")]
async fn past_the_limit_a_task_is_throttled() {
    let tested = TestSystem::start_with(|config| stepbreaker_local::Config {
        max_concurrency: 1,
        ..config
    })
    .await;
    let door = tested.door();
    let first = tokio::spawn(async move { get(&door, "/do/sleep").await });
    let busy = || async {
        tested
            .system
            .lambda_host()
            .busy_processes("call-partner-tested")
            .first()
            .copied()
    };
    eventually("a call under way", busy).await;
    let second = get(&tested.door(), "/do/echo").await;
    assert_eq!(second.json()["Error"], "Lambda.TooManyRequestsException");
    first.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_outlives_a_customer_who_hangs_up() {
    let tested = TestSystem::start().await;
    let door = tested.door();
    let call = tokio::spawn(async move { get(&door, "/do/announce%20late").await });
    let busy = || async {
        tested
            .system
            .lambda_host()
            .busy_processes("call-partner-tested")
            .first()
            .copied()
    };
    eventually("a call under way", busy).await;
    call.abort();
    assert!(
        call.await.unwrap_err().is_cancelled(),
        "the customer hung up before the answer"
    );
    let announced = || async { (tested.system.events().list().len() == 1).then_some(()) };
    eventually("the end of the execution", announced).await;
}

#[derive(Default)]
struct Entered(Mutex<Vec<String>>);

impl states_language::Observer for Entered {
    fn event(&self, _at: time::OffsetDateTime, event: &states_language::Event<'_>) {
        if let states_language::Event::StateEntered { state, .. } = event {
            self.0.lock().unwrap().push((*state).to_owned());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_observer_sees_every_executions_steps() {
    let entered = Arc::new(Entered::default());
    let observer: Arc<dyn states_language::Observer> = entered.clone();
    let tested = TestSystem::start_with(|config| stepbreaker_local::Config {
        observer: Some(observer),
        ..config
    })
    .await;
    get(&tested.door(), "/do/fail").await;
    get(&tested.door(), "/do/nonsense").await;
    let seen = entered.0.lock().unwrap().clone();
    let start = ["Know Policy", "Is Request Invalid?", "What Is Asked?"];
    assert_eq!(seen, [&start[..], &["Failed"], &start[..], &["Nonsense"]].concat());
}
