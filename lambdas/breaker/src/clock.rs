//! Points in time, as the item stores them: RFC 3339 in UTC with milliseconds, always 24 characters.

use std::fmt;

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// Milliseconds since the Unix epoch. Time is always an argument in this crate: nothing here reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// The last millisecond of the year 9999: a later time can't be written in 24 characters.
const LAST_MS: u64 = 253_402_300_799_999;

impl Timestamp {
    /// A time from milliseconds since the Unix epoch; later than the year 9999 is the end of 9999.
    pub fn from_ms(ms: u64) -> Self {
        Self(ms.min(LAST_MS))
    }

    /// Milliseconds since the Unix epoch.
    pub fn as_ms(self) -> u64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, rounded down: the unit of DynamoDB's TTL.
    pub fn as_s(self) -> u64 {
        self.0 / 1000
    }

    /// This time and so many milliseconds.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self::from_ms(self.0.saturating_add(ms))
    }

    /// Reads what a Choice state's `IsTimestamp` accepts: RFC 3339 with a capital `T` and `Z`, any fraction and any
    /// offset. A fraction of a millisecond is rounded up, so that "now ≥ it" is true for the same milliseconds here
    /// as in the workflow. Times before 1970 read as 1970: nothing waits for either.
    pub fn parse(text: &str) -> Option<Self> {
        // RFC 3339 leaves it open what stands between date and time, and takes small letters.
        if text.as_bytes().get(10) != Some(&b'T') || text.ends_with('z') {
            return None;
        }
        let nanoseconds = OffsetDateTime::parse(text, &Rfc3339)
            .ok()?
            .unix_timestamp_nanos()
            .max(0);
        let ms = nanoseconds / 1_000_000 + i128::from(nanoseconds % 1_000_000 != 0);
        u64::try_from(ms).ok().map(Self::from_ms)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = i64::try_from(self.as_s())
            .ok()
            .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
            .to_offset(UtcOffset::UTC);
        let (date, time) = (at.date(), at.time());
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            date.year(),
            u8::from(date.month()),
            date.day(),
            time.hour(),
            time.minute(),
            time.second(),
            self.0 % 1000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_24_characters_and_read_back() {
        for ms in [0, 1, 999, 1000, 1_790_000_000_123, LAST_MS] {
            let text = Timestamp::from_ms(ms).to_string();
            assert_eq!(text.len(), 24, "{text}");
            assert_eq!(Timestamp::parse(&text), Some(Timestamp::from_ms(ms)));
        }
        assert_eq!(Timestamp::from_ms(u64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_time_with_offset_or_odd_fraction_is_read() {
        assert_eq!(
            Timestamp::parse("1970-01-01T01:00:00+01:00"),
            Some(Timestamp::from_ms(0))
        );
        assert_eq!(
            Timestamp::parse("1970-01-01T00:00:00.0001Z"),
            Some(Timestamp::from_ms(1))
        );
        assert_eq!(Timestamp::parse("1969-12-31T23:59:59Z"), Some(Timestamp::from_ms(0)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "now",
            "2026-01-01",
            "2026-01-01t00:00:00Z",
            "2026-01-01T00:00:00z",
            "2026-01-01 00:00:00Z",
            "2026-01-01_00:00:00Z",
            "2026-13-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
