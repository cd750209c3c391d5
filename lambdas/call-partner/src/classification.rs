//! What came of a call, by the closed list in the product's *What counts, and what the customer gets*.
//!
//! [`classify`] is the whole of it: one total function from how far the call came to what that means. It reads neither
//! clock nor network, so a table of all its pairs is its test.

use breaker::handover::{Outcome, OutcomeVerdict};

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// There is no answer's head.
    Unanswered(Fault),
    /// The head came, with this status, and this of the body.
    Answered(u16, Body),
}

/// Why there is no answer's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The host's name has no address.
    Dns,
    /// Nobody accepts the connection.
    Connect,
    /// TLS could not be agreed on, or the certificate is not to be trusted.
    Tls,
    /// The connection ended before the head did.
    Reset,
    /// What came is no HTTP.
    Protocol,
    /// The time was up.
    Deadline,
}

/// What came of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// It was not read yet: is it worth reading?
    Unread,
    /// All of it, as text within the limit.
    Complete,
    /// The time was up.
    Deadline,
    /// The connection ended before the body did.
    Cut,
    /// It is not what its encoding says.
    Undecodable,
    /// It is larger than the limit after decompression.
    TooLarge,
    /// It is not UTF-8.
    NotText,
    /// It has another media type than the policy expects, or none.
    OtherType,
}

/// Why an answer is not passed on. The names are an interface: the table's `lastFailure`, events and logs carry them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `dns`
    Dns,
    /// `connect`
    Connect,
    /// `tls`
    Tls,
    /// `reset`
    Reset,
    /// `protocol`
    Protocol,
    /// `timeout`, wherever in the call the time was up.
    Timeout,
    /// `body`
    Body,
    /// `decode`
    Decode,
    /// `status-5xx`
    Status5xx,
    /// `status-429`
    Status429,
    /// `content-type`
    ContentType,
    /// `credentials`
    Credentials,
    /// `secret`: a credential of ours could not be read; nothing was called.
    Secret,
    /// `too-large`
    TooLarge,
    /// `not-text`
    NotText,
    /// `invalid`: a parameter does not match; nothing was called.
    Invalid,
    /// `probe-late`: the probe would outlive its lease; nothing was called.
    ProbeLate,
}

/// Whether the answer is passed on (or, while it is unread, worth reading), or else why not. `sends_credentials` is
/// whether the policy's headers say who we are: only then a 401, 403 or 407 is our own fault.
///
/// # Errors
/// The kind.
pub fn classify(end: End, sends_credentials: bool) -> Result<(), Kind> {
    let (status, body) = match end {
        End::Unanswered(Fault::Dns) => return Err(Kind::Dns),
        End::Unanswered(Fault::Connect) => return Err(Kind::Connect),
        End::Unanswered(Fault::Tls) => return Err(Kind::Tls),
        End::Unanswered(Fault::Reset) => return Err(Kind::Reset),
        End::Unanswered(Fault::Protocol) => return Err(Kind::Protocol),
        End::Unanswered(Fault::Deadline) => return Err(Kind::Timeout),
        End::Answered(status, body) => (status, body),
    };
    // The status first: a 503 is a failure, however its body ends.
    match (status, body) {
        (500..=599, _) => Err(Kind::Status5xx),
        (429, _) => Err(Kind::Status429),
        (401 | 403 | 407, _) if sends_credentials => Err(Kind::Credentials),
        // No final status of HTTP: there is nothing that could be passed on.
        (..=199 | 600.., _) => Err(Kind::Protocol),
        (_, Body::OtherType) => Err(Kind::ContentType),
        (_, Body::Deadline) => Err(Kind::Timeout),
        (_, Body::Cut) => Err(Kind::Body),
        (_, Body::Undecodable) => Err(Kind::Decode),
        (_, Body::TooLarge) => Err(Kind::TooLarge),
        (_, Body::NotText) => Err(Kind::NotText),
        (_, Body::Unread | Body::Complete) => Ok(()),
    }
}

impl Kind {
    /// The kind as it is spelled everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Dns => "dns",
            Kind::Connect => "connect",
            Kind::Tls => "tls",
            Kind::Reset => "reset",
            Kind::Protocol => "protocol",
            Kind::Timeout => "timeout",
            Kind::Body => "body",
            Kind::Decode => "decode",
            Kind::Status5xx => "status-5xx",
            Kind::Status429 => "status-429",
            Kind::ContentType => "content-type",
            Kind::Credentials => "credentials",
            Kind::Secret => "secret",
            Kind::TooLarge => "too-large",
            Kind::NotText => "not-text",
            Kind::Invalid => "invalid",
            Kind::ProbeLate => "probe-late",
        }
    }

    /// What it says about the partner, and the customer's `x-circuit`.
    fn meaning(self) -> (OutcomeVerdict, &'static str) {
        match self {
            Kind::Dns
            | Kind::Connect
            | Kind::Tls
            | Kind::Reset
            | Kind::Protocol
            | Kind::Timeout
            | Kind::Body
            | Kind::Decode
            | Kind::Status5xx
            | Kind::Status429
            | Kind::ContentType => (OutcomeVerdict::Failure, "error"),
            Kind::Credentials => (OutcomeVerdict::Undecided, "credentials"),
            Kind::Secret => (OutcomeVerdict::Undecided, "internal"),
            // The partner works: as a probe it is a success.
            Kind::TooLarge | Kind::NotText => (OutcomeVerdict::Success, "unsupported-response"),
            Kind::Invalid => (OutcomeVerdict::Undecided, "invalid"),
            Kind::ProbeLate => (OutcomeVerdict::Undecided, "probe-busy"),
        }
    }

    /// The outcome, with a message of ours.
    pub fn outcome(self, message: String) -> Outcome {
        let (verdict, reason) = self.meaning();
        Outcome {
            verdict,
            reason: reason.to_owned(),
            kind: Some(self.as_str().to_owned()),
            message: Some(message),
        }
    }
}

/// The outcome of an answer that is passed on.
pub fn live() -> Outcome {
    Outcome {
        verdict: OutcomeVerdict::Success,
        reason: "live".to_owned(),
        kind: None,
        message: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODIES: [Body; 8] = [
        Body::Unread,
        Body::Complete,
        Body::Deadline,
        Body::Cut,
        Body::Undecodable,
        Body::TooLarge,
        Body::NotText,
        Body::OtherType,
    ];

    fn kind(end: End, sends_credentials: bool) -> Option<&'static str> {
        classify(end, sends_credentials).err().map(Kind::as_str)
    }

    #[test]
    fn call_without_an_answer_is_a_failure_of_its_own_kind() {
        for (fault, expected) in [
            (Fault::Dns, "dns"),
            (Fault::Connect, "connect"),
            (Fault::Tls, "tls"),
            (Fault::Reset, "reset"),
            (Fault::Protocol, "protocol"),
            (Fault::Deadline, "timeout"),
        ] {
            for credentials in [false, true] {
                assert_eq!(kind(End::Unanswered(fault), credentials), Some(expected));
            }
        }
    }

    /// Every status with every end of its body, with and without credentials.
    #[test]
    fn status_decides_before_the_body_does() {
        for status in 0..=1_000 {
            for credentials in [false, true] {
                for body in BODIES {
                    let by_status = match status {
                        500..600 => Some("status-5xx"),
                        429 => Some("status-429"),
                        401 | 403 | 407 if credentials => Some("credentials"),
                        200..500 => None,
                        _ => Some("protocol"),
                    };
                    let by_body = match body {
                        Body::Unread | Body::Complete => None,
                        Body::Deadline => Some("timeout"),
                        Body::Cut => Some("body"),
                        Body::Undecodable => Some("decode"),
                        Body::TooLarge => Some("too-large"),
                        Body::NotText => Some("not-text"),
                        Body::OtherType => Some("content-type"),
                    };
                    let kind = kind(End::Answered(status, body), credentials);
                    assert_eq!(kind, by_status.or(by_body), "{status} {body:?} {credentials}");
                }
            }
        }
    }

    #[test]
    fn each_kind_has_its_name_its_verdict_and_its_reason() {
        use OutcomeVerdict::{Failure, Success, Undecided};
        for (kind, name, verdict, reason) in [
            (Kind::Dns, "dns", Failure, "error"),
            (Kind::Connect, "connect", Failure, "error"),
            (Kind::Tls, "tls", Failure, "error"),
            (Kind::Reset, "reset", Failure, "error"),
            (Kind::Protocol, "protocol", Failure, "error"),
            (Kind::Timeout, "timeout", Failure, "error"),
            (Kind::Body, "body", Failure, "error"),
            (Kind::Decode, "decode", Failure, "error"),
            (Kind::Status5xx, "status-5xx", Failure, "error"),
            (Kind::Status429, "status-429", Failure, "error"),
            (Kind::ContentType, "content-type", Failure, "error"),
            (Kind::Credentials, "credentials", Undecided, "credentials"),
            (Kind::Secret, "secret", Undecided, "internal"),
            (Kind::TooLarge, "too-large", Success, "unsupported-response"),
            (Kind::NotText, "not-text", Success, "unsupported-response"),
            (Kind::Invalid, "invalid", Undecided, "invalid"),
            (Kind::ProbeLate, "probe-late", Undecided, "probe-busy"),
        ] {
            let outcome = kind.outcome("m".to_owned());
            assert_eq!((outcome.verdict, outcome.reason.as_str()), (verdict, reason), "{name}");
            assert_eq!(
                (outcome.kind.as_deref(), outcome.message.as_deref()),
                (Some(name), Some("m"))
            );
        }
        assert_eq!((live().verdict, live().reason.as_str()), (Success, "live"));
    }
}
