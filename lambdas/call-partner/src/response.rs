//! What is read of a response: its body within the limit, its content type, and the headers that are passed on.

use std::collections::BTreeMap;
use std::time::Duration;

use policy::{Call, Method, media_type};
use reqwest::Response;
use reqwest::header::{CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use crate::answer::PLAIN_TEXT;
use crate::classification::Body;
use crate::fault;

/// The longest value of a header that is passed on, in bytes, inclusive.
const HEADER_BYTES: usize = 2_048;

/// The body as text. Memory is bounded by the limit and one chunk: what lies past the limit is not read.
pub async fn body(response: &mut Response, max_bytes: u64) -> Result<String, Body> {
    let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| fault::of_body(&error))? {
        if chunk.len() > limit - body.len() {
            return Err(Body::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    // The client takes the header off when it decodes: one that is left was not asked for and can't be undone.
    let is_encoded = response
        .headers()
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
    if is_encoded && !body.is_empty() {
        return Err(Body::Undecodable);
    }
    // A 205 has none (RFC 9110, 15.3.6), whatever was sent: behind it the next one's must not be taken for ours.
    if response.status().as_u16() == 205 {
        body.clear();
    }
    String::from_utf8(body).map_err(|_| Body::NotText)
}

/// The content type as it was sent, or that of plain text.
pub fn content_type(headers: &HeaderMap) -> String {
    sent_type(headers).unwrap_or(PLAIN_TEXT).to_owned()
}

fn sent_type(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    sent.filter(|value| (1..=256).contains(&value.len()))
}

/// Whether the head says that the answer is of the type that the policy expects, or says nothing about it.
pub fn may_be_expected(call: &Call, status: u16, headers: &HeaderMap) -> bool {
    match (&call.expect_content_type, sent_type(headers)) {
        (Some(expected), Some(sent)) => !can_have_body(call, status) || media_type::is_expected(sent, expected),
        // A type that can't be read is none that was expected.
        (Some(_), None) => !can_have_body(call, status) || !headers.contains_key(CONTENT_TYPE),
        (None, _) => true,
    }
}

/// Whether an answer without a type is one that may come. Where there is no body there is no type; but a 200 to a GET whose
/// type is expected should have had a body.
pub fn may_be_untyped(call: &Call, status: u16, headers: &HeaderMap, body: &str) -> bool {
    let is_fine = call.expect_content_type.is_none() || headers.contains_key(CONTENT_TYPE);
    is_fine || !can_have_body(call, status) || (body.is_empty() && !(call.method == Method::Get && status == 200))
}

fn can_have_body(call: &Call, status: u16) -> bool {
    call.method != Method::Head && !matches!(status, 204 | 205 | 304)
}

/// The headers that the policy passes on, each as one line. One that is no ASCII, or endless, is left out, and so is one that
/// the partner says is for this connection only (RFC 9110, 7.6.1).
pub fn passed(headers: &HeaderMap, names: &[String]) -> BTreeMap<String, String> {
    let is_ours_alone = |name: &str| {
        let lines = headers.get_all(CONNECTION).into_iter();
        let mut options = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
        options.any(|option| option.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
    };
    let line = |name: &String| {
        let values: Option<Vec<String>> = headers
            .get_all(name)
            .into_iter()
            .map(|value| cleaned(value.as_bytes()))
            .collect();
        let line = values?.join(", ");
        (1..=HEADER_BYTES).contains(&line.len()).then_some((name.clone(), line))
    };
    let names = names.iter().filter(|name| !is_ours_alone(name));
    names.filter_map(line).collect()
}

/// A value without control characters: none of them reaches a customer, or a log on the way.
fn cleaned(value: &[u8]) -> Option<String> {
    let clean = value.iter().map(|byte| match byte {
        b' '..=b'~' => Some(char::from(*byte)),
        0..=0x1f | 0x7f => Some(' '),
        0x80.. => None,
    });
    let text: Option<String> = clean.collect();
    text.map(|text| text.trim().to_owned())
}

/// When the partner says that it will be there again, in whole seconds. A date is not looked at: it can't be soon enough.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn headers_are_passed_by_name_and_cleaned() {
        let headers = headers(&[
            ("etag", b"\"a\""),
            ("vary", b"a"),
            ("vary", b"b\tc"),
            ("x-latin", b"\xe4"),
            ("x-empty", b""),
            ("x-long", &[b'x'; HEADER_BYTES + 1]),
            ("x-other", b"1"),
        ]);
        let names = ["etag", "vary", "x-latin", "x-empty", "x-long", "x-absent"].map(str::to_owned);
        let passed = passed(&headers, &names);
        assert_eq!(
            passed,
            BTreeMap::from([
                ("etag".to_owned(), "\"a\"".to_owned()),
                ("vary".to_owned(), "a, b c".to_owned())
            ])
        );
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(cleaned(b"\x01a\r\nb\x7f").as_deref(), Some("a  b"));
        assert_eq!(cleaned("ä".as_bytes()), None);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds() {
        for (value, expected) in [
            ("0", Some(0)),
            ("2", Some(2)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("99999999999999999999", None),
            ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ] {
            let found = retry_after(&headers(&[("retry-after", value.as_bytes())]));
            assert_eq!(found, expected.map(Duration::from_secs), "{value}");
        }
    }
}
