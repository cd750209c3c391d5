//! DynamoDB's numbers: decimals of up to 38 digits, sent as text and compared by value.

use std::cmp::Ordering;

/// A decimal number: `mantissa` × 10^`exponent`, without trailing zeros in the mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// What a table's number can have at most (AWS, *DynamoDB: Naming rules and data types*).
const DIGITS: usize = 38;

impl Decimal {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits.strip_prefix('+').unwrap_or(digits)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        while all.len() > 1 && all.ends_with('0') {
            all.pop();
            exponent = exponent.checked_add(1)?;
        }
        let significant = all.trim_start_matches('0');
        if significant.len() > DIGITS {
            return None;
        }
        let mantissa = significant.parse::<i128>().unwrap_or(0);
        Some(Self {
            mantissa: if negative { -mantissa } else { mantissa },
            exponent: if mantissa == 0 { 0 } else { exponent },
        })
    }

    /// The number, if it is whole, not negative, and no greater than `u64::MAX`.
    pub(crate) fn as_u64(self) -> Option<u64> {
        let scale = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        u64::try_from(self.mantissa.checked_mul(scale)?).ok()
    }

    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let sum = self.mantissa_at(exponent)?.checked_add(other.mantissa_at(exponent)?)?;
        Self::parse(&format!("{sum}e{exponent}"))
    }

    fn mantissa_at(self, exponent: i32) -> Option<i128> {
        let scale = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.mantissa.checked_mul(10_i128.checked_pow(scale)?)
    }

    /// How DynamoDB prints the number, for the sizes that a count can have.
    pub(crate) fn to_text(self) -> String {
        match u32::try_from(self.exponent).ok().and_then(|exponent| {
            10_i128
                .checked_pow(exponent)
                .and_then(|scale| self.mantissa.checked_mul(scale))
        }) {
            Some(whole) => whole.to_string(),
            None => format!("{}e{}", self.mantissa, self.exponent),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.mantissa.signum().cmp(&other.mantissa.signum());
        if sign != Ordering::Equal || self.mantissa == 0 {
            return sign;
        }
        // The same sign: the place of the first digit decides, then the digits brought to one length.
        let digits = |number: &Self| i64::from(number.mantissa.unsigned_abs().ilog10());
        let place = |number: &Self| digits(number) + i64::from(number.exponent);
        let by_size = place(self).cmp(&place(other)).then_with(|| {
            let (mine, theirs) = (self.mantissa.unsigned_abs(), other.mantissa.unsigned_abs());
            // At most 38 digits each, so that a u128 holds both; the shorter is the one that is padded.
            let gap = u32::try_from((digits(self) - digits(other)).unsigned_abs()).unwrap_or(0);
            let pad = 10_u128.saturating_pow(gap);
            if digits(self) < digits(other) {
                (mine * pad).cmp(&theirs)
            } else {
                mine.cmp(&(theirs * pad))
            }
        });
        if self.mantissa < 0 { by_size.reverse() } else { by_size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_equal_by_value() {
        for same in ["5", "5.0", "05", "0.5e1", "+5", "50E-1"] {
            assert_eq!(decimal(same), decimal("5"), "{same}");
        }
        for zero in ["-0", "0.000", "000", "0e9", "0e2147483647"] {
            assert_eq!(decimal(zero), decimal("0"), "{zero}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ordered = [
            "-1e30", "-20", "-12.5", "-12", "-3", "-2.5", "0", "0.001", "0.5", "1", "1.25", "1.5", "2", "10", "12",
            "12.5", "13", "1e9", "1e125",
        ];
        for (low, high) in ordered.iter().zip(&ordered[1..]) {
            assert!(decimal(low) < decimal(high), "{low} < {high}");
        }
    }

    #[test]
    fn only_whole_numbers_that_are_not_negative_read_as_counts() {
        assert_eq!(decimal("12e1").as_u64(), Some(120));
        assert_eq!(decimal("18446744073709551615").as_u64(), Some(u64::MAX));
        for text in ["-1", "0.5", "18446744073709551616", "1e40"] {
            assert_eq!(decimal(text).as_u64(), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "-",
            ".",
            "abc",
            "1e",
            "NaN",
            "1 ",
            "123456789012345678901234567890123456789",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sums_keep_their_digits() {
        assert_eq!(decimal("41").checked_add(decimal("1")).unwrap().to_text(), "42");
        assert_eq!(decimal("99").checked_add(decimal("1")).unwrap().to_text(), "100");
        assert_eq!(decimal("0.5").checked_add(decimal("1")), Some(decimal("1.5")));
        assert_eq!(
            decimal("0.12345678901234567890123456789012345678").checked_add(decimal("1")),
            None
        );
    }
}
