//! The policy as it is deployed: all defaults filled in, and only what an execution needs.

use std::collections::BTreeMap;
use std::fmt;

use breaker::policy::{Open, Probe, Trip};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file::PolicyFile;
use crate::limits;

/// What whoever deploys puts into the definition's first state, as JSON. The shapes of its parts are those of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deployed {
    /// The circuit's name.
    pub circuit: String,
    /// Each parameter's name and the pattern that its whole value must match.
    pub params: BTreeMap<String, String>,
    /// How the partner is called.
    pub call: Call,
    /// When the breaker opens.
    pub trip: Trip,
    /// How long it stays open.
    pub open: Open,
    /// How the probe is sent.
    pub probe: Probe,
    /// What is answered instead.
    pub fallback: Fallback,
}

/// How the partner is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The URL with its `{parameters}`; [`crate::url::Template`] fills them in.
    pub url: String,
    /// The headers that each call sends.
    pub headers: Headers,
    /// The one deadline over all of the call, in milliseconds.
    pub timeout_ms: u64,
    /// The greatest answer after decompression, in bytes, inclusive.
    pub max_response_bytes: u64,
}

/// What is answered instead of the partner's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fallback {
    /// The status, 200-599.
    pub status: u16,
    /// The body: JSON as text, in the file's key order, serialised once.
    pub body: String,
}

/// The methods that this version knows: none has a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// `GET`, the default.
    #[default]
    Get,
    /// `HEAD`: the answer has no body.
    Head,
}

impl Method {
    /// The method as HTTP spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Header names and values. `Debug` shows the names only, because a value may be a credential.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Headers(pub BTreeMap<String, String>);

impl Headers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them tells the partner who we are, so that a 401, 403 or 407 is about our credential and not
    /// about the partner's health.
    pub fn hold_credentials(&self) -> bool {
        self.0.keys().any(|name| {
            CREDENTIALS
                .iter()
                .any(|credential| name.eq_ignore_ascii_case(credential))
        })
    }
}

/// The headers that are credentials (product.md, *What counts*).
const CREDENTIALS: [&str; 3] = ["authorization", "proxy-authorization", "x-api-key"];

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Deployed {
    /// Fills in what the file left out. The file must have been checked, as [`crate::load`] does.
    pub(crate) fn of(file: PolicyFile) -> Self {
        let timeout_ms = file.call.timeout_ms;
        Self {
            circuit: file.circuit,
            params: file.params,
            call: Call {
                method: file.call.method,
                url: file.call.url,
                headers: file.call.headers,
                timeout_ms,
                max_response_bytes: file.call.max_response_bytes,
            },
            trip: Trip {
                failures: file.trip.failures,
                window_ms: file.trip.window_ms,
            },
            open: Open {
                for_ms: file.open.for_ms,
            },
            probe: Probe::new(
                file.probe
                    .lease_ms
                    .unwrap_or_else(|| limits::default_lease_ms(timeout_ms)),
            ),
            fallback: Fallback {
                status: file.fallback.status,
                body: file.fallback.body.to_string(),
            },
        }
    }
}
