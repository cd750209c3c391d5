//! What one character of a pattern may be.

use std::fmt::Write;

/// A set of characters: any of ASCII, and either none or all of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set {
    /// One bit per ASCII character.
    ascii: u128,
    others: Others,
    /// The end of the value, for what may follow; never in a pattern's own set.
    end: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    None,
    /// All but the line breaks U+0085, U+2028 and U+2029.
    InLine,
    All,
}

impl Set {
    pub(super) const NONE: Self = Self {
        ascii: 0,
        others: Others::None,
        end: false,
    };
    pub(super) const END: Self = Self {
        end: true,
        ..Self::NONE
    };
    /// `.`: anything but a line break. Engines disagree on which characters break a line; these are Java's.
    pub(super) const IN_LINE: Self = Self {
        ascii: !((1 << b'\n') | (1 << b'\r')),
        others: Others::InLine,
        end: false,
    };

    pub(super) fn range(first: u8, last: u8) -> Self {
        let ascii = (first..=last)
            .filter(u8::is_ascii)
            .fold(0, |bits, byte| bits | 1 << byte);
        Self { ascii, ..Self::NONE }
    }

    pub(super) fn negated(self) -> Self {
        Self {
            ascii: !self.ascii,
            others: Others::All,
            end: false,
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        let others = match (self.others, other.others) {
            (Others::None, Others::None) => Others::None,
            (Others::All, _) | (_, Others::All) => Others::All,
            _ => Others::InLine,
        };
        Self {
            ascii: self.ascii | other.ascii,
            others,
            end: self.end || other.end,
        }
    }

    pub(super) fn is_disjoint(self, other: Self) -> bool {
        let others_meet = self.others != Others::None && other.others != Others::None;
        self.ascii & other.ascii == 0 && !others_meet && !(self.end && other.end)
    }

    /// The set as a class that all engines read alike.
    pub(super) fn portable(self) -> String {
        match self.others {
            Others::None => format!("[{}]", ranges(self.ascii)),
            Others::All if self.ascii == u128::MAX => String::from("(?:[\\u0000-\\u007f]|[^\\u0000-\\u007f])"),
            Others::All => format!("[^{}]", ranges(!self.ascii)),
            Others::InLine => format!("[^{}\\u0085\\u2028\\u2029]", ranges(!self.ascii)),
        }
    }
}

fn ranges(ascii: u128) -> String {
    let has = |byte: u8| byte.is_ascii() && ascii >> byte & 1 == 1;
    let mut text = String::new();
    let mut byte = 0;
    while byte < 128 {
        let first = byte;
        while has(byte) {
            byte += 1;
        }
        // Writing to a String can't fail.
        let _ = match byte - first {
            0 => Ok(()),
            1 => write!(text, "\\u{first:04x}"),
            _ => write!(text, "\\u{first:04x}-\\u{:04x}", byte - 1),
        };
        byte += 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_with_both_ends() {
        assert_eq!(
            Set::range(b'0', b'9').union(Set::range(b'-', b'-')).portable(),
            "[\\u002d\\u0030-\\u0039]"
        );
        assert_eq!(Set::range(0, 127).portable(), "[\\u0000-\\u007f]");
        assert_eq!(Set::range(b'a', b'z').negated().portable(), "[^\\u0061-\\u007a]");
    }

    #[test]
    fn sets_meet_in_ascii_in_the_others_or_at_the_end() {
        let (digit, letter) = (Set::range(b'0', b'9'), Set::range(b'a', b'z'));
        assert!(digit.is_disjoint(letter));
        assert!(!digit.is_disjoint(letter.negated()));
        assert!(!letter.negated().is_disjoint(Set::range(b'a', b'y').negated()));
        assert!(Set::END.is_disjoint(Set::IN_LINE));
        assert!(!Set::END.union(digit).is_disjoint(Set::END));
    }
}
