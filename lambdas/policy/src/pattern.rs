//! A parameter's pattern: the small part of regular expressions that means the same to Rust, Java and JavaScript.
//!
//! The same patterns are checked by this crate, by the templates of an API Gateway (Java) and by the tests of those
//! templates (JavaScript). So what the engines disagree on is not in the language: backslash classes, look-around,
//! anchors, a class inside a class. What is in it is bounded, and refused where an engine that backtracks would be slow.

mod parser;
mod set;
mod ways;

use std::fmt;

use crate::limits;
use set::Set;

/// A pattern that a whole value must match.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: regex_lite::Regex,
    portable: String,
    accepts_empty: bool,
}

/// Why a pattern was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PatternError {
    /// Which character of the pattern is meant, from 1; `None` where it is the pattern as a whole.
    pub at: Option<usize>,
    /// What stands there, and what to write instead.
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "character {at}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is not in the language, or too long, too deep, too large when its repeats are written out, or could match
    /// one value in too many ways.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let node = parser::parse(text)?;
        let whole = |message: String| PatternError { at: None, message };
        let size = node.size();
        if size > limits::PATTERN_SIZE {
            return Err(whole(format!(
                "written out, it has {size} characters, at most {} are allowed; a value has {} at most",
                limits::PATTERN_SIZE,
                limits::VALUE_LENGTH
            )));
        }
        if ways::count(&node) > limits::PATTERN_WAYS {
            return Err(whole(
                "it can match one value in too many ways, which takes some engines very long; \
                 let neighbours and alternatives begin with different characters"
                    .to_owned(),
            ));
        }
        let portable = node.portable();
        let regex = regex_lite::Regex::new(&format!("^(?:{portable})$"))
            .map_err(|error| whole(format!("it can't be compiled: {error}")))?;
        Ok(Self {
            regex,
            accepts_empty: node.accepts_empty(),
            portable,
        })
    }

    /// Whether the whole value matches, and is no longer than a value may be. `.` and `..` never match: as a segment of
    /// a path they would change it, percent-encoded or not.
    pub fn accepts(&self, value: &str) -> bool {
        value.encode_utf16().take(limits::VALUE_LENGTH + 1).count() <= limits::VALUE_LENGTH
            && !matches!(value, "." | "..")
            && self.regex.is_match(value)
    }

    /// The pattern written so that Java, JavaScript (with the `u` flag) and Rust read it alike: each class in full, as in
    /// `[\u0030-\u0039]{10,10}`. Whoever hands a pattern to another engine hands on this, not the policy's text: to
    /// JavaScript `.` means one character more. It is not anchored.
    pub fn portable(&self) -> &str {
        &self.portable
    }

    /// Whether the empty value matches.
    pub fn accepts_empty(&self) -> bool {
        self.accepts_empty
    }
}

/// A parsed pattern. A repeat's `max` is at least 1, its node never matches the empty value.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    One(Set),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat { node: Box<Node>, min: u32, max: u32 },
}

impl Node {
    /// How many characters it asks for when each repeat is written out.
    fn size(&self) -> u64 {
        match self {
            Node::One(_) => 1,
            Node::Sequence(nodes) | Node::Either(nodes) => {
                nodes.iter().fold(0, |size, node| size.saturating_add(node.size()))
            }
            Node::Repeat { node, max, .. } => node.size().saturating_mul(u64::from(*max)),
        }
    }

    fn accepts_empty(&self) -> bool {
        match self {
            Node::One(_) => false,
            Node::Sequence(nodes) => nodes.iter().all(Node::accepts_empty),
            Node::Either(nodes) => nodes.iter().any(Node::accepts_empty),
            Node::Repeat { min, .. } => *min == 0,
        }
    }

    /// The pattern with each set written out, so that no engine's own idea of `.` matters.
    fn portable(&self) -> String {
        match self {
            Node::One(set) => set.portable(),
            Node::Sequence(nodes) => nodes.iter().map(Node::portable).collect(),
            Node::Either(nodes) => {
                format!("(?:{})", nodes.iter().map(Node::portable).collect::<Vec<_>>().join("|"))
            }
            Node::Repeat { node, min, max } => format!("(?:{}){{{min},{max}}}", node.portable()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Table {
        #[serde(rename = "about")]
        _about: String,
        accepted_patterns: Vec<Case>,
        refused_patterns: Vec<Refusal>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Case {
        pattern: String,
        matches: Vec<String>,
        fails: Vec<String>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Refusal {
        pattern: String,
        says: String,
    }

    fn table() -> Table {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/patterns.json"));
        serde_json::from_str(&text.unwrap()).unwrap()
    }

    /// A row's value may be written as `text*xCOUNT`, since 200 characters are unreadable in a table.
    fn value(row: &str) -> String {
        match row.rsplit_once("*x") {
            Some((text, count)) => text.repeat(count.parse().unwrap()),
            None => row.to_owned(),
        }
    }

    #[test]
    fn the_shared_table_of_patterns_and_values_holds() {
        let table = table();
        let rows: usize = table
            .accepted_patterns
            .iter()
            .map(|case| case.matches.len() + case.fails.len())
            .sum();
        assert!(rows >= 80, "{rows} rows: the table was cut down");
        for case in table.accepted_patterns {
            let pattern = Pattern::parse(&case.pattern).unwrap_or_else(|error| panic!("{}: {error}", case.pattern));
            for row in &case.matches {
                assert!(pattern.accepts(&value(row)), "{} should accept {row:?}", case.pattern);
            }
            for row in &case.fails {
                assert!(
                    !pattern.accepts(&value(row)),
                    "{} should not accept {row:?}",
                    case.pattern
                );
            }
        }
    }

    #[test]
    fn the_shared_table_of_refused_patterns_holds() {
        let table = table();
        assert!(table.refused_patterns.len() >= 40, "the table was cut down");
        for refusal in table.refused_patterns {
            let error = Pattern::parse(&refusal.pattern)
                .expect_err(&refusal.pattern)
                .to_string();
            assert!(
                error.contains(&refusal.says),
                "{}: {error:?} should say {:?}",
                refusal.pattern,
                refusal.says
            );
        }
    }

    #[test]
    fn portable_pattern_leaves_nothing_to_the_engine() {
        let portable = Pattern::parse("(a|.)?[^0-9]").unwrap().portable().to_owned();
        let any = "[^\\u000a\\u000d\\u0085\\u2028\\u2029]";
        assert_eq!(portable, format!("(?:(?:[\\u0061]|{any})){{0,1}}[^\\u0030-\\u0039]"));
    }

    #[test]
    fn length_of_a_pattern_is_bounded() {
        assert!(Pattern::parse(&"a".repeat(limits::PATTERN_LENGTH)).is_ok());
        assert!(Pattern::parse(&"a".repeat(limits::PATTERN_LENGTH + 1)).is_err());
    }

    #[test]
    fn written_out_size_is_bounded() {
        assert!(Pattern::parse("(abcde){200}").is_ok());
        assert!(Pattern::parse("(abcde){200}f").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(Pattern::parse(&nested(limits::PATTERN_DEPTH)).is_ok());
        assert!(Pattern::parse(&nested(limits::PATTERN_DEPTH + 1)).is_err());
    }

    #[test]
    fn empty_value_is_known_to_match() {
        for (pattern, empty) in [
            ("a?", true),
            ("a{0,3}b?", true),
            ("a|b?", true),
            ("a", false),
            ("a?b", false),
        ] {
            let pattern_ = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern_.accepts_empty(), empty, "{pattern}");
            assert_eq!(pattern_.accepts(""), empty, "{pattern}");
        }
    }
}
