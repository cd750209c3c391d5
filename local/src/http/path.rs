//! The segments of a request's path.

use percent_encoding::percent_decode_str;

/// The path has a `%` without two hexadecimal digits, or bytes that are no UTF-8.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the path is not properly percent-encoded")]
pub(crate) struct Malformed;

/// The decoded segments of a path. An encoded `/` is a part of its segment; the root has one empty segment.
pub(crate) fn segments(path: &str) -> Result<Vec<String>, Malformed> {
    path.strip_prefix('/').unwrap_or(path).split('/').map(decode).collect()
}

fn decode(segment: &str) -> Result<String, Malformed> {
    if !is_encoded_properly(segment) {
        return Err(Malformed);
    }
    percent_decode_str(segment)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| Malformed)
}

/// Whether two hexadecimal digits stand behind every `%`.
pub(crate) fn is_encoded_properly(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut percents = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    percents.all(|(at, _)| is_hex(at + 1) && is_hex(at + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_decoded_after_the_path_is_split() {
        assert_eq!(segments("/a/b%20c/d%2Fe/%C3%A4").unwrap(), ["a", "b c", "d/e", "ä"]);
        assert_eq!(segments("/").unwrap(), [""]);
        assert_eq!(segments("/a//b/").unwrap(), ["a", "", "b", ""]);
        assert_eq!(segments("/a+b/%25").unwrap(), ["a+b", "%"]);
    }

    #[test]
    fn a_broken_encoding_is_malformed() {
        for path in ["/%", "/%4", "/%zz", "/a/%2", "/%ff", "/%c3"] {
            assert_eq!(segments(path), Err(Malformed), "{path}");
        }
    }
}
