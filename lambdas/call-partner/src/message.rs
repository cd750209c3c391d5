//! What a call without an answer is called, in words of ours: nothing of the partner's or of the request's is in them.

use policy::Call;

use crate::answer::{Answer, CallResult};
use crate::classification::{Body, End, Kind};
use crate::client::NoAnswer;

/// The result of a call that gave nothing to pass on.
pub fn unanswered(NoAnswer { kind, end, .. }: NoAnswer, call: &Call) -> CallResult {
    let message = match (kind, end) {
        (Kind::Status5xx | Kind::Status429 | Kind::Protocol, End::Answered(status, _)) => {
            format!("the partner answered with status {status}")
        }
        (Kind::ContentType, _) => "the partner's answer is of another type than call.expectContentType".to_owned(),
        (Kind::Credentials, End::Answered(status, _)) => {
            format!("the partner refused our credentials with status {status}")
        }
        (Kind::Timeout, End::Answered(_, Body::Deadline)) => {
            format!("the partner's answer was not complete within {} ms", call.timeout_ms)
        }
        (Kind::Timeout, _) => format!("the partner did not answer within {} ms", call.timeout_ms),
        (Kind::TooLarge, _) => {
            format!(
                "the partner's answer is larger than {} bytes, or than an execution holds",
                call.max_response_bytes
            )
        }
        (Kind::Dns, _) => "the partner's name has no address".to_owned(),
        (Kind::Connect, _) => "the partner accepts no connection".to_owned(),
        (Kind::Tls, _) => "no secure connection to the partner could be agreed on".to_owned(),
        (Kind::Reset, _) => "the partner closed the connection before it answered".to_owned(),
        (Kind::Body, _) => "the partner closed the connection in the middle of its answer".to_owned(),
        (Kind::Decode, _) => "the partner's answer is not encoded as it says".to_owned(),
        (Kind::NotText, _) => "the partner's answer is not UTF-8 text".to_owned(),
        (Kind::Status5xx | Kind::Status429 | Kind::Credentials | Kind::Protocol, End::Unanswered(_)) => {
            "what the partner sent is no HTTP".to_owned()
        }
        (Kind::Invalid | Kind::ProbeLate | Kind::Secret, _) => "nothing was called".to_owned(),
    };
    let unsupported = matches!(kind, Kind::TooLarge | Kind::NotText);
    let answer = unsupported.then(|| Answer::message(502, "the partner's answer can't be passed on"));
    CallResult {
        outcome: kind.outcome(message),
        answer,
    }
}
