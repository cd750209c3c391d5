//! Whatever stands in a policy file, it is accepted or refused with a place; what is accepted deploys and comes back.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use policy::definition::{Names, bind};
use policy::url::Template;
use policy::{Deployed, Params, Pattern, Problem, Refused, limits};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

const FILE: &str = "circuits/stock.json";

fn parse(text: &str) -> Result<policy::Policy, Refused> {
    policy::parse(Path::new(FILE), text)
}

/// Words that a policy file has, so that a random value now and then is a sensible one.
const WORDS: [&str; 24] = [
    "circuit",
    "stock",
    "route",
    "method",
    "GET",
    "HEAD",
    "path",
    "/books/{isbn}",
    "params",
    "isbn",
    "[0-9]{13}",
    "a?",
    "call",
    "url",
    "https://h/{isbn}",
    "headers",
    "timeoutMs",
    "trip",
    "failures",
    "windowMs",
    "open",
    "forMs",
    "body",
    "status",
];

fn any_json() -> impl Strategy<Value = Value> {
    let word = || prop_oneof![select(WORDS.to_vec()).prop_map(str::to_owned), any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (0_u64..100_000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(word(), inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A file with every field.
fn full() -> Value {
    json!({
        "$schema": "../policy.schema.json",
        "circuit": "stock",
        "route": {"method": "GET", "path": "/books/{isbn}/stock"},
        "params": {"isbn": "[0-9]{10}|[0-9]{13}"},
        "call": {
            "method": "GET",
            "url": "https://partner.example.com/stock/{isbn}",
            "headers": {"accept": "application/json"},
            "timeoutMs": 800,
            "maxResponseBytes": 131_072
        },
        "trip": {"failures": 5, "windowMs": 60_000},
        "open": {"forMs": 30_000},
        "probe": {"leaseMs": 5_000},
        "fallback": {"status": 200, "body": {"z": 1, "a": [null, 1.5]}}
    })
}

/// A file of a call that sends something, with all that such a one can have.
fn sending() -> Value {
    json!({
        "circuit": "stock",
        "route": {"method": "PUT", "path": "/books/{isbn}", "query": ["country"]},
        "params": {"isbn": "[0-9]{13}", "country": "[a-z]{0,2}"},
        "call": {
            "method": "POST",
            "url": "https://partner.example.com/stock/{isbn}",
            "query": {"in": "{country}", "as": "a b"},
            "body": {"template": {"isbn": "{isbn}", "copies": [1, "{country}"]}},
            "secretHeaders": {
                "authorization": {"secret": "shop/api", "field": "token", "prefix": "Bearer "},
                "x-shop": {"parameter": "/shop"}
            },
            "passHeaders": ["etag", "cache-control"],
            "expectContentType": "application/json",
            "retries": 2
        },
        "fallback": {"body": null}
    })
}

/// The same with the customer's own body.
fn passing() -> Value {
    let mut file = sending();
    file["call"]["body"] = json!({"pass": true, "maxBytes": 100});
    file
}

/// The paths of all values in `value`, the whole one included.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                pointers(
                    value,
                    &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                    all,
                );
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// A change of one place: another value, none, or a further field.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    Add(String, Value),
}

fn change() -> impl Strategy<Value = (Index, Change)> {
    let value = || prop_oneof![any_json(), (0_u64..100_000_000).prop_map(Value::from)];
    let change = prop_oneof![
        3 => value().prop_map(Change::Replace),
        1 => Just(Change::Remove),
        1 => ("[a-zA-Z]{1,12}|\\PC{0,8}|[\\x00-\\x1f]{1,3}", value()).prop_map(|(key, value)| Change::Add(key, value)),
    ];
    (any::<Index>(), change)
}

/// A sound file after some changes.
fn changed_files() -> impl Strategy<Value = Value> {
    let sound = select(vec![full(), sending(), passing()]);
    (sound, vec(change(), 0..4)).prop_map(|(mut file, changes)| {
        for (at, change) in changes {
            let mut places = Vec::new();
            pointers(&file, "", &mut places);
            let place = at.get(&places);
            match change {
                Change::Replace(value) => *file.pointer_mut(place).unwrap() = value,
                Change::Add(key, value) => {
                    if let Some(Value::Object(fields)) = file.pointer_mut(place) {
                        fields.insert(key, value);
                    }
                }
                Change::Remove => {
                    let (parent, key) = place.rsplit_once('/').unwrap_or_default();
                    if let Some(Value::Object(fields)) = file.pointer_mut(parent) {
                        fields.remove(&key.replace("~1", "/").replace("~0", "~"));
                    }
                }
            }
        }
        file
    })
}

/// The numbers of a section, each of which can stand in any file; those further down belong to something.
fn numbers() -> Vec<limits::Number> {
    let in_a_section = |number: &limits::Number| number.field.matches('.').count() == 1;
    limits::NUMBERS.into_iter().filter(in_a_section).collect()
}

/// A sound file with every number anywhere in its range, or just outside.
fn files_of_numbers() -> impl Strategy<Value = Value> {
    let number = |number: limits::Number| {
        prop_oneof![
            Just(number.min),
            Just(number.max),
            Just(number.min.saturating_sub(1)),
            Just(number.max + 1),
            number.min..=number.max,
        ]
    };
    let strategies: Vec<_> = numbers().into_iter().map(number).collect();
    strategies.prop_map(|values| {
        let mut file = full();
        for (number, value) in numbers().iter().zip(values) {
            let (section, key) = number.field.split_once('.').unwrap();
            file[section][key] = value.into();
        }
        file
    })
}

fn names() -> Names {
    Names {
        circuits_table: "circuits".into(),
        call_partner_function: "call-partner-stock".into(),
        acquire_probe_function: "acquire-probe".into(),
        record_outcome_function: "record-outcome".into(),
    }
}

fn shipped() -> String {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../statemachine/circuit-breaker.asl.json"
    );
    std::fs::read_to_string(file).unwrap()
}

/// What must be true of any text: accepted, and then whole; or refused, and then with a place.
fn holds(text: &str, definition: &str) -> Result<bool, TestCaseError> {
    match parse(text) {
        Ok(policy) => {
            let deployed = policy.deployed;
            let written = serde_json::to_string(&deployed).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Deployed>(&written).unwrap(), &deployed);
            prop_assert!(written.len() <= limits::DEPLOYED_BYTES);
            // The definition holds exactly this policy, and no token is left.
            let bound: Value = serde_json::from_str(&bind(definition, &deployed, &names()).unwrap()).unwrap();
            let result = &bound["States"]["Load Policy"]["Result"];
            prop_assert_eq!(&serde_json::from_value::<Deployed>(result.clone()).unwrap(), &deployed);
            // The placeholder is the file's, and every part that others compile does compile.
            let file: Value = serde_json::from_str(unmarked(text)).unwrap();
            prop_assert_eq!(&deployed.fallback.body, &file["fallback"]["body"].to_string());
            let params = Params::compile(&deployed.params).unwrap();
            prop_assert!(params.check(&Value::Null).is_err());
            let template = Template::parse(&deployed.call.url).unwrap();
            prop_assert!(template.parameters().all(|name| deployed.params.contains_key(name)));
            prop_assert!(deployed.probe.lease_ms > deployed.call.timeout_ms + limits::LEASE_OVER_TIMEOUT_MS);
            prop_assert!(deployed.trip.failures >= 1 && deployed.trip.window_ms.is_multiple_of(10));
            Ok(true)
        }
        Err(refused) => {
            prop_assert!(!refused.problems.is_empty());
            for problem in &refused.problems {
                prop_assert_eq!(&problem.file, Path::new(FILE));
                prop_assert!(!problem.allowed.is_empty(), "{}", problem);
                prop_assert!(is_place(problem, text), "{:?} is no place in {}", problem, text);
                let line = problem.to_string();
                prop_assert!(!line.contains(char::is_control), "{:?} is more than one line", line);
            }
            Ok(false)
        }
    }
}

/// The field is in the file, or is one that is missing there. What is no JSON has a line and a column instead.
fn is_place(problem: &Problem, text: &str) -> bool {
    let whole = problem.field.is_empty();
    let Ok(file) = serde_json::from_str::<Value>(unmarked(text)) else {
        return whole && problem.found.contains(" line ");
    };
    if whole {
        return !file.is_object() || problem.found.contains(" line ") || problem.found.contains(" bytes ");
    }
    let missing = ["circuit", "call", "call.url", "route.path", "fallback", "fallback.body"];
    // A method that is left out is one too, and may not go with the rest.
    let usual = problem.field == "route.method" && problem.found.starts_with("is GET, ");
    usual
        || is_there(&problem.field, &file)
        || problem.found == "is missing" && missing.contains(&problem.field.as_str())
}

/// A key may itself have a dot in it, so every division of the field is tried.
fn is_there(field: &str, value: &Value) -> bool {
    value.get(if field == "\"\"" { "" } else { field }).is_some()
        || (field.match_indices('.')).any(|(dot, _)| {
            value
                .get(&field[..dot])
                .is_some_and(|inner| is_there(&field[dot + 1..], inner))
        })
}

/// The text without the mark that some editors begin a file with.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(asked.unwrap_or(usual))
    }
}

/// The fuzz target of policies: it says how often it ran, and keeps that as `target/partner-fuzz-policies.txt`.
#[test]
fn a_changed_file_is_refused_with_a_place_or_deploys() {
    let definition = shipped();
    let (executions, deployed) = (Cell::new(0), Cell::new(0));
    let ran = TestRunner::new(cases(400)).run(&changed_files(), |file| {
        executions.set(executions.get() + 1);
        deployed.set(deployed.get() + u32::from(holds(&file.to_string(), &definition)?));
        Ok(())
    });
    ran.unwrap();
    let (executions, deployed) = (executions.get(), deployed.get());
    let line = format!("fuzz policies: {executions} executions, {deployed} of them deployed\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/partner-fuzz-policies.txt");
    std::fs::write(kept, line).unwrap();
    assert!(deployed > 0, "some files are sound");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_text_is_refused_with_a_place(text in prop_oneof![any::<String>(), any_json().prop_map(|json| json.to_string())]) {
        prop_assert!(!holds(&text, &shipped())?);
    }

    #[test]
    fn numbers_are_taken_within_their_ranges_only(file in files_of_numbers()) {
        let within = numbers().iter().all(|number| {
            let (section, key) = number.field.split_once('.').unwrap();
            number.accepts(file[section][key].as_u64().unwrap())
        });
        let least = file["call"]["timeoutMs"].as_u64().unwrap() + limits::LEASE_OVER_TIMEOUT_MS;
        let lease = file["probe"]["leaseMs"].as_u64().unwrap();
        prop_assert_eq!(holds(&file.to_string(), &shipped())?, within && lease > least);
    }

    #[test]
    fn any_placeholder_is_deployed_unless_it_is_too_long_or_would_lose_digits(body in any_json()) {
        let mut file = full();
        let written = body.to_string();
        let inexact = has_an_inexact_number(&body);
        file["fallback"]["body"] = body;
        prop_assert_eq!(holds(&file.to_string(), &shipped())?, written.len() <= limits::FALLBACK_BODY_BYTES && !inexact);
        if let Ok(policy) = parse(&file.to_string()) {
            prop_assert_eq!(policy.deployed.fallback.body, written, "as it was written, to the last digit");
        }
    }

    #[test]
    fn any_pattern_is_compiled_or_refused_and_any_value_accepted_or_not(pattern in prop_oneof![any::<String>(), "[a-c(|)?{}0-9,.\\[\\]\\\\^-]{0,12}"], values in vec(prop_oneof![any::<String>(), "[a-c0-9]{0,6}"], 0..6)) {
        match Pattern::parse(&pattern) {
            Err(error) => prop_assert!(!error.message.is_empty() && error.at.is_none_or(|at| (1..=pattern.chars().count() + 1).contains(&at))),
            Ok(compiled) => {
                prop_assert_eq!(compiled.accepts(""), compiled.accepts_empty());
                let declared = BTreeMap::from([("a".to_owned(), pattern.clone())]);
                let params = Params::compile(&declared).unwrap();
                for value in values {
                    prop_assert_eq!(params.check(&json!({"a": value})).is_ok(), compiled.accepts(&value), "{}: {:?}", pattern, value);
                }
            }
        }
    }

    /// The one promise that a URL makes: whatever a request says, host and path stay the policy's.
    #[test]
    fn any_value_stays_in_its_segment(value in any::<String>()) {
        let template = Template::parse("https://h.example/p/{a}/s?q={a}&r=1").unwrap();
        match template.fill(&BTreeMap::from([("a".to_owned(), value.clone())])) {
            Err(_) => prop_assert!(["", ".", ".."].contains(&value.as_str())),
            Ok(url) => {
                let path = url.strip_prefix("https://h.example/p/").unwrap();
                let (segment, rest) = path.split_once('/').unwrap();
                prop_assert!(segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)), "{segment}");
                prop_assert_eq!(rest, format!("s?q={segment}&r=1"));
            }
        }
    }
}

/// Past 2^53 a floating number is refused, because it may have dropped digits.
fn has_an_inexact_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.as_i128().is_none()
                && number
                    .as_f64()
                    .is_some_and(|number| number.abs() > 9_007_199_254_740_992.0)
        }
        Value::Array(values) => values.iter().any(has_an_inexact_number),
        Value::Object(fields) => fields.values().any(has_an_inexact_number),
        _ => false,
    }
}
