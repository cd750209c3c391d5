//! `StringMatches`.

/// A pattern: `*` stands for any text, `\*` and `\\` for themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// What stands between the stars, in order; at least one part.
    parts: Vec<String>,
}

/// A backslash that escapes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a backslash must be followed by '*' or another backslash")]
pub(crate) struct DanglingBackslash;

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, DanglingBackslash> {
        let mut parts = Vec::new();
        let mut part = String::new();
        let mut chars = text.chars();
        while let Some(found) = chars.next() {
            match found {
                '*' => parts.push(std::mem::take(&mut part)),
                '\\' => {
                    part.push(
                        chars
                            .next()
                            .filter(|next| matches!(next, '*' | '\\'))
                            .ok_or(DanglingBackslash)?,
                    );
                }
                other => part.push(other),
            }
        }
        parts.push(part);
        Ok(Self { parts })
    }

    /// Whether the whole text matches. Each part in the middle is taken at its first place, which leaves the most room
    /// for the others: there is no going back, so a text costs no more than its length times the pattern's.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else {
            return text.is_empty();
        };
        let Some((last, middle)) = others.split_last() else {
            return text == first;
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        for part in middle {
            let Some((_, after)) = rest.split_once(part.as_str()) else {
                return false;
            };
            rest = after;
        }
        rest.ends_with(last.as_str())
    }
}
