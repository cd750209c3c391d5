//! Times as they are stored: every one is written in 24 characters and read back, and any text has a reading or none.

use breaker::clock::Timestamp;
use proptest::prelude::*;

/// 9999-12-31T23:59:59.999Z
const LAST_MS: u64 = 253_402_300_799_999;

/// Texts that are a time, or would be but for one thing.
fn near_times() -> impl Strategy<Value = String> {
    let time = (
        0_u32..10_000,
        0_u32..14,
        0_u32..33,
        0_u32..26,
        0_u32..62,
        0_u32..62,
        "(\\.[0-9]{0,12})?",
        "Z|z|[+-][0-2][0-9]:[0-6][0-9]||[+-][0-9]{4}| Z",
    );
    let time = time.prop_map(|(year, month, day, hour, minute, second, fraction, offset)| {
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{offset}")
    });
    // One character more, fewer or another.
    (time, any::<prop::sample::Index>(), "[ -~ü]?", 0_usize..4).prop_map(|(text, at, character, change)| {
        let mut all: Vec<char> = text.chars().collect();
        let at = at.index(all.len());
        match change {
            0 => drop(all.splice(at..at, character.chars())),
            1 => drop(all.splice(at..=at, character.chars())),
            _ => {}
        }
        all.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(crate::cases(2048))]

    #[test]
    fn every_time_is_written_in_24_characters_and_read_back(ms in 0..=LAST_MS) {
        let time = Timestamp::from_ms(ms);
        let text = time.to_string();
        prop_assert_eq!(text.len(), 24);
        prop_assert_eq!(Timestamp::parse(&text), Some(time), "{}", text);
    }

    #[test]
    fn texts_are_in_the_order_of_the_times(one in 0..=LAST_MS, other in 0..=LAST_MS) {
        let (one, other) = (Timestamp::from_ms(one), Timestamp::from_ms(other));
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), one.cmp(&other));
    }

    #[test]
    fn no_time_is_past_the_year_9999(ms in any::<u64>(), more in any::<u64>()) {
        let time = Timestamp::from_ms(ms).plus_ms(more);
        prop_assert_eq!(time.as_ms(), ms.min(LAST_MS).saturating_add(more).min(LAST_MS));
        prop_assert_eq!(time.as_s(), time.as_ms() / 1000);
        prop_assert_eq!(time.to_string().len(), 24);
    }

    #[test]
    fn any_text_is_a_time_that_can_be_written_or_none(text in prop_oneof![any::<String>(), near_times()]) {
        if let Some(time) = Timestamp::parse(&text) {
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time), "{}", text);
        }
    }

    #[test]
    fn a_fraction_is_rounded_up_to_the_millisecond_that_is_not_before_it(ms in 0..LAST_MS, below in 0_u64..1_000_000) {
        let whole = Timestamp::from_ms(ms);
        let text = whole.to_string().replace('Z', &format!("{below:06}Z"));
        prop_assert_eq!(Timestamp::parse(&text), Some(whole.plus_ms(u64::from(below > 0))), "{}", text);
    }

    #[test]
    fn an_offset_is_taken_into_account(ms in 86_400_000..LAST_MS - 86_400_000, minutes in -1439_i64..=1439) {
        let utc = Timestamp::from_ms(ms);
        let local = Timestamp::from_ms(ms.saturating_add_signed(minutes * 60_000));
        let sign = if minutes < 0 { '-' } else { '+' };
        let offset = format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
        let text = local.to_string().replace('Z', &offset);
        prop_assert_eq!(Timestamp::parse(&text), Some(utc), "{}", text);
    }
}
