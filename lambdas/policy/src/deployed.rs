//! The policy as it is deployed: all defaults filled in, and only what an execution needs.

use std::collections::BTreeMap;
use std::fmt;

use breaker::policy::{Open, Probe, Trip};
use serde::{Deserialize, Serialize};

use crate::body::{Body, BodyFile};
use crate::file::PolicyFile;
use crate::method::Method;
use crate::secret::SecretHeader;
use crate::{limits, query};

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

/// How the partner is called. What few policies use is left out where it is not used: that is a part of each execution's
/// state, and a caller of an earlier version refuses only what it would have to do without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The URL with its `{parameters}`, `call.query` included; [`crate::url::Template`] fills them in.
    pub url: String,
    /// The headers that each call sends.
    pub headers: Headers,
    /// The headers whose values are kept elsewhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_headers: BTreeMap<String, SecretHeader>,
    /// What is sent as the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// The partner's headers that the customer gets too, in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_headers: Vec<String>,
    /// The media type that an answer must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_content_type: Option<String>,
    /// How often a call is sent again at most.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
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

impl Call {
    /// How large the customer's own body may be, in bytes; none where the circuit takes none.
    pub fn passes_body(&self) -> Option<u64> {
        match self.body {
            Some(Body::Pass { max_bytes }) => Some(max_bytes),
            Some(Body::Template(_)) | None => None,
        }
    }

    /// Whether the call tells the partner who we are, so that a 401, 403 or 407 is about our credential and not about the
    /// partner's health.
    pub fn sends_credentials(&self) -> bool {
        !self.secret_headers.is_empty() || self.headers.hold_credentials()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
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

    /// Whether one of them tells the partner who we are.
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
                url: query::join(&file.call.url, &file.call.query),
                headers: file.call.headers,
                secret_headers: file.call.secret_headers,
                body: file.call.body.map(body),
                pass_headers: file
                    .call
                    .pass_headers
                    .iter()
                    .map(|name| name.to_ascii_lowercase())
                    .collect(),
                expect_content_type: file.call.expect_content_type,
                retries: file.call.retries,
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

fn body(file: BodyFile) -> Body {
    match file.template {
        Some(template) => Body::Template(template.to_string()),
        None => Body::Pass {
            max_bytes: file
                .max_bytes
                .or(limits::BODY_BYTES.default)
                .unwrap_or(limits::BODY_BYTES.min),
        },
    }
}
