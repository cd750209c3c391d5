//! Text that others wrote, on a person's terminal.

use std::fmt::Write as _;

/// The text on one line, with every character that a terminal might act on, or that changes the order in which text is
/// shown, in an escaped form.
pub(crate) fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for next in text.chars() {
        if is_unsafe(next) {
            line.extend(next.escape_default());
        } else {
            line.push(next);
        }
    }
    line
}

/// The same for text of several lines, whose line breaks and tabs stay.
pub(crate) fn printable_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for next in text.chars() {
        if is_unsafe(next) && !matches!(next, '\n' | '\t') {
            lines.extend(next.escape_default());
        } else {
            lines.push(next);
        }
    }
    lines
}

/// JSON text whose strings have in an escaped form what JSON itself lets stand.
pub(crate) fn safe_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for next in json.chars() {
        if is_unsafe(next) && next != '\n' {
            let _ = write!(safe, "\\u{:04x}", u32::from(next));
        } else {
            safe.push(next);
        }
    }
    safe
}

/// Whether nothing in it has to be escaped.
pub(crate) fn is_printable(text: &str) -> bool {
    !text.chars().any(is_unsafe)
}

fn is_unsafe(character: char) -> bool {
    let changes_order = matches!(character,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}');
    let breaks_lines = matches!(character, '\u{2028}' | '\u{2029}');
    character.is_control() || changes_order || breaks_lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        for (text, shown) in [
            ("plain, ä and 書", "plain, ä and 書"),
            ("\x1b[2J", "\\u{1b}[2J"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(is_printable(text), text == shown, "{shown}");
        }
        assert_eq!(safe_json("{\n\"a\u{9b}\u{202e}\"}"), "{\n\"a\\u009b\\u202e\"}");
        assert_eq!(printable_lines("a\n\tb\r\x07"), "a\n\tb\\r\\u{7}");
    }
}
