//! A partner that keeps who called it when.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;

use breaker::clock::Timestamp;

use crate::clock::Clock;

/// One call that reached the partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The token of the execution, where it called as the probe.
    pub token: Option<String>,
    /// When it started, by the true clock.
    pub started: Timestamp,
    /// When its answer came, or the time-out of the call.
    pub ended: Timestamp,
}

type Answer = Pin<Box<dyn Future<Output = bool> + Send>>;

/// Answers each call, by its number, after a while that the behaviour takes: true where it works.
pub struct Partner {
    behaviour: Box<dyn Fn(usize) -> Answer + Send + Sync>,
    timeout_ms: u64,
    log: Mutex<Vec<Call>>,
}

impl Partner {
    /// A partner whose `behaviour` is given the call's number, from 0. A call that takes longer than the time-out fails.
    pub fn new<F>(timeout_ms: u64, behaviour: impl Fn(usize) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self {
            behaviour: Box::new(move |number| Box::pin(behaviour(number))),
            timeout_ms,
            log: Mutex::new(Vec::new()),
        }
    }

    /// How long a call may take.
    pub fn timeout_ms(&self) -> u64 {
        self.timeout_ms
    }

    /// One call: whether the partner answered in time, and well.
    pub async fn call(&self, token: Option<&str>, clock: &Clock) -> bool {
        let started = clock.now();
        let end = started.plus_ms(self.timeout_ms);
        let number = {
            let mut log = self.log.lock().unwrap();
            log.push(Call {
                token: token.map(str::to_owned),
                started,
                ended: end,
            });
            log.len() - 1
        };
        let works = (self.behaviour)(number).await;
        let now = clock.now();
        // A real caller gives up at its time-out; here it only finds out afterwards that it had.
        self.log.lock().unwrap()[number].ended = now.min(end);
        works && now < end
    }

    /// All calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.log.lock().unwrap().clone()
    }
}
