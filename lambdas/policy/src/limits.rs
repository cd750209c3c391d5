//! Every default and range of a policy, once: validation, the schema and the documents read them here.

/// One number of a policy: a whole number within `min..=max`, and what holds when it is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The field's path in the file, as in `call.timeoutMs`.
    pub field: &'static str,
    /// The value when the field is left out. `None`: it follows from others, as `note` says.
    pub default: Option<u64>,
    /// The least value, inclusive.
    pub min: u64,
    /// The greatest value, inclusive.
    pub max: u64,
    /// What the value must be a multiple of.
    pub multiple_of: u64,
    /// What else is asked of it; empty if nothing is.
    pub note: &'static str,
}

impl Number {
    /// What is allowed, as an error says it.
    pub fn allowed(&self) -> String {
        let multiple = match self.multiple_of {
            1 => String::new(),
            of => format!(", a multiple of {of}"),
        };
        let note = if self.note.is_empty() {
            String::new()
        } else {
            format!(", {}", self.note)
        };
        format!("a whole number from {} to {}{multiple}{note}", self.min, self.max)
    }

    /// Whether the number may stand in the field.
    pub fn accepts(&self, value: u64) -> bool {
        (self.min..=self.max).contains(&value) && value.is_multiple_of(self.multiple_of)
    }
}

const fn number(field: &'static str, default: u64, min: u64, max: u64) -> Number {
    Number {
        field,
        default: Some(default),
        min,
        max,
        multiple_of: 1,
        note: "",
    }
}

/// How long a call may take, from name resolution to the last byte of the body.
pub const TIMEOUT_MS: Number = number("call.timeoutMs", 800, 50, 20_000);
/// How large an answer may be after decompression. A state of a Step Functions execution holds 262,144 bytes.
pub const MAX_RESPONSE_BYTES: Number = number("call.maxResponseBytes", 131_072, 1, 200_000);
/// How often a call is sent again at most.
pub const RETRIES: Number = number("call.retries", 0, 0, 3);
/// How large a customer's body may be, where a circuit passes it on.
pub const BODY_BYTES: Number = number("call.body.maxBytes", 16_384, 1, 65_536);
/// How many failures within the window open the breaker.
pub const TRIP_FAILURES: Number = number("trip.failures", 5, 1, 10_000);
/// The window; ten slices of it are counted.
pub const TRIP_WINDOW_MS: Number = Number {
    multiple_of: 10,
    ..number("trip.windowMs", 60_000, 1_000, 3_600_000)
};
/// How long an opened breaker waits for its probe.
pub const OPEN_FOR_MS: Number = number("open.forMs", 30_000, 100, 86_400_000);
/// How long a probe's lease holds.
pub const PROBE_LEASE_MS: Number = Number {
    field: "probe.leaseMs",
    default: None,
    min: TIMEOUT_MS.min + LEASE_OVER_TIMEOUT_MS + 1,
    max: 86_400_000,
    multiple_of: 1,
    note: "more than call.timeoutMs + 2000",
};
/// The status of a fallback: a final one.
pub const FALLBACK_STATUS: Number = number("fallback.status", 200, 200, 599);

/// All numbers of a policy, in the order of the file.
pub const NUMBERS: [Number; 9] = [
    TIMEOUT_MS,
    MAX_RESPONSE_BYTES,
    RETRIES,
    BODY_BYTES,
    TRIP_FAILURES,
    TRIP_WINDOW_MS,
    OPEN_FOR_MS,
    PROBE_LEASE_MS,
    FALLBACK_STATUS,
];

/// A lease must be longer than the call's time-out by more than this (the protocol's *Decisions*: a probe starts only
/// with a second to spare, and clocks agree to a second).
pub const LEASE_OVER_TIMEOUT_MS: u64 = 2_000;

/// The lease when the file gives none: the greater of five seconds and the time-out + 3000.
pub fn default_lease_ms(timeout_ms: u64) -> u64 {
    timeout_ms.saturating_add(3_000).max(5_000)
}

/// A circuit's name, as a pattern for whole values: it is part of a machine's name, a path and a key.
pub const CIRCUIT: &str = "[A-Za-z0-9_-]{1,48}";
/// A parameter's name, as a pattern for whole values.
pub const PARAMETER: &str = "[A-Za-z][A-Za-z0-9_]{0,31}";
/// How many parameters a circuit can have.
pub const PARAMETERS: usize = 16;
/// The length of a parameter's value in UTF-16 units, which is how Java and JavaScript count; everything that checks
/// values must agree.
pub const VALUE_LENGTH: usize = 200;
/// The length of a parameter's pattern in characters.
pub const PATTERN_LENGTH: usize = 500;
/// How deep a pattern's groups nest.
pub const PATTERN_DEPTH: usize = 8;
/// How many characters a pattern asks for when each repeat is written out in full.
pub const PATTERN_SIZE: u64 = 1_000;
/// In how many ways a pattern may match the beginning of one value. An engine that backtracks tries them all before it
/// refuses, so this bounds its time.
pub const PATTERN_WAYS: u64 = 10_000;
/// The length of `call.url` and of `route.path`.
pub const URL_LENGTH: usize = 2_000;
/// How many headers a policy can send.
pub const HEADERS: usize = 32;
/// The length of a header's value.
pub const HEADER_LENGTH: usize = 4_096;
/// How many headers with secrets a policy can send.
pub const SECRET_HEADERS: usize = 8;
/// How many of the partner's headers a policy can pass on.
pub const PASS_HEADERS: usize = 16;
/// The length of a customer's body as a JSON string, in bytes: so it stands in the execution's state, beside the answer.
pub const BODY_AS_JSON_BYTES: usize = 131_072;
/// The length of the fallback's body as text, in bytes.
pub const FALLBACK_BODY_BYTES: usize = 16_384;
/// The length of a whole deployed policy as JSON. It stands in the execution's state beside the partner's answer, and
/// both together must leave room in 262,144 bytes.
pub const DEPLOYED_BYTES: usize = 24_576;
/// The length of a policy file.
pub const FILE_BYTES: u64 = 262_144;
/// The resources that one REST API holds (AWS, *API Gateway quotas*: resources per API, by default).
pub const API_RESOURCES: usize = 300;
