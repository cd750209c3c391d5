//! Tokens of pages: opaque to a caller, and a position to us.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::StepFunctionsError;

/// A token for the page of a list that begins after a position. A list of what belongs to a resource is named with its ARN.
pub(super) fn give(list: &str, position: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{list} {position}"))
}

/// The position in a token, if there is a token.
///
/// # Errors
/// `InvalidToken` for what was never given, or for another list.
pub(super) fn read(list: &str, token: Option<&str>) -> Result<Option<String>, StepFunctionsError> {
    let Some(token) = token else { return Ok(None) };
    let decoded = URL_SAFE_NO_PAD
        .decode(token)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let rest = decoded.as_deref().and_then(|text| text.strip_prefix(list));
    let position = rest.and_then(|rest| rest.strip_prefix(' '));
    position
        .map(|position| Some(position.to_owned()))
        .ok_or(StepFunctionsError::InvalidToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_gives_its_position_back_to_its_own_list_alone() {
        let token = give("machines", "a:1");
        assert_eq!(read("machines", Some(&token)), Ok(Some("a:1".to_owned())));
        assert_eq!(read("machines", None), Ok(None));
        let longer = give("machines2", "a");
        for (list, token) in [
            ("executions", token.as_str()),
            ("machines", &longer),
            ("machines", "a:1"),
            ("machines", ""),
        ] {
            assert_eq!(
                read(list, Some(token)),
                Err(StepFunctionsError::InvalidToken),
                "{token}"
            );
        }
    }
}
