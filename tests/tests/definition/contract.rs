//! The names of errors that the definition matches on, and the functions that produce them.

use std::collections::BTreeSet;

use function::error::{BAD_PAYLOAD, Error, STORE_FAILED};

use super::{caught, list, states_of};

/// What each function fails with, by the token of its name.
const PRODUCED: [(&str, &[&str]); 3] = [
    ("${CallPartnerFunction}", &[BAD_PAYLOAD]),
    ("${AcquireProbeFunction}", &[BAD_PAYLOAD, STORE_FAILED]),
    ("${RecordOutcomeFunction}", &[BAD_PAYLOAD, STORE_FAILED]),
];

/// A new variant does not compile until it stands here, and then in [`PRODUCED`].
fn is_known(error: &Error) -> &'static str {
    match error {
        Error::BadPayload { .. } => BAD_PAYLOAD,
        Error::StoreFailed { .. } => STORE_FAILED,
    }
}

/// Where a function's error leads: the first catcher that matches it.
fn leads_to(function: &str, error: &str) -> Option<String> {
    let tasks = states_of("Task");
    let task = tasks
        .values()
        .find(|task| task["Parameters"]["FunctionName"] == function);
    let task = task.unwrap_or_else(|| panic!("no Task invokes {function}"));
    let matches = |names: Vec<&str>| names.contains(&error) || names == ["States.ALL"];
    let catcher = list(task, "Catch").iter().find(|catcher| matches(caught(catcher)))?;
    Some(catcher["Next"].as_str().unwrap().to_owned())
}

#[test]
fn every_error_of_ours_that_is_matched_has_a_producer() {
    let produced: BTreeSet<&str> = PRODUCED.iter().flat_map(|(_, errors)| *errors).copied().collect();
    for (name, task) in states_of("Task") {
        for error in list(&task, "Catch").iter().flat_map(caught) {
            assert!(
                !error.starts_with("Stepbreaker.") || produced.contains(error),
                "{name} catches {error}, which nothing produces"
            );
        }
    }
    let bad = Error::BadPayload { what: String::new() };
    assert!(produced.contains(is_known(&bad)) && bad.error_type() == is_known(&bad));
}

#[test]
fn every_error_that_a_function_produces_is_caught() {
    for (function, errors) in PRODUCED {
        for error in errors {
            assert!(leads_to(function, error).is_some(), "{function}: {error}");
        }
    }
}

#[test]
fn a_bug_of_ours_is_internal_and_a_failing_table_is_unavailable() {
    for (function, error, next) in [
        ("${CallPartnerFunction}", BAD_PAYLOAD, "Note Internal"),
        ("${AcquireProbeFunction}", BAD_PAYLOAD, "Fall Back Internal"),
        ("${AcquireProbeFunction}", STORE_FAILED, "Fall Back Unavailable"),
        ("${RecordOutcomeFunction}", BAD_PAYLOAD, "Did Partner Answer?"),
        ("${RecordOutcomeFunction}", STORE_FAILED, "Did Partner Answer?"),
    ] {
        assert_eq!(leads_to(function, error).as_deref(), Some(next), "{function}: {error}");
    }
}

/// The names are AWS's: <https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html> and Lambda's.
#[test]
fn errors_of_lambda_lead_where_the_product_says() {
    for (error, next) in [
        ("Lambda.TooManyRequestsException", "Note Saturated"),
        ("States.Timeout", "Note Hung"),
        ("Sandbox.Timedout", "Note Hung"),
        ("Lambda.Unknown", "Note Unavailable"),
        ("Runtime.ExitError", "Note Unavailable"),
        ("Lambda.ServiceException", "Note Unavailable"),
        ("Lambda.ResourceNotFoundException", "Note Internal"),
        ("States.TaskFailed", "Note Internal"),
    ] {
        assert_eq!(
            leads_to("${CallPartnerFunction}", error).as_deref(),
            Some(next),
            "{error}"
        );
    }
}
