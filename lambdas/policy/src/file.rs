//! The file's types: what `statemachine/circuits/NAME.json` holds, and the source of its schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::body::BodyFile;
use crate::deployed::Headers;
use crate::limits;
use crate::method::Method;
use crate::secret::SecretHeader;

/// The policy of one circuit: how its partner is called, when the breaker opens, and what is answered instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Stepbreaker policy")]
pub struct PolicyFile {
    /// Where an editor finds this schema; nothing else reads it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub schema: Option<String>,
    /// The circuit's name, which is the file's name too.
    #[schemars(regex(pattern = format!("^{}$", limits::CIRCUIT)))]
    pub circuit: String,
    /// Where the front door takes calls, besides `POST /circuits/NAME/calls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Route")]
    pub route: Option<Route>,
    /// Each parameter's name and the pattern that its whole value must match: literals, ASCII classes, `.` (anything but
    /// a line break), groups, alternation and bounded repeats. A value has at most 200 characters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = limits::PARAMETERS))]
    pub params: BTreeMap<String, String>,
    /// How the partner is called.
    pub call: CallFile,
    /// When the breaker opens.
    #[serde(default)]
    pub trip: TripFile,
    /// How long it stays open.
    #[serde(default)]
    pub open: OpenFile,
    /// How the probe is sent that may close it.
    #[serde(default)]
    pub probe: ProbeFile,
    /// What is answered instead of the partner's answer.
    pub fallback: FallbackFile,
}

/// A way into the circuit through the front door.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Route {
    /// The method of requests to the route.
    #[serde(default)]
    pub method: Method,
    /// The path, with parameters as whole segments: `/books/{isbn}/delivery-time`.
    #[schemars(regex(pattern = "^(/([A-Za-z0-9._:-]+|\\{[A-Za-z][A-Za-z0-9_]{0,31}\\}))+$"))]
    pub path: String,
    /// Parameters that are taken from the query: `["country"]` takes `?country=de`. Other names in a query are passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("uniqueItems" = true, "maxItems" = limits::PARAMETERS))]
    pub query: Vec<String>,
}

/// The call of the partner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallFile {
    /// The method of the call.
    #[serde(default)]
    pub method: Method,
    /// Where the call goes: http or https, parameters only as whole path segments or whole query values, as in
    /// `https://partner.example.com/stock/{isbn}?in={country}`.
    #[schemars(regex(pattern = "^https?://[^/?#@{}]+([/?][^#]*)?$"), length(max = limits::URL_LENGTH))]
    pub url: String,
    /// Headers that each call sends. They are no place for secrets: whoever reads the deployed machine reads them.
    #[serde(default, skip_serializing_if = "Headers::is_empty")]
    #[schemars(with = "BTreeMap<String, String>", extend("maxProperties" = limits::HEADERS))]
    pub headers: Headers,
    /// Query values that each call sends, besides those of the URL: a name, and a text or a whole `{parameter}`. Both are
    /// percent-encoded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    /// What is sent as the body, by a method other than GET and HEAD; the content type is that of `headers`, or
    /// `application/json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BodyFile")]
    pub body: Option<BodyFile>,
    /// Headers whose values are secrets, and where these are kept. The caller reads them; they stand nowhere else.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = limits::SECRET_HEADERS))]
    pub secret_headers: BTreeMap<String, SecretHeader>,
    /// The partner's headers that the customer gets too: `["etag", "cache-control"]`. No others are passed on but the content
    /// type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("uniqueItems" = true, "maxItems" = limits::PASS_HEADERS))]
    pub pass_headers: Vec<String>,
    /// The media type of the partner's answers: one of another type counts as a failure. `application/json` expects
    /// `application/problem+json` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "String",
        regex(pattern = "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$")
    )]
    pub expect_content_type: Option<String>,
    /// How often a call is sent again at most, within `timeoutMs`: after a failure to connect, and after a 503 that says in
    /// `Retry-After` when to come again. A probe never is. It counts as one call.
    #[serde(default)]
    #[schemars(range(min = limits::RETRIES.min, max = limits::RETRIES.max))]
    pub retries: u32,
    /// How long the call may take in all, from name resolution to the last byte of the body; in milliseconds.
    #[serde(default = "timeout_ms")]
    #[schemars(range(min = limits::TIMEOUT_MS.min, max = limits::TIMEOUT_MS.max))]
    pub timeout_ms: u64,
    /// How large the answer may be after decompression, in bytes. A larger one is answered with a 502.
    #[serde(default = "max_response_bytes")]
    #[schemars(range(min = limits::MAX_RESPONSE_BYTES.min, max = limits::MAX_RESPONSE_BYTES.max))]
    pub max_response_bytes: u64,
}

/// When the breaker opens: at `failures` failures within `windowMs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TripFile {
    /// How many failures open the breaker.
    #[schemars(range(min = limits::TRIP_FAILURES.min, max = limits::TRIP_FAILURES.max))]
    pub failures: u32,
    /// The window that they must lie in, in milliseconds; a multiple of 10.
    #[schemars(range(min = limits::TRIP_WINDOW_MS.min, max = limits::TRIP_WINDOW_MS.max))]
    #[schemars(extend("multipleOf" = limits::TRIP_WINDOW_MS.multiple_of))]
    pub window_ms: u64,
}

impl Default for TripFile {
    fn default() -> Self {
        Self {
            failures: limits::TRIP_FAILURES
                .default
                .and_then(|value| value.try_into().ok())
                .unwrap_or(1),
            window_ms: limits::TRIP_WINDOW_MS.default.unwrap_or_default(),
        }
    }
}

/// How long an opened breaker stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OpenFile {
    /// From the opening, or a failed probe, to the next probe; in milliseconds.
    #[schemars(range(min = limits::OPEN_FOR_MS.min, max = limits::OPEN_FOR_MS.max))]
    pub for_ms: u64,
}

impl Default for OpenFile {
    fn default() -> Self {
        Self {
            for_ms: limits::OPEN_FOR_MS.default.unwrap_or_default(),
        }
    }
}

/// How the probe is sent that may close the breaker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ProbeFile {
    /// How long one execution holds the right to probe, in milliseconds: more than `call.timeoutMs` + 2000. Left out, it
    /// is the greater of 5000 and `call.timeoutMs` + 3000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = limits::PROBE_LEASE_MS.min, max = limits::PROBE_LEASE_MS.max))]
    pub lease_ms: Option<u64>,
}

/// What is answered instead of the partner's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FallbackFile {
    /// The status of the answer.
    #[serde(default = "fallback_status")]
    #[schemars(range(min = limits::FALLBACK_STATUS.min, max = limits::FALLBACK_STATUS.max))]
    pub status: u16,
    /// The body of the answer: any JSON.
    #[schemars(schema_with = "any_json")]
    pub body: Value,
}

fn timeout_ms() -> u64 {
    limits::TIMEOUT_MS.default.unwrap_or_default()
}

fn max_response_bytes() -> u64 {
    limits::MAX_RESPONSE_BYTES.default.unwrap_or_default()
}

fn fallback_status() -> u16 {
    limits::FALLBACK_STATUS
        .default
        .and_then(|value| value.try_into().ok())
        .unwrap_or(200)
}

fn any_json(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}

/// The schema of a policy file, as `statemachine/policy.schema.json` holds it.
pub fn schema() -> Schema {
    schemars::schema_for!(PolicyFile)
}
