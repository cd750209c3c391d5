//! The local Lambda with real processes. What it expects of errors is taken from AWS's documentation, except where it says
//! *local only*.

mod deaths;
mod invocations;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use stepbreaker_local::lambda_host::{FunctionSpec, Invocation, InvokeError, LambdaHost, ProcessState, Surroundings};

use crate::common::{eventually, scripted_function};

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
