//! One circuit with its partner, for tests that are no data: how it behaves under many callers.

use std::sync::Arc;

use anyhow::Context;
use scripted_partner::{Partner, Script};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::circuit::{Circuit, now};
use crate::deadline::eventually;
use crate::engine::{Engine, Variation};
use crate::given;
use crate::policy_file::{deployed, policy_file};

/// One circuit on a system of its own in this process.
#[derive(Clone, Debug)]
pub struct Scene(Arc<Circuit>);

impl Scene {
    /// Starts the partner and the system. `policy` is a merge patch on the policy that all cases begin with
    /// (`tests/cases/README.md`).
    ///
    /// # Errors
    /// The policy is refused, or something can't be started.
    pub async fn start(name: &str, policy: &Value, script: impl Into<Script>) -> anyhow::Result<Self> {
        let partner = Partner::start(script)?;
        let overrides = policy.as_object().context("a policy is an object")?;
        let file = policy_file(name, overrides, partner.address());
        let policy = deployed(name, &file)?;
        let engine = Engine::start(&[file], false, None).await?;
        let machine_arn = engine.deploy(&policy, &Variation::default()).await?;
        let circuit = Circuit::new(Arc::new(engine), policy, machine_arn, Arc::new(partner));
        Ok(Self(Arc::new(circuit)))
    }

    /// Calls as a customer does, at the front door.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn call(&self) -> anyhow::Result<Answer> {
        self.0.post("{}".to_owned()).await
    }

    /// The partner.
    #[must_use]
    pub fn partner(&self) -> &Partner {
        &self.0.partner
    }

    /// Makes the item this one, in the way that cases give it; none removes it.
    ///
    /// # Errors
    /// It is no item.
    pub async fn give(&self, item: Option<&Value>) -> anyhow::Result<()> {
        let Some(item) = item else {
            return self.0.forget().await;
        };
        let given = item.as_object().context("an item is an object")?;
        let item = given::item(given, self.0.policy.trip.window_ms, now())?;
        self.0.put(&item).await
    }

    /// The item in DynamoDB's JSON, without its key.
    ///
    /// # Errors
    /// It can't be read.
    pub async fn item(&self) -> anyhow::Result<Option<Map<String, Value>>> {
        self.0.item().await
    }

    /// Waits until the item's `state` is this one.
    ///
    /// # Errors
    /// It is not in time.
    pub async fn wait_for_state(&self, state: &str) -> anyhow::Result<()> {
        let is_there = async || {
            let item = self.0.item().await?.unwrap_or_default();
            Ok(item.get("state").is_some_and(|found| found["S"] == state))
        };
        eventually(&format!("the state is {state}"), is_there).await
    }

    /// The types of the circuit's announcements so far.
    ///
    /// # Errors
    /// They can't be listed.
    pub async fn announced(&self) -> anyhow::Result<Vec<String>> {
        let events = self.0.engine.events(&[self.0.name()]).await?.unwrap_or_default();
        Ok(events
            .iter()
            .filter_map(|event| event["detail-type"].as_str().map(str::to_owned))
            .collect())
    }

    /// Stops the system, which also happens when the last clone is dropped, but is not waited for then.
    pub async fn stop(self) {
        if let Some(engine) = Arc::into_inner(self.0).and_then(|circuit| Arc::into_inner(circuit.engine)) {
            engine.stop().await;
        }
    }
}
