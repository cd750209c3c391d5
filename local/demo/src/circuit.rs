//! The circuit that the demo shows: its policy, in a folder that goes away with it.

use std::{fs, path::Path};

use scripted_partner::Partner;
use serde_json::json;
use tempfile::TempDir;

pub const NAME: &str = "wholesaler-stock";
pub const TIMEOUT_MS: u64 = 800;
pub const FAILURES: usize = 5;
pub const OPEN_FOR_MS: u64 = 3000;
const WINDOW_MS: u64 = 60_000;

/// The policy's file, in a folder of its own.
pub struct Circuit(TempDir);

impl Circuit {
    /// Writes the policy of a circuit that protects this partner.
    pub fn protecting(partner: &Partner) -> anyhow::Result<Self> {
        let folder = TempDir::with_prefix("stepbreaker-demo-")?;
        let policy = json!({
            "circuit": NAME,
            "route": { "method": "GET", "path": "/books/{isbn}/delivery-time" },
            "params": { "isbn": "[0-9]{10}|[0-9]{13}" },
            "call": { "method": "GET", "url": partner.url("/api/stock/{isbn}"), "timeoutMs": TIMEOUT_MS },
            "trip": { "failures": FAILURES, "windowMs": WINDOW_MS },
            "open": { "forMs": OPEN_FOR_MS },
            "fallback": {
                "status": 200,
                "body": { "deliveryDays": null, "note": "Delivery time follows by email." }
            }
        });
        fs::write(
            folder.path().join(format!("{NAME}.json")),
            serde_json::to_vec_pretty(&policy)?,
        )?;
        Ok(Self(folder))
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}

pub fn in_words() -> String {
    format!(
        "time-out {TIMEOUT_MS} ms; {FAILURES} failures within {} s open the breaker for {} s",
        WINDOW_MS / 1000,
        OPEN_FOR_MS / 1000
    )
}
