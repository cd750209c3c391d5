//! What a case does, step by step, and what each answer has to be.

use anyhow::ensure;
use scripted_partner::Script;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::case::FunctionName;

/// One step: exactly one of the fields that say what is done.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Step {
    /// Starts an execution with this input, and waits for its end.
    pub(crate) start: Option<Value>,
    /// Sends this to the front door's `POST /circuits/NAME/calls`: JSON, or a text as it is.
    pub(crate) post: Option<Value>,
    /// Asks the front door for this path.
    pub(crate) get: Option<String>,
    /// Waits until that many requests have reached the partner.
    pub(crate) hits: Option<u64>,
    /// Lets the partner's held answers go.
    pub(crate) release: Option<bool>,
    /// Waits until the item's `openUntil` has come.
    pub(crate) due: Option<bool>,
    /// Waits until the table holds an answer back.
    pub(crate) held: Option<bool>,
    /// Kills (-9) whatever process of this case's own function is working.
    pub(crate) kill: Option<FunctionName>,
    /// Writes these attributes, as a person would: null removes one.
    pub(crate) write: Option<Map<String, Value>>,
    /// Takes every fault away: the usual definition, the usual functions, a table that works.
    pub(crate) mend: Option<bool>,
    /// Gives the partner another script.
    pub(crate) partner: Option<Script>,

    /// Of a request: how often it is made; `together` at once, otherwise one after the other.
    pub(crate) times: Option<usize>,
    pub(crate) together: bool,
    /// Of a request: what is done while it is under way.
    pub(crate) meanwhile: Vec<Step>,
    /// Of a request: what each answer has to be.
    pub(crate) expect: Option<Expect>,
}

/// What the answers of one step have to be.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Expect {
    /// The fallback with this reason; or `live`, the scripted partner's usual answer.
    Reason(String),
    /// Each answer is this one.
    Each(Box<ExpectedAnswer>),
    /// So many of these, in any order.
    Several(Vec<ExpectedAnswer>),
}

/// What an answer has to be. What is not said is as the reason has it: `live` is the scripted partner's usual answer,
/// anything else the policy's fallback.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct ExpectedAnswer {
    pub(crate) reason: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) content_type: Option<String>,
    /// The headers in an execution's output; none when nothing is said.
    pub(crate) headers: Map<String, Value>,
    /// The body as text; a JSON value that is no text is compared as JSON.
    pub(crate) body: Option<Value>,
    /// Text that the body has to contain.
    pub(crate) body_has: Option<String>,
    /// How many characters the body has.
    pub(crate) body_length: Option<usize>,
    /// Of an execution that does not succeed: `FAILED` or `TIMED_OUT`.
    pub(crate) ends: Option<String>,
    /// It comes within this time, in milliseconds.
    pub(crate) within_ms: Option<u64>,
    /// It takes that long at least.
    pub(crate) at_least_ms: Option<u64>,
    /// In a list: how many answers are this one; 1 when nothing is said.
    pub(crate) times: Option<usize>,
}

impl Step {
    /// Whether it makes a request.
    pub(crate) fn is_request(&self) -> bool {
        self.start.is_some() || self.post.is_some() || self.get.is_some()
    }

    /// Whether an answer has to be a refusal or a failure, which the front door tells in other words than an execution.
    pub(crate) fn expects_refusal(&self) -> bool {
        let refuses = |answer: &ExpectedAnswer| answer.ends.is_some() || answer.reason.as_deref() == Some("invalid");
        match &self.expect {
            None => false,
            Some(Expect::Reason(reason)) => reason == "invalid",
            Some(Expect::Each(each)) => refuses(each),
            Some(Expect::Several(several)) => several.iter().any(refuses),
        }
    }

    /// Whether it does one thing, and says what has to come of it if that is a request.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let kinds = [
            self.start.is_some(),
            self.post.is_some(),
            self.get.is_some(),
            self.hits.is_some(),
            self.release.is_some(),
            self.due.is_some(),
            self.held.is_some(),
            self.kill.is_some(),
            self.write.is_some(),
            self.mend.is_some(),
            self.partner.is_some(),
        ];
        ensure!(
            kinds.into_iter().filter(|is| *is).count() == 1,
            "a step does exactly one thing"
        );
        let about_requests = self.times.is_some() || self.together || !self.meanwhile.is_empty();
        ensure!(
            self.is_request() == self.expect.is_some() && (self.is_request() || !about_requests),
            "a request has an `expect`, and nothing else has one"
        );
        self.meanwhile.iter().try_for_each(Self::check)
    }

    /// Whether any of the steps, or of those that are done meanwhile, is such a one.
    pub(crate) fn any(steps: &[Self], is: &dyn Fn(&Self) -> bool) -> bool {
        steps.iter().any(|step| is(step) || Self::any(&step.meanwhile, is))
    }
}
