//! The three ways in: the route, the call by name, and an execution that is started directly.

use serde_json::{Value, json};

use crate::echo;
use crate::spelling::percent;
use crate::system::System;

fn policy(circuit: &str, url: &str, other: Value) -> Value {
    let mut policy = json!({
        "circuit": circuit,
        "params": { "v": ".{1,200}" },
        "call": { "url": url, "timeoutMs": 8000 },
        "trip": { "failures": 10_000 },
        "fallback": { "body": null },
    });
    for (section, fields) in other.as_object().unwrap() {
        for (field, value) in fields.as_object().unwrap() {
            policy[section][field] = value.clone();
        }
    }
    policy
}

#[tokio::test(flavor = "multi_thread")]
async fn value_is_one_segment_or_a_400_by_every_way_in() {
    let echo = echo::start().await;
    let url = format!("http://{echo}/x/{{v}}/y?q={{v}}");
    let route = json!({ "route": { "path": "/say/{v}" } });
    let system = System::start(&[policy("say", &url, route)], &json!({}));
    let long = "x".repeat(201);
    for (value, is_allowed) in [
        ("plain", true),
        ("ä", true),
        ("日本語", true),
        ("עברית\u{202e}", true),
        ("🦀", true),
        ("a/b", true),
        ("../../admin", true),
        ("%2e%2e%2f", true),
        ("%", true),
        ("a%zz", true),
        ("a?b=c&d#e", true),
        ("\"'`{}<>", true),
        ("\\", true),
        (" ", true),
        ("+", true),
        ("\u{0}\u{1}\u{7f}", true),
        ("...", true),
        ("a\nb", false),
        ("a\r", false),
        (".", false),
        ("..", false),
        (long.as_str(), false),
    ] {
        let input = json!({ "params": { "v": value } });
        let by_route = system.ask("GET", &format!("/say/{}", percent(value)), b"").await;
        let by_name = system.call("say", &input).await;
        let (status, output) = system.start_sync("say", &input).await;
        assert_eq!(status, "SUCCEEDED", "{value:?}");
        let directly = (output["status"].as_u64().unwrap(), output["body"].as_str().unwrap());
        if is_allowed {
            let line = format!("GET /x/{0}/y?q={0}\n\n", percent(value));
            assert_eq!((by_route.status, &by_route.body), (200, &line), "{value:?}");
            assert_eq!((by_name.status, &by_name.body), (200, &line), "{value:?}");
            assert_eq!(directly, (200, line.as_str()), "{value:?}");
        } else {
            let message = r#"{"message":"parameter v does not match its pattern"}"#;
            assert_eq!((by_route.status, by_route.body.as_str()), (400, message), "{value:?}");
            assert_eq!((by_name.status, by_name.body.as_str()), (400, message), "{value:?}");
            assert_eq!(directly, (400, message), "{value:?}");
        }
    }
    for broken in ["/say/%ff", "/say/%", "/say/%c3%28"] {
        assert_eq!(system.ask("GET", broken, b"").await.status, 400, "{broken}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn body_reaches_the_partner_byte_for_byte_by_every_way_in() {
    let echo = echo::start().await;
    let url = format!("http://{echo}/x/{{v}}");
    let passing = json!({
        "call": { "method": "POST", "body": { "pass": true, "maxBytes": 64 } },
        "route": { "method": "PUT", "path": "/say/{v}" },
    });
    let system = System::start(&[policy("say", &url, passing)], &json!({}));
    for (body, is_allowed) in [
        ("", true),
        ("{\"a\": 1.10, \"b\": 12345678901234567890123}\r\n", true),
        ("ä🦀\u{0}\u{1}\"\\ {\"params\":{}}", true),
        (&"x".repeat(64), true),
        (&"x".repeat(65), false),
    ] {
        let input = json!({ "params": { "v": "a" }, "body": body });
        let by_route = system.ask("PUT", "/say/a", body.as_bytes()).await;
        let by_name = system.call("say", &input).await;
        let (_, output) = system.start_sync("say", &input).await;
        let mut keys = Vec::new();
        for (status, text) in [
            (u64::from(by_route.status), by_route.body.as_str()),
            (u64::from(by_name.status), by_name.body.as_str()),
            (output["status"].as_u64().unwrap(), output["body"].as_str().unwrap()),
        ] {
            if is_allowed {
                let (line, rest) = text.split_once('\n').unwrap();
                let (key, sent) = rest.split_once('\n').unwrap();
                assert_eq!((status, line, sent), (200, "POST /x/a", body));
                assert_eq!(key.len(), 36);
                keys.push(key.to_owned());
            } else {
                assert_eq!(
                    (status, text),
                    (400, r#"{"message":"the body is larger than 64 bytes"}"#)
                );
            }
        }
        keys.sort();
        keys.dedup();
        assert_eq!(
            keys.len(),
            if is_allowed { 3 } else { 0 },
            "each execution has a key of its own"
        );
    }
    assert_eq!(system.ask("PUT", "/say/a", b"\xff").await.status, 400, "a body is text");
    assert_eq!(system.ask("GET", "/say/a", b"").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn query_of_a_route_supplies_parameters() {
    let echo = echo::start().await;
    let asking = json!({
        "params": { "country": "[a-z]{0,2}" },
        "call": { "query": { "in": "{country}", "as": "a b" } },
        "route": { "path": "/say/{v}", "query": ["country"] },
    });
    let system = System::start(&[policy("say", &format!("http://{echo}/x/{{v}}"), asking)], &json!({}));
    for (query, status, body) in [
        ("?country=de", 200, "GET /x/a?as=a%20b&in=de\n\n"),
        ("?other=1&country=d%65", 200, "GET /x/a?as=a%20b&in=de\n\n"),
        ("?country=", 200, "GET /x/a?as=a%20b&in=\n\n"),
        (
            "?country=DE",
            400,
            r#"{"message":"parameter country does not match its pattern"}"#,
        ),
        ("", 400, r#"{"message":"parameter country is missing"}"#),
    ] {
        let reply = system.ask("GET", &format!("/say/a{query}"), b"").await;
        assert_eq!((reply.status, reply.body.as_str()), (status, body), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_reach_the_customer_as_far_as_the_policy_says() {
    let echo = echo::start().await;
    let passing = json!({ "call": { "passHeaders": ["etag"] }, "route": { "path": "/say/{v}" } });
    let url = format!("http://{echo}/x/{{v}}");
    let system = System::start(
        &[policy("say", &url, passing), policy("quiet", &url, json!({}))],
        &json!({}),
    );
    let reply = system.ask("GET", "/say/a", b"").await;
    assert_eq!(reply.header("etag"), "\"1\"", "{reply:?}");
    for name in ["set-cookie", "x-own"] {
        assert_eq!(reply.header(name), "", "{reply:?}");
    }
    let quiet = system.call("quiet", &json!({ "params": { "v": "a" } })).await;
    assert_eq!((quiet.status, quiet.header("etag")), (200, ""), "{quiet:?}");
    let (_, output) = system.start_sync("say", &json!({ "params": { "v": "a" } })).await;
    assert_eq!(output["headers"], json!({ "etag": "\"1\"" }));
    let (_, refused) = system.start_sync("say", &json!({ "params": { "v": ".." } })).await;
    assert_eq!(refused["headers"], json!({}));
}
