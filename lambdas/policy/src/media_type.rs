//! `call.expectContentType`: the media type that the partner's answers have when it works.

/// Whether the text is a media type without parameters: `application/json`.
pub(crate) fn is_media_type(text: &str) -> bool {
    // RFC 6838, 4.2: a restricted name.
    let is_restricted = |name: &str| {
        (1..=64).contains(&name.len())
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_restricted(kind) && is_restricted(subtype))
}

/// Whether a content type is the expected one. Parameters and case don't matter; `application/json` also expects what is
/// built on it by a suffix, as `application/problem+json` is (RFC 6839).
pub fn is_expected(content_type: &str, expected: &str) -> bool {
    let found = content_type.split(';').next().unwrap_or_default().trim();
    if found.eq_ignore_ascii_case(expected) {
        return true;
    }
    let (found, expected) = (found.to_ascii_lowercase(), expected.to_ascii_lowercase());
    match (found.split_once('/'), expected.split_once('/')) {
        (Some((kind, subtype)), Some((expected_kind, expected_subtype))) => {
            kind == expected_kind
                && subtype
                    .rsplit_once('+')
                    .is_some_and(|(_, suffix)| suffix == expected_subtype)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_is_expected_without_its_parameters_and_with_its_suffixes() {
        for (found, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            (" application/json ;x", true),
            ("application/problem+json", true),
            ("application/vnd.api+JSON;x=y", true),
            ("application/jsonp", false),
            ("application/json+xml", false),
            ("text/json", false),
            ("text/x+json", false),
            ("text/html", false),
            ("json", false),
            ("", false),
        ] {
            assert_eq!(is_expected(found, "application/json"), expected, "{found}");
        }
        assert!(!is_expected("application/json", "application/problem+json"));
    }

    #[test]
    fn media_type_is_two_names() {
        for (text, is) in [
            ("application/json", true),
            ("application/vnd.api+json", true),
            ("text/html; charset=utf-8", false),
            ("application/*", false),
            ("json", false),
            ("/json", false),
            ("a/b/c", false),
            ("", false),
        ] {
            assert_eq!(is_media_type(text), is, "{text}");
        }
    }
}
