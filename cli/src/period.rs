//! Lengths of time as people say them.

/// What is left of something: rounded up, so that it never says that nothing is left.
pub(crate) fn left(ms: u64) -> String {
    say(ms.div_ceil(1000))
}

/// How long something has lasted: rounded down.
pub(crate) fn gone(ms: u64) -> String {
    say(ms / 1000)
}

/// `12 s`, `2 min 5 s`, `1 h 30 min`, `3 d 4 h`: two units at most, and no second one that is nothing.
fn say(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds % 60, "s")];
    let first = parts.iter().position(|(number, _)| *number > 0).unwrap_or(3);
    let shown = parts.iter().skip(first).take(2).filter(|(number, _)| *number > 0);
    let words: Vec<_> = shown.map(|(number, unit)| format!("{number} {unit}")).collect();
    if words.is_empty() {
        "0 s".to_owned()
    } else {
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_said_in_two_units_at_most() {
        for (seconds, said) in [
            (0, "0 s"),
            (1, "1 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3600, "1 h"),
            (3601, "1 h"),
            (5400, "1 h 30 min"),
            (86_399, "23 h 59 min"),
            (86_400, "1 d"),
            (4 * 86_400 + 7200, "4 d 2 h"),
        ] {
            assert_eq!(say(seconds), said);
        }
    }

    #[test]
    fn what_is_left_is_rounded_up_and_what_is_gone_down() {
        assert_eq!([left(0), left(1), left(1000), left(1001)], ["0 s", "1 s", "1 s", "2 s"]);
        assert_eq!([gone(999), gone(1000), gone(1999)], ["0 s", "1 s", "1 s"]);
    }
}
