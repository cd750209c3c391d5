//! Who gives the command.

use std::time::Duration;

use crate::connection::Connection;
use crate::text::is_printable;

/// An override must not wait for who sets it.
const LIMIT: Duration = Duration::from_secs(3);
const NOBODY: &str = "unknown";

/// Who gives the command: at AWS the credentials' identity, with the name that was given beside it; elsewhere that name,
/// or the user's on this machine, which nobody has checked.
pub(crate) async fn caller(connection: &Connection, given: Option<&str>) -> String {
    let user = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        ((1..=200).contains(&value.chars().count()) && is_printable(&value)).then_some(value)
    });
    let name = given.map(str::to_owned).or_else(|| user.clone());
    if !connection.knows_identities {
        return name.unwrap_or_else(|| NOBODY.to_owned());
    }
    let client = aws_sdk_sts::Client::new(&connection.config);
    let answer = tokio::time::timeout(LIMIT, client.get_caller_identity().send()).await;
    let arn = answer.ok().and_then(Result::ok).and_then(|identity| identity.arn);
    match (given, arn) {
        (Some(given), Some(arn)) => format!("{given}, {arn}"),
        (None, Some(arn)) => arn,
        (_, None) => {
            eprintln!("stepbreaker: AWS does not say whose credentials these are; taking the name on this machine");
            name.unwrap_or_else(|| NOBODY.to_owned())
        }
    }
}
