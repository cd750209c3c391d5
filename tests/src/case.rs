//! A case as data: what is given, what is asked, what has to come of it. `tests/cases/README.md` describes the files.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{bail, ensure};
use scripted_partner::Script;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::step::Step;

/// One case. Its id is the circuit's name too, so that all cases can run at once in one table.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// What it shows, as a sentence.
    pub(crate) about: String,
    /// What an engine must be able to do beyond starting executions; other engines tell by it what they can't run.
    #[serde(default)]
    pub(crate) needs: Vec<Need>,
    /// A merge patch (RFC 7386) on the policy file that all cases begin with.
    #[serde(default)]
    pub(crate) policy: Map<String, Value>,
    /// A merge patch on the policy as it is bound: for what a policy file can't say, because it would be refused.
    #[serde(default)]
    pub(crate) bound_policy: Map<String, Value>,
    /// A merge patch on the definition as it is bound: for a fault of what stands behind a Task.
    #[serde(default)]
    pub(crate) bound_definition: Map<String, Value>,
    /// Another table than the one that exists, as the workflow's read names it.
    pub(crate) read_table: Option<String>,
    /// The item before the first step; none where there is none.
    pub(crate) item: Option<Map<String, Value>>,
    /// What the partner does; the healthy partner when nothing is said.
    #[serde(default)]
    pub(crate) partner: Script,
    /// Functions that are not the usual ones: `call-partner`, `acquire-probe`, `record-outcome`.
    #[serde(default)]
    pub(crate) functions: BTreeMap<FunctionName, Function>,
    /// Faults of the table, for requests about this case's item.
    #[serde(default)]
    pub(crate) store: Vec<StoreRule>,
    pub(crate) steps: Vec<Step>,
    /// The item after the last step.
    pub(crate) left: Left,
    /// What is announced, in this order; nothing when nothing is said.
    #[serde(default)]
    pub(crate) events: Vec<ExpectedEvent>,
    /// How many requests reach the partner.
    pub(crate) hits: u64,
}

/// What an engine must be able to do beyond starting executions.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Need {
    /// A front door.
    FrontDoor,
    /// Functions that are replaced, limited, missing or killed.
    Functions,
    /// A table that refuses, hangs, or answers what is long past.
    StoreFaults,
    /// Patience: the case takes longer than ten seconds.
    Patience,
}

/// A function of the workflow.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FunctionName {
    CallPartner,
    AcquireProbe,
    RecordOutcome,
}

impl FunctionName {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::CallPartner => "call-partner",
            Self::AcquireProbe => "acquire-probe",
            Self::RecordOutcome => "record-outcome",
        }
    }

    /// What a deployed stack calls it among its outputs.
    pub(crate) fn output(self) -> &'static str {
        match self {
            Self::CallPartner => "CallPartnerFunction",
            Self::AcquireProbe => "AcquireProbeFunction",
            Self::RecordOutcome => "RecordOutcomeFunction",
        }
    }
}

/// A function of one case's own.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Function {
    pub(crate) is: Kind,
    /// How many invocations may run at once.
    pub(crate) max_concurrency: Option<usize>,
    /// After how long it is killed.
    pub(crate) timeout_ms: Option<u64>,
}

impl Function {
    pub(crate) fn shipped() -> Self {
        Self {
            is: Kind::Shipped,
            max_concurrency: None,
            timeout_ms: None,
        }
    }
}

/// What a function of one case's own is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// The shipped one.
    Shipped,
    /// None: the name leads nowhere.
    Missing,
    /// One whose executable can't be started.
    Broken,
    /// A stand-in that answers with this.
    Gives(Value),
    /// A stand-in that fails with an error of this type.
    Fails(String),
    /// A stand-in that exits in the middle.
    Exits,
    /// A stand-in that never answers.
    Hangs,
}

/// A fault of the table, for one kind of request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoreRule {
    /// The operation: `GetItem`, `UpdateItem`.
    pub(crate) on: String,
    /// Which of them, from 1; all when nothing is said.
    pub(crate) nth: Option<u64>,
    /// From which of them on.
    pub(crate) from: Option<u64>,
    pub(crate) fault: StoreFault,
}

impl StoreRule {
    /// Whether it is about this request, counted from 1.
    pub(crate) fn is_for(&self, asked: u64) -> bool {
        self.nth.is_none_or(|nth| nth == asked) && self.from.is_none_or(|from| asked >= from)
    }
}

/// What the table does instead.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreFault {
    /// Refuses: there is no throughput left.
    Throttle,
    /// Answers with a 500.
    Fail,
    /// Never answers, and does nothing.
    Hang,
    /// Does what is asked and never answers.
    Hold,
    /// Does what is asked and closes the connection without an answer.
    Lose,
    /// Answers a read with this item, as if it were an old copy.
    Stale(Map<String, Value>),
}

/// The item after the last step.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Left {
    /// `unchanged`; or `closed`, whatever else stands in it.
    Word(String),
    /// What is expected of each attribute that is not as it was given.
    Changes(Map<String, Value>),
}

/// An announcement.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExpectedEvent {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// What is expected of each field of it; others are not looked at.
    #[serde(default)]
    pub(crate) detail: Map<String, Value>,
}

impl Case {
    /// What the case needs, read off what it does. (How long it takes can't be read off it.)
    fn needed(&self) -> Vec<Need> {
        let mut needed = Vec::new();
        if Step::any(&self.steps, &|step| step.post.is_some() || step.get.is_some()) {
            needed.push(Need::FrontDoor);
        }
        if !self.functions.is_empty() {
            needed.push(Need::Functions);
        }
        if !self.store.is_empty() {
            needed.push(Need::StoreFaults);
        }
        needed
    }

    /// Whether each of its starts may be a call at the front door as well: on the machine that is deployed, with what a
    /// customer can send, and where the answer is the same in both ways.
    pub(crate) fn is_for_front_door_too(&self) -> bool {
        let is_deployed = self.functions.is_empty()
            && self.bound_policy.is_empty()
            && self.bound_definition.is_empty()
            && self.read_table.is_none();
        let differs = |step: &Step| step.post.is_some() || step.get.is_some() || step.expects_refusal();
        let is_sent = |step: &Step| step.start.as_ref().is_none_or(|input| self.can_be_sent(input));
        is_deployed && !Step::any(&self.steps, &differs) && !Step::any(&self.steps, &|step| !is_sent(step))
    }

    /// Whether a customer can send an execution's input: the parameters of the policy, as texts, and a body as text.
    fn can_be_sent(&self, input: &Value) -> bool {
        let Some(fields) = input.as_object() else {
            return false;
        };
        let takes_body = self.policy.get("call").is_some_and(|call| call["body"].is_object());
        let declared = self.policy.get("params").and_then(Value::as_object);
        let is_text = |value: &Value| value.is_string();
        // Whether parameters match their patterns is seen by a request that reaches the partner.
        let has_all = declared.is_none_or(Map::is_empty) || (fields.contains_key("params") && self.hits > 0);
        has_all
            && fields.iter().all(|(name, value)| match name.as_str() {
                "params" => value.as_object().is_some_and(|given| {
                    let names = |params: &Map<String, Value>| params.keys().cloned().collect::<BTreeSet<_>>();
                    given.values().all(is_text) && names(given) == declared.map(names).unwrap_or_default()
                }),
                "body" => takes_body && value.is_string(),
                _ => false,
            })
    }

    /// Whether it says what can be played, and all that it needs.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        ensure!(
            (1..=48).contains(&self.id.len()) && self.id.chars().all(is_name),
            "an id is [a-z0-9-]{{1,48}}"
        );
        ensure!(self.about.ends_with('.'), "`about` is a sentence");
        self.steps.iter().try_for_each(Step::check)?;
        let mut declared = self.needs.clone();
        declared.retain(|need| *need != Need::Patience);
        declared.sort_unstable();
        let needed = self.needed();
        ensure!(
            declared == needed,
            "`needs` says {declared:?}, but the case needs {needed:?}"
        );
        if Step::any(&self.steps, &|step| {
            step.kill.is_some_and(|name| !self.functions.contains_key(&name))
        }) {
            bail!("only a function of the case's own is killed, lest another case's work is");
        }
        if let Left::Word(word) = &self.left {
            let is_word = ["unchanged", "closed"].contains(&word.as_str());
            ensure!(is_word, "`left` is `unchanged`, `closed`, or what has changed");
        }
        Ok(())
    }
}
