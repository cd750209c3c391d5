//! What machines and executions may be called.

use super::StepFunctionsError;

/// Checks a name: 1 to 80 characters, none of them a space, a control character or one of a short list
/// (<https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachine.html>).
pub(super) fn check(name: &str) -> Result<(), StepFunctionsError> {
    let length = name.chars().count();
    let invalid = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{10ffff}');
    let forbidden =
        |c: char| c.is_whitespace() || c.is_control() || invalid(c) || "<>{}[]?*\"#%\\^|~`$&,;:/".contains(c);
    if length == 0 || length > 80 || name.contains(forbidden) {
        return Err(StepFunctionsError::InvalidName { name: name.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_1_to_80_characters_of_the_allowed_ones() {
        for name in ["a", &"n".repeat(80), "circuit-a_b.c", "ä", "(x)='@!+"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in [
            "",
            &"n".repeat(81),
            "a b",
            "a/b",
            "a:b",
            "a\n",
            "{a}",
            "a?",
            "50%",
            "a\u{7f}",
            "a\u{ffff}",
        ] {
            assert!(check(name).is_err(), "{name}");
        }
    }
}
