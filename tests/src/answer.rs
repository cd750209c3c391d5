//! An answer, of an execution or of the front door, and what a case expects of it.

use std::time::Duration;

use anyhow::Context;
use policy::Deployed;
use serde_json::{Value, json};

use crate::nonce;
use crate::step::{Expect, ExpectedAnswer};

/// What the scripted partner answers when its script says nothing.
const USUAL_BODY: &str = r#"{"partner":"scripted"}"#;

/// What came back.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// How the execution ended: `SUCCEEDED`, `FAILED`, `TIMED_OUT`. The front door doesn't tell.
    pub ends: Option<String>,
    /// The error's name, of an execution that did not succeed.
    pub error: Option<String>,
    /// The circuit that the execution says it is of.
    pub circuit: Option<String>,
    /// `live` or `fallback`, as the execution says.
    pub source: Option<String>,
    /// The output's `reason`, or `x-circuit`.
    pub reason: String,
    /// The status.
    pub status: u16,
    /// The content type.
    pub content_type: String,
    /// The output's `headers`. The front door doesn't tell which of its headers they are.
    pub headers: Option<Value>,
    /// The body.
    pub body: String,
    /// The nonce that the partner put into its answer, if this is one.
    pub(crate) nonce: Option<String>,
    /// How long it took.
    pub took: Duration,
}

impl Answer {
    /// From an execution as StartSyncExecution or DescribeExecution tells it.
    pub(crate) fn of_execution(described: Value, took: Duration) -> anyhow::Result<Self> {
        let ends = described["status"]
            .as_str()
            .context("an execution has a status")?
            .to_owned();
        let mut answer = Self {
            error: described["error"].as_str().map(str::to_owned),
            took,
            ..Self::default()
        };
        if ends == "SUCCEEDED" {
            let mut output: Value = serde_json::from_str(described["output"].as_str().context("an output")?)?;
            answer.nonce = nonce::take(&mut output["headers"]);
            let text = |field: &str| match &output[field] {
                Value::String(text) => text.clone(),
                other => format!("no text: {other}"),
            };
            answer.circuit = Some(text("circuit"));
            answer.source = Some(text("source"));
            answer.reason = text("reason");
            answer.content_type = text("contentType");
            answer.body = text("body");
            answer.headers = Some(output["headers"].clone());
            answer.status = output["status"].as_u64().unwrap_or_default().try_into()?;
        }
        answer.ends = Some(ends);
        Ok(answer)
    }

    /// From the front door.
    pub(crate) async fn of_front_door(response: reqwest::Response, took: Duration) -> anyhow::Result<Self> {
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        Ok(Self {
            status: response.status().as_u16(),
            reason: header("x-circuit"),
            content_type: header("content-type"),
            nonce: Some(header(nonce::HEADER)).filter(|nonce| !nonce.is_empty()),
            took,
            body: response.text().await?,
            ..Self::default()
        })
    }

    pub(crate) fn short(&self) -> String {
        let body: String = self.body.chars().take(200).collect();
        let Self {
            status,
            reason,
            source,
            content_type,
            took,
            ends,
            error,
            ..
        } = self;
        let source = source.as_deref().unwrap_or("front door");
        let end = ends.as_deref().filter(|ends| *ends != "SUCCEEDED");
        match end {
            Some(end) => format!("{end} ({}), after {took:?}", error.as_deref().unwrap_or("no error")),
            None => format!("{status} {reason} ({source}, {content_type}), after {took:?}: {body}"),
        }
    }
}

impl Expect {
    /// Compares answers with what is expected of them: a line for each difference.
    pub(crate) fn differences(&self, answers: &[Answer], policy: &Deployed) -> Vec<String> {
        let each = match self {
            Self::Reason(reason) => ExpectedAnswer {
                reason: Some(reason.clone()),
                ..ExpectedAnswer::default()
            },
            Self::Each(each) => (**each).clone(),
            Self::Several(several) => return differences_of_several(several, answers, policy),
        };
        let numbered = answers.iter().enumerate().flat_map(|(index, answer)| {
            let differences = each.differences(answer, policy).into_iter();
            differences.map(move |difference| format!("request {}: {difference}; got {}", index + 1, answer.short()))
        });
        numbered.collect()
    }
}

/// Each expectation takes the answers that meet it, up to its number.
fn differences_of_several(several: &[ExpectedAnswer], answers: &[Answer], policy: &Deployed) -> Vec<String> {
    let mut left: Vec<&Answer> = answers.iter().collect();
    let mut differences = Vec::new();
    for expected in several {
        let wanted = expected.times.unwrap_or(1);
        let mut found = 0;
        left.retain(|answer| {
            let takes = found < wanted && expected.differences(answer, policy).is_empty();
            found += usize::from(takes);
            !takes
        });
        if found < wanted {
            differences.push(format!("expected {wanted} of {expected:?}, got {found}"));
        }
    }
    differences.extend(
        left.into_iter()
            .map(|answer| format!("expected by nothing: {}", answer.short())),
    );
    differences
}

impl ExpectedAnswer {
    fn differences(&self, answer: &Answer, policy: &Deployed) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, expected: Value, got: Value| {
            if expected != got {
                differences.push(format!("{what}: expected {expected}"));
            }
        };
        compare(
            "the end",
            json!(self.ends.as_deref().or(answer.ends.as_ref().map(|_| "SUCCEEDED"))),
            json!(answer.ends),
        );
        if self.ends.is_some() {
            return differences;
        }
        let reason = self.reason.as_deref().unwrap_or("live");
        let is_live = reason == "live";
        compare("reason", json!(reason), json!(answer.reason));
        if answer.ends.is_some() {
            compare("circuit", json!(policy.circuit), json!(answer.circuit));
            compare(
                "source",
                json!(if is_live { "live" } else { "fallback" }),
                json!(answer.source),
            );
        }
        let usual_status = if is_live { 200 } else { policy.fallback.status };
        compare(
            "status",
            json!(self.status.unwrap_or(usual_status)),
            json!(answer.status),
        );
        let content_type = self.content_type.as_deref().unwrap_or("application/json");
        compare("content type", json!(content_type), json!(answer.content_type));
        if let Some(headers) = &answer.headers {
            compare("headers", json!(self.headers), headers.clone());
        }
        match &self.body {
            Some(Value::String(text)) => compare("body", json!(text), json!(answer.body)),
            Some(body) => compare(
                "body",
                body.clone(),
                serde_json::from_str(&answer.body).unwrap_or_default(),
            ),
            None if self.body_has.is_some() || self.body_length.is_some() => {}
            None if is_live => compare("body", json!(USUAL_BODY), json!(answer.body)),
            None => compare("body", json!(policy.fallback.body), json!(answer.body)),
        }
        if let Some(part) = &self.body_has {
            compare(
                &format!("body with {part:?}"),
                json!(true),
                json!(answer.body.contains(part)),
            );
        }
        if let Some(length) = self.body_length {
            compare("length of the body", json!(length), json!(answer.body.chars().count()));
        }
        let took = u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX);
        if let Some(within_ms) = self.within_ms {
            compare(&format!("within {within_ms} ms"), json!(true), json!(took <= within_ms));
        }
        if let Some(at_least_ms) = self.at_least_ms {
            compare(
                &format!("not before {at_least_ms} ms"),
                json!(true),
                json!(took >= at_least_ms),
            );
        }
        differences
    }
}
