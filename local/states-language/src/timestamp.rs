//! Timestamps as the states language compares them.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Reads an RFC 3339 timestamp with any fraction and offset. `T` and `Z` must be capitals, as the states language
/// demands beyond the RFC.
pub(crate) fn parse(text: &str) -> Option<OffsetDateTime> {
    let bytes = text.as_bytes();
    if bytes.get(10) != Some(&b'T') || bytes.last() == Some(&b'z') {
        return None;
    }
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_fraction_and_offset_is_read() {
        let second = parse("2016-03-14T01:59:00Z").unwrap();
        assert_eq!(parse("2016-03-14T03:59:00+02:00"), Some(second));
        assert_eq!(parse("2016-03-13T20:29:00-05:30"), Some(second));
        for digits in 1..=15 {
            let text = format!("2016-03-14T01:59:00.{}Z", "1".repeat(digits));
            assert!(
                parse(&text).is_some_and(|at| at > second && at < second + time::Duration::SECOND),
                "{text}"
            );
        }
        assert!(parse("2016-03-14T01:59:00.1Z") > parse("2016-03-14T01:59:00.099Z"));
    }

    #[test]
    fn what_is_no_timestamp_is_refused() {
        for text in [
            "",
            "2016-03-14",
            "2016-03-14 01:59:00Z",
            "2016-03-14t01:59:00Z",
            "2016-03-14T01:59:00z",
            "2016-03-14T01:59:00",
            "2016-13-14T01:59:00Z",
            "2016-03-14T25:59:00Z",
            "2016-03-14T01:59Z",
            "2016-03-14T01:59:00.Z",
            "2016-03-14T01:59:00Z ",
            "tomorrow",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
