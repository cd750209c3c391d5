//! What a call sends and passes on: bodies, queries, headers, secrets, retries.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use policy::{Body, Policy, Refused, limits};
use serde_json::{Value, json};

/// A file whose call is this one, with a parameter `isbn` in its URL.
fn parse(call: Value) -> Result<Policy, Refused> {
    parse_with(call, json!({}))
}

/// The same with other sections.
fn parse_with(call: Value, other: Value) -> Result<Policy, Refused> {
    let mut file = json!({
        "circuit": "stock",
        "params": {"isbn": "[0-9]{13}"},
        "call": {"url": "https://partner.example.com/stock/{isbn}"},
        "fallback": {"body": null}
    });
    for (from, to) in [(&call, "call"), (&other, "")] {
        let at = if to.is_empty() { &mut file } else { &mut file[to] };
        for (key, value) in from.as_object().unwrap() {
            at[key] = value.clone();
        }
    }
    policy::parse(Path::new("stock.json"), &file.to_string())
}

/// Asserts the one problem's field, and that what was found and what is allowed are said so.
#[track_caller]
fn assert_refused(refused: Result<Policy, Refused>, field: &str, found: &str, allowed: &str) {
    let problems = refused.unwrap_err().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    let problem = &problems[0];
    assert_eq!(problem.field, field);
    assert!(
        problem.found.contains(found) && problem.allowed.contains(allowed),
        "{problem}"
    );
    assert!(!problem.to_string().contains("SECRET"), "{problem}");
}

#[test]
fn call_that_uses_nothing_new_is_deployed_as_before() {
    let call = serde_json::to_value(parse(json!({})).unwrap().deployed.call).unwrap();
    let keys: Vec<_> = call.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["method", "url", "headers", "timeoutMs", "maxResponseBytes"]);
}

#[test]
fn call_that_uses_everything_is_deployed_and_read_again() {
    let policy = parse_with(
        json!({
            "method": "PATCH",
            "query": {"in": "{country}", "a b": "c&d"},
            "body": {"template": {"z": "{isbn}", "a": 1.50}},
            "headers": {"content-type": "application/vnd.api+json"},
            "secretHeaders": {"Authorization": {"secret": "shop/key", "field": "token", "prefix": "Bearer "}},
            "passHeaders": ["ETag", "cache-control"],
            "expectContentType": "application/json",
            "retries": 2
        }),
        json!({
            "params": {"isbn": "[0-9]{13}", "country": "[a-z]{2}"},
            "route": {"method": "POST", "path": "/stock/{isbn}", "query": ["country"]}
        }),
    )
    .unwrap();
    let deployed = serde_json::to_value(&policy.deployed).unwrap();
    assert_eq!(
        deployed["call"],
        json!({
            "method": "PATCH",
            "url": "https://partner.example.com/stock/{isbn}?a%20b=c%26d&in={country}",
            "headers": {"content-type": "application/vnd.api+json"},
            "secretHeaders": {"Authorization": {"secret": "shop/key", "field": "token", "prefix": "Bearer "}},
            "body": {"template": "{\"z\":\"{isbn}\",\"a\":1.5}"},
            "passHeaders": ["etag", "cache-control"],
            "expectContentType": "application/json",
            "retries": 2,
            "timeoutMs": 800, "maxResponseBytes": 131072
        })
    );
    assert_eq!(
        serde_json::from_value::<policy::Deployed>(deployed).unwrap(),
        policy.deployed
    );
    assert!(policy.deployed.call.sends_credentials());
    assert_eq!(policy.route.unwrap().query, ["country"]);
}

#[test]
fn body_that_is_passed_has_a_limit() {
    for (body, max_bytes) in [
        (json!({"pass": true}), 16_384),
        (json!({"pass": true, "maxBytes": 7}), 7),
    ] {
        let policy = parse(json!({"method": "PUT", "body": body})).unwrap();
        assert_eq!(policy.deployed.call.body, Some(Body::Pass { max_bytes }));
        assert_eq!(policy.deployed.call.passes_body(), Some(max_bytes));
    }
    assert_eq!(parse(json!({})).unwrap().deployed.call.passes_body(), None);
}

#[test]
fn body_that_can_not_be_sent_is_refused() {
    for (body, field, found, allowed) in [
        (json!(null), "call.body", "is null", "an object with template, pass"),
        (json!({}), "call.body", "neither", "one of them"),
        (
            json!({"pass": true, "template": {}}),
            "call.body",
            "both",
            "one of them",
        ),
        (json!({"pass": false}), "call.body.pass", "is false", "true"),
        (
            json!({"template": "{isbn}"}),
            "call.body.template",
            "is \"{isbn}\"",
            "object or array",
        ),
        (
            json!({"template": null}),
            "call.body.template",
            "is null",
            "object or array",
        ),
        (
            json!({"template": {}, "maxBytes": 5}),
            "call.body.maxBytes",
            "beside a template",
            "leave it out",
        ),
        (
            json!({"template": {"a": "{other}"}}),
            "call.body",
            "{other}, which is not declared",
            "params.other",
        ),
        (
            json!({"template": ["x {isbn}"]}),
            "call.body.template",
            "within a longer text",
            "whole strings",
        ),
        (
            json!({"template": {"{isbn}": 1}}),
            "call.body.template",
            "as a key",
            "whole strings",
        ),
        (
            json!({"pass": true, "contentType": "x"}),
            "call.body.contentType",
            "is unknown",
            "one of template",
        ),
    ] {
        assert_refused(parse(json!({"method": "POST", "body": body})), field, found, allowed);
    }
    for braces in ["query { stock { days } }", "{", "{}", "{ isbn }", "{ISBN}s"] {
        parse(json!({"method": "POST", "body": {"template": {"query": braces}}})).unwrap();
    }
}

#[test]
fn body_needs_methods_that_have_one() {
    for method in ["GET", "HEAD"] {
        assert_refused(
            parse(json!({"method": method, "body": {"template": {}}})),
            "call.body",
            &format!("the method {method}"),
            "POST, PUT, PATCH or DELETE",
        );
        let route = json!({"route": {"method": method, "path": "/{isbn}"}});
        assert_refused(
            parse_with(json!({"method": "POST", "body": {"pass": true}}), route.clone()),
            "route.method",
            method,
            "POST, PUT, PATCH or DELETE",
        );
        // The policy writes the body: a customer may well just ask for it.
        parse_with(json!({"method": "POST", "body": {"template": {}}}), route).unwrap();
    }
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        parse(json!({"method": method})).unwrap();
        let route = json!({"route": {"method": method, "path": "/{isbn}"}});
        parse_with(json!({"method": method, "body": {"pass": true}}), route).unwrap();
    }
}

#[test]
fn query_that_can_not_be_sent_is_refused() {
    for (query, field, found, allowed) in [
        (json!([]), "call.query", "is []", "an object of names"),
        (json!({"a": 1}), "call.query.a", "is 1", "as a string"),
        (json!({"": "x"}), "call.query.", "empty name", "a character"),
        (
            json!({"a": "x{isbn}"}),
            "call.query.a",
            "is \"x{isbn}\"",
            "a whole {name}",
        ),
        (
            json!({"a": "{other}"}),
            "call.query",
            "{other}, which is not declared",
            "params.other",
        ),
        (
            json!({"a": "x".repeat(limits::URL_LENGTH)}),
            "call.query",
            "can't be used",
            "at most 2000 bytes",
        ),
    ] {
        assert_refused(parse(json!({"query": query})), field, found, allowed);
    }
}

#[test]
fn route_supplies_each_parameter_once() {
    let params = json!({"isbn": "[0-9]{13}", "country": "[a-z]{2}"});
    let with = |route: Value, call: Value| parse_with(call, json!({"params": params, "route": route}));
    let asks = json!({"query": {"in": "{country}"}});
    with(json!({"path": "/{isbn}", "query": ["country"]}), asks.clone()).unwrap();
    with(json!({"path": "/{isbn}/{country}"}), asks.clone()).unwrap();
    for (route, field, found) in [
        (
            json!({"path": "/{isbn}"}),
            "call.query",
            "{country}, which route.path does not supply",
        ),
        (
            json!({"path": "/{isbn}/{country}", "query": ["country"]}),
            "route.query",
            "\"country\", which route.path has too",
        ),
        (
            json!({"path": "/{isbn}", "query": "country"}),
            "route.query",
            "is \"country\"",
        ),
        (
            json!({"path": "/{isbn}", "query": ["country", "country"]}),
            "route.query",
            "is [",
        ),
        (json!({"path": "/{isbn}", "query": ["a-b"]}), "route.query", "is ["),
    ] {
        assert_refused(with(route, asks.clone()), field, found, "");
    }
    let undeclared = json!({"path": "/{isbn}/{country}", "query": ["other"]});
    assert_refused(
        with(undeclared, asks),
        "route.query",
        "{other}, which is not declared",
        "params.other",
    );
}

#[test]
fn secrets_are_named_by_their_place_and_never_shown() {
    for (name, value, field, found) in [
        ("x-key", json!("SECRET"), "call.secretHeaders.x-key", "not an object"),
        ("x-key", json!({}), "call.secretHeaders.x-key", "one place"),
        (
            "x-key",
            json!({"secret": "a", "parameter": "b"}),
            "call.secretHeaders.x-key",
            "one place",
        ),
        (
            "x-key",
            json!({"secret": "SECRET\n"}),
            "call.secretHeaders.x-key.secret",
            "no such text",
        ),
        (
            "x-key",
            json!({"parameter": ""}),
            "call.secretHeaders.x-key.parameter",
            "no such text",
        ),
        (
            "x-key",
            json!({"parameter": "a", "value": "SECRET"}),
            "call.secretHeaders.x-key.value",
            "is unknown",
        ),
        (
            "host",
            json!({"secret": "a"}),
            "call.secretHeaders.host",
            "belongs to the connection",
        ),
        (
            "Accept",
            json!({"secret": "a"}),
            "call.secretHeaders.Accept",
            "another spelling",
        ),
    ] {
        let call = json!({"headers": {"accept": "x"}, "secretHeaders": {name: value}});
        assert_refused(parse(call), field, found, "");
    }
    let many = |count: usize| {
        let headers: serde_json::Map<_, _> = (0..count)
            .map(|index| (format!("x-{index}"), json!({"parameter": "/key"})))
            .collect();
        parse(json!({"secretHeaders": headers}))
    };
    many(limits::SECRET_HEADERS).unwrap();
    assert_refused(
        many(limits::SECRET_HEADERS + 1),
        "call.secretHeaders",
        "has 9",
        "at most 8",
    );
}

#[test]
fn headers_that_must_not_reach_a_customer_are_refused() {
    for name in [
        "Set-Cookie",
        "connection",
        "Transfer-Encoding",
        "content-length",
        "Content-Encoding",
        "content-type",
        "x-circuit",
        "X-Amzn-RequestId",
        "strict-transport-security",
        "a b",
        "",
    ] {
        assert_refused(parse(json!({"passHeaders": [name]})), "call.passHeaders", "has \"", "");
    }
    assert_refused(parse(json!({"passHeaders": [1]})), "call.passHeaders", "has 1", "");
    assert_refused(
        parse(json!({"passHeaders": "etag"})),
        "call.passHeaders",
        "is \"etag\"",
        "a list",
    );
    assert_refused(
        parse(json!({"passHeaders": ["etag", "ETag"]})),
        "call.passHeaders",
        "has \"ETag\"",
        "each header once",
    );
    let many = |count: usize| {
        let names: Vec<_> = (0..count).map(|index| format!("x-{index}")).collect();
        parse(json!({"passHeaders": names}))
    };
    many(limits::PASS_HEADERS).unwrap();
    assert_refused(
        many(limits::PASS_HEADERS + 1),
        "call.passHeaders",
        "has 17",
        "at most 16",
    );
}

#[test]
fn idempotency_key_is_the_callers_where_it_sends_one() {
    let call = |method: &str| parse(json!({"method": method, "headers": {"Idempotency-Key": "x"}}));
    call("GET").unwrap();
    assert_refused(
        call("POST"),
        "call.headers.Idempotency-Key",
        "the caller sets it itself",
        "leave it out",
    );
}

#[test]
fn expected_type_is_a_media_type() {
    for expected in [
        json!("json"),
        json!("application/json; charset=utf-8"),
        json!(5),
        json!(null),
    ] {
        assert_refused(
            parse(json!({"expectContentType": expected})),
            "call.expectContentType",
            "is ",
            "a media type without parameters",
        );
    }
}
