//! What the customer gets: an execution's answer, or a small error.

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use states_language::Outcome;

use crate::http::{Reply, json as json_reply};
use crate::step_functions::Finished;

/// Why a request gets a small error.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The percent-encoding of the path or the query is broken.
    MalformedPath,
    /// No such route, or not with this method.
    NotFound,
    /// The body of a call can't be used; the text says why and holds nothing of it.
    BadBody(String),
    /// The request is larger than an execution's input may be.
    TooLarge,
    /// Step Functions refused the start.
    NotStarted,
    /// The execution ended FAILED, or with an output that is no answer.
    Failed,
    /// The execution ended TIMED_OUT.
    TimedOut,
    /// The stored circuit can't be read.
    NotReadable,
}

impl Refusal {
    fn parts(&self) -> (StatusCode, &str, &'static str) {
        match self {
            Self::MalformedPath => (
                StatusCode::BAD_REQUEST,
                "The path or the query is not properly percent-encoded",
                "invalid",
            ),
            Self::NotFound => (StatusCode::NOT_FOUND, "Not found", "failed"),
            Self::BadBody(problem) => (StatusCode::BAD_REQUEST, problem, "invalid"),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request is larger than 262144 bytes",
                "invalid",
            ),
            Self::NotStarted => (StatusCode::SERVICE_UNAVAILABLE, "Try again later", "failed"),
            Self::Failed | Self::NotReadable => {
                (StatusCode::BAD_GATEWAY, "The request could not be completed", "failed")
            }
            Self::TimedOut => (StatusCode::GATEWAY_TIMEOUT, "The request took too long", "failed"),
        }
    }
}

/// The small error.
pub(super) fn refuse(refusal: Refusal, request_id: &str) -> Reply {
    let (status, message, reason) = refusal.parts();
    let mut reply = json_reply(status, &json!({ "message": message, "requestId": request_id }));
    reply
        .headers_mut()
        .insert("x-circuit", HeaderValue::from_static(reason));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    reply
}

/// The answer of an execution that has ended.
pub(super) fn of(finished: &Finished, circuit: &str, request_id: &str) -> Reply {
    let refusal = match &finished.outcome {
        Outcome::Succeeded { output } => match answered(output) {
            Some(reply) => return reply,
            None => {
                tracing::error!(circuit, execution = finished.arn, "the output is no answer");
                Refusal::Failed
            }
        },
        Outcome::TimedOut { .. } => Refusal::TimedOut,
        Outcome::Failed { error, .. } => {
            // The cause may hold the execution's data.
            tracing::error!(circuit, execution = finished.arn, error, "the execution failed");
            Refusal::Failed
        }
        _ => Refusal::Failed,
    };
    refuse(refusal, request_id)
}

/// Status, content type, headers, reason and body of an execution's output, each of its own type.
fn answered(output: &Value) -> Option<Reply> {
    let status = output["status"]
        .as_u64()
        .and_then(|status| u16::try_from(status).ok())?;
    let status = StatusCode::from_u16(status)
        .ok()
        .filter(|status| (200..600).contains(&status.as_u16()))?;
    let reason = HeaderValue::from_str(output["reason"].as_str()?).ok()?;
    let content_type = HeaderValue::from_str(output["contentType"].as_str()?).ok()?;
    let body = output["body"].as_str()?.to_owned();
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    // The partner's, as far as the policy passes them on; ours are set behind them, so that none takes their place.
    for (name, value) in output["headers"].as_object().into_iter().flatten() {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = value.as_str().and_then(|text| HeaderValue::from_str(text).ok())?;
        reply.headers_mut().insert(name, value);
    }
    reply.headers_mut().insert(CONTENT_TYPE, content_type);
    reply.headers_mut().insert("x-circuit", reason);
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> Value {
        json!({ "status": 404, "contentType": "text/plain", "body": "gone", "reason": "live" })
    }

    fn finished(outcome: Outcome) -> Finished {
        let at = time::OffsetDateTime::UNIX_EPOCH;
        Finished {
            arn: "arn".to_owned(),
            name: "name".to_owned(),
            started_at: at,
            stopped_at: at,
            outcome,
        }
    }

    fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
        reply.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn status_type_and_reason_come_from_the_output() {
        let reply = of(&finished(Outcome::Succeeded { output: output() }), "a", "ID");
        assert_eq!(
            (reply.status().as_u16(), header(&reply, "content-type")),
            (404, "text/plain")
        );
        assert_eq!(header(&reply, "x-circuit"), "live");
    }

    #[test]
    fn headers_are_passed_on_but_for_ours() {
        let mut output = output();
        output["headers"] = json!({ "etag": "\"1\"", "x-circuit": "open", "content-type": "text/html" });
        let reply = of(&finished(Outcome::Succeeded { output }), "a", "ID");
        assert_eq!(header(&reply, "etag"), "\"1\"");
        assert_eq!(
            (header(&reply, "x-circuit"), header(&reply, "content-type")),
            ("live", "text/plain")
        );
    }

    #[test]
    fn failed_is_502_and_timed_out_504() {
        let failure = ("E".to_owned(), "secret".to_owned());
        let failed = Outcome::Failed {
            error: failure.0.clone(),
            cause: failure.1.clone(),
        };
        let timed_out = Outcome::TimedOut {
            error: failure.0,
            cause: failure.1,
        };
        for (outcome, status) in [(failed, 502), (timed_out, 504)] {
            let reply = of(&finished(outcome), "a", "ID");
            assert_eq!(
                (reply.status().as_u16(), header(&reply, "x-circuit")),
                (status, "failed")
            );
            assert!(!format!("{reply:?}").contains("secret"));
        }
    }

    #[test]
    fn a_refused_start_says_when_to_come_again() {
        let reply = refuse(Refusal::NotStarted, "ID");
        assert_eq!((reply.status().as_u16(), header(&reply, "retry-after")), (503, "1"));
    }

    #[test]
    fn an_output_that_is_no_answer_is_502() {
        for (field, value) in [
            ("status", json!("200")),
            ("status", json!(99)),
            ("status", json!(600)),
            ("status", json!(101)),
            ("body", json!({})),
            ("reason", json!("a\nb")),
            ("reason", Value::Null),
            ("contentType", Value::Null),
            ("headers", json!({ "etag": 1 })),
            ("headers", json!({ "etag": "a\nb" })),
            ("headers", json!({ "a b": "x" })),
        ] {
            let mut output = output();
            output[field] = value;
            let reply = of(&finished(Outcome::Succeeded { output: output.clone() }), "a", "ID");
            assert_eq!(reply.status().as_u16(), 502, "{output}");
        }
    }
}
