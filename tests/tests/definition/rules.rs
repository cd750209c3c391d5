//! Our own rules for what asl-validator lets pass.

use std::collections::BTreeMap;

use policy::limits;
use serde_json::Value;

use super::walk::{edges, longest};
use super::{TEXT, caught, definition, list, states, states_of};

/// The longest that a function of a circuit's own may take in seconds: the longest call, a whole second more.
const LONGEST_CALLER_S: u64 = limits::TIMEOUT_MS.max.div_ceil(1_000) + 1;

#[test]
fn every_state_has_a_comment_and_no_token_in_it() {
    for (name, state) in states() {
        let comment = state.get("Comment").and_then(Value::as_str).unwrap_or_default();
        assert!(comment.len() > 20, "{name} has no comment");
        assert!(
            !comment.contains("${"),
            "{name}: substitution takes a token in a comment for real"
        );
    }
    let comment = definition()["Comment"].as_str().unwrap().to_owned();
    assert!(!comment.contains("${"));
}

#[test]
fn every_task_is_one_of_three_integrations_and_waits_for_no_token() {
    let allowed = ["dynamodb:getItem", "lambda:invoke", "events:putEvents"];
    for (name, task) in states_of("Task") {
        let resource = task["Resource"].as_str().unwrap();
        let allowed = allowed.map(|integration| format!("arn:aws:states:::{integration}"));
        assert!(allowed.contains(&resource.to_owned()), "{name}: {resource}");
    }
    assert!(!TEXT.contains("waitForTaskToken") && !TEXT.contains(".sync"));
}

#[test]
fn every_read_names_the_table_and_every_invocation_one_function() {
    let functions = [
        "${CallPartnerFunction}",
        "${AcquireProbeFunction}",
        "${RecordOutcomeFunction}",
    ];
    let mut invoked = Vec::new();
    for (name, task) in states_of("Task") {
        let parameters = &task["Parameters"];
        match task["Resource"].as_str().unwrap().rsplit(':').next().unwrap() {
            "getItem" => {
                assert_eq!(parameters["TableName"], "${CircuitsTable}", "{name}");
                assert!(parameters.get("ConsistentRead").is_none(), "{name}: at half the price");
            }
            "invoke" => {
                invoked.push(parameters["FunctionName"].as_str().unwrap().to_owned());
                assert!(
                    parameters.get("InvocationType").is_none(),
                    "{name}: somebody waits for the result"
                );
            }
            _ => {}
        }
    }
    invoked.sort();
    let mut functions = functions.map(str::to_owned);
    functions.sort();
    assert_eq!(invoked, functions);
}

#[test]
fn nothing_is_retried() {
    for (name, state) in states() {
        assert!(
            !state.contains_key("Retry"),
            "{name}: an interval is a whole second, and a customer waits"
        );
    }
}

#[test]
fn every_task_has_its_time_out_and_catches_everything_last() {
    for (name, task) in states_of("Task") {
        let expected = if name == "Call Partner" { 22 } else { 1 };
        assert_eq!(task["TimeoutSeconds"], expected, "{name}");
        for field in ["TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath"] {
            assert!(!task.contains_key(field), "{name}: {field}");
        }
        let catchers = list(&task, "Catch");
        let all: Vec<_> = catchers.iter().map(caught).collect();
        assert_eq!(all.last().map(Vec::as_slice), Some(["States.ALL"].as_slice()), "{name}");
        let earlier = &all[..all.len() - 1];
        assert!(
            earlier.iter().all(|names| !names.contains(&"States.ALL")),
            "{name}: nothing comes after it"
        );
        let mut names: Vec<_> = all.concat();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.concat().len(), "{name}: a name is matched twice");
        for catcher in catchers {
            assert!(
                catcher["ResultPath"].as_str().is_some_and(|path| path != "$"),
                "{name}: keeps the state"
            );
        }
    }
}

#[test]
fn time_outs_add_up_to_less_than_the_machines_and_that_to_less_than_api_gateways() {
    let definition = definition();
    let machine = definition["TimeoutSeconds"].as_u64().unwrap();
    assert_eq!(machine, 28);
    let seconds = |state: &str| definition["States"][state]["TimeoutSeconds"].as_u64().unwrap_or(0);
    assert_eq!(longest(definition["StartAt"].as_str().unwrap(), &seconds), 26);
    assert!(26 < machine && machine < 29);
    assert!(
        LONGEST_CALLER_S < seconds("Call Partner"),
        "Lambda ends a hanging caller first"
    );
}

#[test]
fn every_choice_has_a_default_and_rules_of_one_comparison() {
    for (name, choice) in states_of("Choice") {
        assert!(choice["Default"].is_string(), "{name}");
        for rule in list(&choice, "Choices") {
            // That And and Or stop at the first operand that decides is nowhere promised.
            let text = rule.to_string();
            assert!(!text.contains("\"And\"") && !text.contains("\"Or\""), "{name}: {text}");
        }
    }
}

#[test]
fn a_time_is_compared_only_after_it_was_tested_to_be_one() {
    let mut compared = 0;
    for (name, choice) in states_of("Choice") {
        let rules = list(&choice, "Choices");
        for (index, rule) in rules.iter().enumerate() {
            if !rule.as_object().unwrap().keys().any(|key| key.starts_with("Timestamp")) {
                continue;
            }
            compared += 1;
            let is_test = |earlier: &Value| {
                earlier["Not"]["IsTimestamp"] == true && earlier["Not"]["Variable"] == rule["Variable"]
            };
            assert!(rules[..index].iter().any(is_test), "{name}, rule {index}");
        }
    }
    assert!(compared >= 3, "overrides and waits are times");
}

#[test]
fn nothing_names_an_account_or_a_region() {
    for piece in TEXT.split("arn:").skip(1) {
        assert!(
            piece.starts_with("aws:states:::"),
            "arn:{}",
            &piece[..40.min(piece.len())]
        );
    }
    let longest_number = TEXT.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert!(longest_number < Some(12));
    for region in ["us-east", "us-west", "eu-west", "eu-central", "ap-"] {
        assert!(!TEXT.contains(region), "{region}");
    }
}

#[test]
fn only_the_five_tokens_stand_in_it_and_the_policy_once() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for piece in TEXT.split("${").skip(1) {
        *counts.entry(piece.split('}').next().unwrap()).or_default() += 1;
    }
    let once = [
        "AcquireProbeFunction",
        "CallPartnerFunction",
        "CircuitsTable",
        "Policy",
        "RecordOutcomeFunction",
    ];
    assert_eq!(counts, once.map(|token| (token, 1)).into());
    assert_eq!(definition()["States"]["Load Policy"]["Result"], "${Policy}");
}

/// An open circuit costs a read and no function: from the read to its placeholders there is a way without a Task.
#[test]
fn who_is_refused_by_what_was_read_meets_no_other_task() {
    let states = states();
    let mut met = vec!["Is Circuit Forced?".to_owned()];
    let mut next = 0;
    while let Some(name) = met.get(next).cloned() {
        next += 1;
        let followers = edges(&states[&name])
            .into_iter()
            .filter(|to| states[to]["Type"] != "Task");
        met.extend(followers.filter(|to| !met.contains(to)).collect::<Vec<_>>());
    }
    for reason in ["Fall Back Open", "Fall Back Probe Busy", "Fall Back Forced Open"] {
        assert!(met.contains(&reason.to_owned()), "{reason}");
    }
}
