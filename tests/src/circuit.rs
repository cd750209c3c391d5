//! One circuit on an engine: its machine, its item, its partner.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use breaker::clock::Timestamp;
use policy::Deployed;
use scripted_partner::{Partner, Script};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::case::{Case, Function, FunctionName, Kind};
use crate::engine::Engine;
use crate::nonce;

/// One circuit on an engine.
#[derive(Debug)]
pub(crate) struct Circuit {
    pub(crate) engine: Arc<Engine>,
    pub(crate) policy: Deployed,
    pub(crate) machine_arn: String,
    pub(crate) partner: Arc<Partner>,
    pub(crate) way: Way,
    /// The functions of the case's own, where they were made on another engine.
    pub(crate) functions: Vec<(FunctionName, String)>,
    /// The nonces of the answers so far; none where the caller is not ours, and brings none.
    nonces: Option<Mutex<BTreeSet<String>>>,
}

/// How a case's executions are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As the case says: by a start, or at the front door.
    AsItSays,
    /// Each start is a call at the front door instead.
    FrontDoor,
}

/// The time now, in the item's own measure.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(since.as_millis().try_into().unwrap_or(u64::MAX))
}

impl Circuit {
    pub(crate) fn new(engine: Arc<Engine>, policy: Deployed, machine_arn: String, partner: Arc<Partner>) -> Self {
        Self {
            engine,
            policy,
            machine_arn,
            partner,
            way: Way::AsItSays,
            functions: Vec::new(),
            nonces: Some(Mutex::default()),
        }
    }

    /// The circuit as a case plays on it.
    pub(crate) fn played(self, case: &Case, way: Way) -> Self {
        let is_ours = |function: &Function| matches!(function.is, Kind::Shipped);
        let caller = case.functions.get(&FunctionName::CallPartner);
        Self {
            way,
            nonces: self.nonces.filter(|_| caller.is_none_or(is_ours)),
            ..self
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.policy.circuit
    }

    /// Starts an execution and waits for its end.
    pub(crate) async fn start(&self, input: &Value) -> anyhow::Result<Answer> {
        if self.way == Way::FrontDoor {
            return self.post(input.to_string()).await;
        }
        let began = Instant::now();
        let ended = self.engine.execute(&self.machine_arn, input).await?;
        Answer::of_execution(ended, began.elapsed())
    }

    /// Sends a body to the front door's calls of the circuit.
    pub(crate) async fn post(&self, body: String) -> anyhow::Result<Answer> {
        let url = format!("{}/circuits/{}/calls", self.front_door()?, self.name());
        self.ask(self.engine.client.post(url).body(body)).await
    }

    /// Asks the front door for a path.
    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Answer> {
        let url = format!("{}{path}", self.front_door()?);
        self.ask(self.engine.client.get(url)).await
    }

    async fn ask(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Answer> {
        let began = Instant::now();
        let response = request.send().await?;
        Answer::of_front_door(response, began.elapsed()).await
    }

    /// Gives the partner a script; each of its answers carries a nonce.
    pub(crate) fn set_partner(&self, script: &Script) {
        self.partner.set(nonce::signed(script));
    }

    /// A line for each live answer that our function did not fetch from the partner.
    pub(crate) fn strange(&self, answers: &[Answer]) -> Vec<String> {
        let Some(seen) = &self.nonces else {
            return Vec::new();
        };
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        nonce::differences(answers, &self.partner.log(), &mut seen)
    }

    /// Kills (-9) the processes that work for a function of the case's own.
    pub(crate) async fn kill(&self, function: FunctionName) -> anyhow::Result<()> {
        if let Some(local) = &self.engine.local {
            return local.kill(function, self.name()).await;
        }
        let made = self.functions.iter().find(|(name, _)| *name == function);
        let (_, name) = made.context("a function of the case's own")?;
        let maker = self.engine.function_maker.as_ref().context("a maker of functions")?;
        maker.kill(name).await
    }

    fn front_door(&self) -> anyhow::Result<String> {
        self.engine.front_door().context("the engine has no front door")
    }

    fn key(&self) -> Value {
        json!({ "circuit": { "S": self.name() } })
    }

    /// The item as it is, without its key; none where there is none.
    pub(crate) async fn item(&self) -> anyhow::Result<Option<Map<String, Value>>> {
        let get = json!({ "TableName": self.engine.table, "Key": self.key(), "ConsistentRead": true });
        let mut answer = self.engine.dynamodb.call("GetItem", &get).await?;
        let mut item = answer["Item"].as_object_mut().map(std::mem::take);
        if let Some(item) = &mut item {
            item.shift_remove("circuit");
        }
        Ok(item)
    }

    /// Replaces the item.
    pub(crate) async fn put(&self, attributes: &Map<String, Value>) -> anyhow::Result<()> {
        let mut item = attributes.clone();
        item.insert("circuit".to_owned(), self.key()["circuit"].clone());
        let put = json!({ "TableName": self.engine.table, "Item": item });
        self.engine.dynamodb.call("PutItem", &put).await.map(drop)
    }

    /// Removes the item.
    pub(crate) async fn forget(&self) -> anyhow::Result<()> {
        let delete = json!({ "TableName": self.engine.table, "Key": self.key() });
        self.engine.dynamodb.call("DeleteItem", &delete).await.map(drop)
    }

    /// Sets an attribute, or removes it.
    pub(crate) async fn write(&self, name: &str, value: Option<Value>) -> anyhow::Result<()> {
        let mut update = json!({
            "TableName": self.engine.table,
            "Key": self.key(),
            "ExpressionAttributeNames": { "#name": name },
            "UpdateExpression": "REMOVE #name",
        });
        if let Some(value) = value {
            update["UpdateExpression"] = "SET #name = :value".into();
            update["ExpressionAttributeValues"] = json!({ ":value": value });
        }
        self.engine.dynamodb.call("UpdateItem", &update).await.map(drop)
    }

    /// Whether the item's `openUntil` has come, or can't be read.
    pub(crate) async fn is_due(&self) -> anyhow::Result<bool> {
        let item = self.item().await?.context("there is an item")?;
        let until = item
            .get("openUntil")
            .and_then(|until| until["S"].as_str())
            .and_then(Timestamp::parse);
        Ok(until.is_none_or(|until| now() >= until))
    }
}
