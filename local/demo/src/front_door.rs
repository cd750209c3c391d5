//! The system's front door, called as a customer's application would.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value;

use crate::{answer::Answer, circuit};

/// Longer than any execution may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The front door of a running system.
#[derive(Clone)]
pub struct FrontDoor {
    client: reqwest::Client,
    url: String,
}

impl FrontDoor {
    pub fn new(url: &str) -> anyhow::Result<Self> {
        // The client wants to know who would do TLS, even where nothing is encrypted. Somebody who installed one before
        // is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
        Ok(Self {
            client,
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// One customer's question.
    pub async fn ask(&self, number: usize) -> anyhow::Result<Answer> {
        let url = format!("{}/books/9783161484100/delivery-time", self.url);
        let began = Instant::now();
        let answer = self
            .client
            .get(url)
            .send()
            .await
            .with_context(|| format!("request {number} got no answer"))?;
        let status = answer.status().as_u16();
        let reason = answer
            .headers()
            .get("x-circuit")
            .and_then(|reason| reason.to_str().ok())
            .unwrap_or_default();
        let reason = reason.to_owned();
        let body = answer
            .text()
            .await
            .with_context(|| format!("the answer to request {number} broke off"))?;
        Ok(Answer {
            number,
            status,
            took: began.elapsed(),
            reason,
            body,
        })
    }

    /// What the system stores of the circuit: some fields of it, for a reader.
    pub async fn stored(&self) -> anyhow::Result<String> {
        let url = format!("{}/circuits/{}", self.url, circuit::NAME);
        let stored: Value = serde_json::from_str(&self.client.get(url).send().await?.text().await?)?;
        let shown = ["state", "epoch", "openUntil", "openings"].iter().filter_map(|field| {
            let value = stored.get(field)?;
            Some(format!(
                "{field} {}",
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            ))
        });
        Ok(shown.collect::<Vec<_>>().join(", "))
    }

    /// A request that goes past the front door.
    pub async fn stray(&self, url: String) -> anyhow::Result<()> {
        self.client.get(url).send().await?;
        Ok(())
    }
}
