//! Each field's bounds and each rule: what is refused, and how it is said.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use policy::{Policy, Refused, limits};
use serde_json::{Value, json};

fn file() -> Value {
    json!({
        "circuit": "stock",
        "route": {"method": "GET", "path": "/books/{isbn}/stock"},
        "params": {"isbn": "[0-9]{13}"},
        "call": {"url": "https://partner.example.com/stock/{isbn}", "timeoutMs": 800},
        "fallback": {"body": {"z": 1, "a": [null, 1.5]}}
    })
}

fn parse(file: &Value) -> Result<Policy, Refused> {
    policy::parse(Path::new("circuits/stock.json"), &file.to_string())
}

/// The file with the value at the pointer, which may be new.
fn with(pointer: &str, value: Value) -> Value {
    let mut file = file();
    let mut at = &mut file;
    for key in pointer.split('.') {
        if at[key].is_null() {
            at[key] = json!({});
        }
        at = &mut at[key];
    }
    *at = value;
    file
}

fn without(section: &str, key: &str) -> Value {
    let mut file = file();
    let object = if section.is_empty() {
        &mut file
    } else {
        &mut file[section]
    };
    object.as_object_mut().unwrap().remove(key).unwrap();
    file
}

/// The problems as `field: found; allowed`, in their order.
fn problems(file: &Value) -> Vec<(String, String, String)> {
    match parse(file) {
        Ok(_) => Vec::new(),
        Err(refused) => refused
            .problems
            .into_iter()
            .map(|it| (it.field, it.found, it.allowed))
            .collect(),
    }
}

#[test]
fn defaults_are_filled_in() {
    let policy = parse(&file()).unwrap();
    let deployed = serde_json::to_value(&policy.deployed).unwrap();
    assert_eq!(
        deployed,
        json!({
            "circuit": "stock",
            "params": {"isbn": "[0-9]{13}"},
            "call": {
                "method": "GET", "url": "https://partner.example.com/stock/{isbn}", "headers": {},
                "timeoutMs": 800, "maxResponseBytes": 131072
            },
            "trip": {"failures": 5, "windowMs": 60000},
            "open": {"forMs": 30000},
            "probe": {"leaseMs": 5000},
            "fallback": {"status": 200, "body": "{\"z\":1,\"a\":[null,1.5]}"}
        })
    );
    assert_eq!(
        serde_json::from_value::<policy::Deployed>(deployed).unwrap(),
        policy.deployed
    );
    assert_eq!(policy.route.unwrap().path, "/books/{isbn}/stock");
}

#[test]
fn lease_follows_the_time_out_when_it_is_left_out() {
    for (timeout_ms, lease_ms) in [(50, 5_000), (2_000, 5_000), (2_001, 5_001), (20_000, 23_000)] {
        let policy = parse(&with("call.timeoutMs", json!(timeout_ms))).unwrap();
        assert_eq!(policy.deployed.probe.lease_ms, lease_ms, "{timeout_ms}");
    }
}

#[test]
fn lease_must_outlast_the_call_by_more_than_two_seconds() {
    assert!(parse(&with("probe.leaseMs", json!(2_801))).is_ok());
    for lease_ms in [2_799, 2_800] {
        let (field, found, allowed) = problems(&with("probe.leaseMs", json!(lease_ms))).remove(0);
        assert_eq!((field.as_str(), found), ("probe.leaseMs", format!("is {lease_ms}")));
        assert_eq!(allowed, "more than call.timeoutMs + 2000 = 2800");
    }
}

#[test]
fn each_number_is_accepted_at_its_bounds_and_refused_beyond_them() {
    for number in limits::NUMBERS {
        // A long lease suits each time-out, and a short time-out suits each lease.
        let with_room = |value: Value| {
            let mut file = with(number.field, value);
            if number.field == "probe.leaseMs" {
                file["call"]["timeoutMs"] = json!(limits::TIMEOUT_MS.min);
            }
            if number.field == "call.body.maxBytes" {
                file["call"]["method"] = json!("POST");
                file["call"]["body"]["pass"] = json!(true);
                file["route"]["method"] = json!("POST");
            }
            file
        };
        for value in [number.min, number.max] {
            assert_eq!(problems(&with_room(json!(value))), [], "{} {value}", number.field);
        }
        let bad = [
            json!(number.min.cast_signed() - 1),
            json!(number.max + 1),
            json!(-1),
            json!(number.min as f64),
            json!("5"),
            json!(null),
        ];
        for value in bad {
            let problems = problems(&with_room(value.clone()));
            let expected = (number.field.to_owned(), format!("is {value}"), number.allowed());
            assert_eq!(problems, [expected], "{} {value}", number.field);
        }
    }
    assert_eq!(
        problems(&with("trip.windowMs", json!(60_005)))[0].2,
        "a whole number from 1000 to 3600000, a multiple of 10"
    );
}

#[test]
fn each_rule_names_field_value_and_what_is_allowed() {
    for (file, field, found, allowed) in [
        (
            with("circuit", json!("a b")),
            "circuit",
            "is \"a b\"",
            "[A-Za-z0-9_-]{1,48}",
        ),
        (
            with("circuit", json!("other")),
            "circuit",
            "is \"other\", but the file's name is \"stock\"",
            "the file's name",
        ),
        (with("circuit", json!(7)), "circuit", "is 7", "[A-Za-z0-9_-]"),
        (without("", "circuit"), "circuit", "is missing", "[A-Za-z0-9_-]"),
        (without("", "call"), "call", "is missing", "an object with method, url"),
        (
            without("", "fallback"),
            "fallback",
            "is missing",
            "an object with status, body",
        ),
        (without("call", "url"), "call.url", "is missing", "a string"),
        (without("fallback", "body"), "fallback.body", "is missing", "any JSON"),
        (without("route", "path"), "route.path", "is missing", "a string"),
        (with("call", json!([])), "call", "is []", "an object with"),
        (
            with("call.method", json!("TRACE")),
            "call.method",
            "is \"TRACE\"",
            "one of GET, HEAD, POST, PUT, PATCH, DELETE",
        ),
        (
            with("call.method", json!("get")),
            "call.method",
            "is \"get\"",
            "one of GET, HEAD",
        ),
        (
            with("route.method", json!("ANY")),
            "route.method",
            "is \"ANY\"",
            "one of GET, HEAD",
        ),
        (
            with("call.url", json!("ftp://h/{isbn}")),
            "call.url",
            "is \"ftp://h/{isbn}\"",
            "http:// or https://",
        ),
        (
            with("call.url", json!("https://me:PASSWORD@h/{isbn}")),
            "call.url",
            "is not shown",
            "no user or password",
        ),
        (
            with("call.headers", json!([])),
            "call.headers",
            "is not an object",
            "an object of header",
        ),
        (
            with("call.headers.host", json!("x")),
            "call.headers.host",
            "belongs to the connection",
            "leave it out",
        ),
        (
            with("route.path", json!("/circuits/{isbn}")),
            "route.path",
            "is \"/circuits/{isbn}\"",
            "outside of /circuits",
        ),
        (
            with("params.isbn", json!("[0-9]+")),
            "params.isbn",
            "is \"[0-9]+\"",
            "character 6: repeats are bounded, write {1,200}",
        ),
        (
            with("params.isbn", json!(13)),
            "params.isbn",
            "is 13",
            "a pattern as a string",
        ),
        (
            with("params.isbn", json!("[0-9]{0,13}")),
            "params.isbn",
            "accepts the empty value",
            "a character at least",
        ),
        (
            with("params.x", json!("a")),
            "params.x",
            "is used neither in call.url nor in route.path",
            "leave it out",
        ),
        (
            with("params", json!("a")),
            "params",
            "is \"a\"",
            "an object of names and patterns",
        ),
        (with("$schema", json!(1)), "$schema", "is not a string", "as a string"),
        (
            with("call.url", json!("https://h/{isbn}/{x}")),
            "call.url",
            "has {x}, which is not declared",
            "a pattern in params.x",
        ),
        (
            with("route.path", json!("/b/{isbn}/{x}")),
            "route.path",
            "has {x}, which is not declared",
            "a pattern in params.x",
        ),
        (
            with("route.path", json!("/b")),
            "call.url",
            "has {isbn}, which route.path does not supply",
            "a call by the route",
        ),
        (
            with("call.retires", json!(1)),
            "call.retires",
            "is unknown",
            "one of method, url, headers, query, body",
        ),
        (
            with("fallbak", json!(1)),
            "fallbak",
            "is unknown",
            "one of $schema, circuit, route",
        ),
    ] {
        let problems = problems(&file);
        assert!(
            problems
                .iter()
                .any(|it| it.0 == field && it.1.contains(found) && it.2.contains(allowed)),
            "{field} {found}: {problems:?}"
        );
        assert!(!format!("{problems:?}").contains("PASSWORD"));
    }
}

#[test]
fn fields_of_later_versions_are_refused_as_such() {
    for field in [
        "events",
        "onOpen",
        "onStoreDown",
        "scope",
        "trip.slowCallMs",
        "probe.rampMs",
    ] {
        let expected = (
            field.to_owned(),
            "is not supported by this version".to_owned(),
            "leave it out".to_owned(),
        );
        assert_eq!(problems(&with(field, json!(1))), [expected]);
    }
}

#[test]
fn all_problems_of_a_file_are_said_at_once() {
    let file = json!({
        "circuit": "other", "call": {"timeoutMs": 5, "retires": 1}, "trip": {"failures": 0}, "fallback": {}, "probe": {"leaseMs": 0}
    });
    let fields: Vec<String> = problems(&file).into_iter().map(|it| it.0).collect();
    assert_eq!(
        fields,
        [
            "circuit",
            "call.retires",
            "call.url",
            "call.timeoutMs",
            "trip.failures",
            "probe.leaseMs",
            "fallback.body"
        ]
    );
    let text = parse(&file).unwrap_err().to_string();
    assert_eq!(text.lines().count(), 7);
    assert!(
        text.contains("circuits/stock.json: call.timeoutMs: is 5; allowed: a whole number from 50 to 20000\n"),
        "{text}"
    );
}

#[test]
fn parameter_may_stand_in_the_route_alone_but_not_in_the_url_alone() {
    let mut file = with("params.shop", json!("[a-z]{1,9}"));
    file["route"]["path"] = json!("/{shop}/{isbn}");
    assert_eq!(problems(&file), []);
    file["route"] = Value::Null;
    file.as_object_mut().unwrap().remove("route");
    assert_eq!(problems(&file)[0].0, "params.shop");
}

#[test]
fn query_value_may_be_empty_where_no_route_takes_it() {
    let mut file = with("call.url", json!("https://h/stock?isbn={isbn}"));
    file["params"]["isbn"] = json!("[0-9]{0,13}");
    assert_eq!(problems(&file)[0].1, "accepts the empty value");
    file.as_object_mut().unwrap().remove("route");
    assert_eq!(problems(&file), []);
}

#[test]
fn what_is_too_large_for_an_execution_is_refused() {
    let body = |length: usize| with("fallback.body", json!("x".repeat(length - 2)));
    assert_eq!(problems(&body(limits::FALLBACK_BODY_BYTES)), []);
    assert_eq!(problems(&body(limits::FALLBACK_BODY_BYTES + 1))[0].0, "fallback.body");
    let mut file = body(limits::FALLBACK_BODY_BYTES);
    for header in 0..3 {
        file["call"]["headers"][format!("x-{header}")] = json!("x".repeat(limits::HEADER_LENGTH));
    }
    assert!(problems(&file)[0].1.contains("bytes as it is deployed"));
    let many = |count: usize| {
        let mut file = file.clone();
        file["call"]["headers"] = (0..count).map(|header| (format!("x-{header}"), json!("x"))).collect();
        file
    };
    assert_eq!(problems(&many(limits::HEADERS)), []);
    assert_eq!(problems(&many(limits::HEADERS + 1))[0].0, "call.headers");
}

#[test]
fn number_of_parameters_is_bounded() {
    let many = |count: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("p{index}")).collect();
        let path: String = names.iter().map(|name| format!("/{{{name}}}")).collect();
        let mut file = with("route.path", json!(format!("/x{path}")));
        file["call"]["url"] = json!(format!("https://h{path}"));
        file["params"] = names.into_iter().map(|name| (name, json!("a"))).collect();
        file
    };
    assert_eq!(problems(&many(limits::PARAMETERS)), []);
    assert_eq!(problems(&many(limits::PARAMETERS + 1))[0].0, "params");
}

#[test]
fn syntax_errors_and_duplicate_keys_come_with_line_and_column() {
    for (text, says) in [
        ("{\n  \"circuit\": \"stock\",,\n}", "line 2 column 22"),
        (
            "{\n  \"call\": {\"url\": \"a\",\n \"url\": \"b\"}}",
            "the key \"url\" stands twice in one object at line 3",
        ),
        ("", "line 1 column 0"),
        ("{} {}", "trailing characters at line 1 column 4"),
    ] {
        let refused = policy::parse(Path::new("stock.json"), text).unwrap_err().to_string();
        assert!(
            refused.starts_with("stock.json: is no JSON: ") && refused.contains(says),
            "{refused}"
        );
    }
    let refused = policy::parse(Path::new("stock.json"), "[]").unwrap_err().to_string();
    assert!(
        refused.contains("is []; allowed: an object with $schema, circuit"),
        "{refused}"
    );
}

#[test]
fn values_of_headers_are_not_printed_by_debug() {
    let policy = parse(&with("call.headers.authorization", json!("Bearer SECRET"))).unwrap();
    let text = format!("{policy:?}");
    assert!(text.contains("authorization") && !text.contains("SECRET"), "{text}");
}

#[test]
fn credentials_are_recognised_in_any_spelling() {
    for (name, credential) in [
        ("authorization", true),
        ("Proxy-Authorization", true),
        ("X-API-KEY", true),
        ("accept", false),
        ("x-api-key-2", false),
    ] {
        let policy = parse(&with(&format!("call.headers.{name}"), json!("x"))).unwrap();
        assert_eq!(policy.deployed.call.headers.hold_credentials(), credential, "{name}");
    }
}
