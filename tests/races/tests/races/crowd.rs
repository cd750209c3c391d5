//! Crowds of executions.

use std::future::Future;
use std::io::Write as _;
use std::time::Duration;

use breaker::attribute::Attribute;
use breaker::clock::Timestamp;
use breaker::item::Item;
use breaker::policy::{Open, Policy, Probe, Trip};
use races::journal::item;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// When the races take place.
pub const NOW: u64 = 1_790_000_000_000;

/// How long a whole test may take: a circuit that hangs fails instead.
const DEADLINE: Duration = Duration::from_secs(120);

pub fn policy(circuit: impl Into<String>, failures: u32) -> Policy {
    Policy {
        circuit: circuit.into(),
        trip: Trip {
            failures,
            window_ms: 60_000,
        },
        open: Open { for_ms: 30_000 },
        probe: Probe::new(5000),
    }
}

/// An open circuit whose wait is over.
pub fn due() -> Item {
    item([
        ("state", Attribute::string("OPEN")),
        ("epoch", Attribute::number(NOW - 30_000)),
        ("openings", Attribute::number(1)),
        ("openUntil", Attribute::string(Timestamp::from_ms(NOW))),
    ])
}

/// Runs a test on several threads, so that tasks really meet.
pub fn race(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::time::timeout(DEADLINE, test)
            .await
            .expect("a race that does not end")
    });
}

/// Runs one task per item of `tasks` and waits for all of them.
pub async fn all<F>(tasks: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    let mut ends = Vec::new();
    for task in tasks {
        ends.push(task.await.unwrap());
    }
    ends
}

/// Lets others go first, so many times.
pub async fn linger(times: u32) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

/// A number below `bound` for each of `count`, from a seed: what is random is the same in every run but for the threads.
pub fn numbers(seed: u64, count: usize, bound: u32) -> Vec<u32> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(0..bound)).collect()
}

/// Prints a measured figure, also when the test passes.
pub fn tell(figure: &str) {
    std::io::stdout().write_all(format!("{figure}\n").as_bytes()).unwrap();
}
