use serde_json::{Value, json};

use super::{Operator, Pattern};
use crate::definition::rule_for_tests as rule;

fn matches(json: Value, data: &Value) -> Result<bool, String> {
    let context = json!({ "State": { "EnteredTime": "2024-05-01T12:00:00.000Z", "Name": "n" } });
    rule(json.clone())
        .unwrap_or_else(|report| panic!("{json}: {report:?}"))
        .matches(data, &context)
        .map_err(|failure| {
            assert_eq!(failure.error, "States.Runtime");
            failure.cause
        })
}

/// Each operator with a smaller, an equal and a greater value, and whether it holds for each.
#[test]
fn each_relation_holds_on_its_side_of_the_bound_and_in_its_path_form() {
    let forms = [
        ("String", json!(["a", "b", "c"])),
        ("Numeric", json!([1, 2, 2.5])),
        (
            "Timestamp",
            json!([
                "2024-05-01T12:00:00.0009Z",
                "2024-05-01T13:00:00.001+01:00",
                "2024-05-01T12:00:01Z"
            ]),
        ),
    ];
    for (form, values) in &forms {
        for (relation, expected) in [
            ("Equals", [false, true, false]),
            ("LessThan", [true, false, false]),
            ("GreaterThan", [false, false, true]),
            ("LessThanEquals", [true, true, false]),
            ("GreaterThanEquals", [false, true, true]),
        ] {
            for (index, expected) in expected.into_iter().enumerate() {
                let other = if *form == "Timestamp" {
                    &json!("2024-05-01T12:00:00.001Z")
                } else {
                    &values[1]
                };
                let operator = format!("{form}{relation}");
                let data = json!({ "v": values[index], "other": other });
                let constant = json!({ "Variable": "$.v", operator.as_str(): other });
                assert_eq!(matches(constant, &data), Ok(expected), "{} {operator}", values[index]);
                let path = format!("{operator}Path");
                let by_path = json!({ "Variable": "$.v", path.as_str(): "$.other" });
                assert_eq!(matches(by_path, &data), Ok(expected), "{} {path}", values[index]);
            }
        }
    }
}

#[test]
fn a_comparison_with_another_type_is_false_in_every_form() {
    let values = json!({ "n": null, "b": true, "i": 1, "s": "x", "a": [], "o": {}, "t": "2024-05-01T12:00:00Z" });
    for (operator, other, own) in [
        ("StringEquals", json!("y"), vec!["s", "t"]),
        ("StringLessThan", json!("y"), vec!["s", "t"]),
        ("StringMatches", json!("*"), vec!["s", "t"]),
        ("NumericGreaterThan", json!(0), vec!["i"]),
        ("BooleanEquals", json!(true), vec!["b"]),
        ("TimestampEquals", json!("2024-05-01T12:00:00Z"), vec!["t"]),
    ] {
        for field in ["n", "b", "i", "s", "a", "o", "t"] {
            let rule = json!({ "Variable": format!("$.{field}"), operator: other });
            let expected = own.contains(&field) && operator != "StringEquals";
            assert_eq!(matches(rule, &values), Ok(expected), "{operator} on {field}");
        }
    }
    for operator in [
        "StringEqualsPath",
        "NumericEqualsPath",
        "BooleanEqualsPath",
        "TimestampEqualsPath",
    ] {
        let rule = json!({ "Variable": "$.a", operator: "$.a" });
        assert_eq!(matches(rule, &values), Ok(false), "{operator}");
        let mixed = json!({ "Not": { "Variable": "$.s", operator: "$.i" } });
        assert_eq!(matches(mixed, &values), Ok(true), "Not {operator}");
    }
}

#[test]
fn each_type_test_tells_its_type_from_the_others() {
    let values =
        json!({ "null": null, "bool": false, "num": 1.5, "str": "x", "time": "2024-05-01T12:00:00Z", "arr": [] });
    for (operator, own) in [
        ("IsNull", vec!["null"]),
        ("IsBoolean", vec!["bool"]),
        ("IsNumeric", vec!["num"]),
        ("IsString", vec!["str", "time"]),
        ("IsTimestamp", vec!["time"]),
        ("IsPresent", vec!["null", "bool", "num", "str", "time", "arr"]),
    ] {
        for field in ["null", "bool", "num", "str", "time", "arr"] {
            for expected in [true, false] {
                let rule = json!({ "Variable": format!("$.{field}"), operator: expected });
                assert_eq!(
                    matches(rule, &values),
                    Ok(own.contains(&field) == expected),
                    "{operator} {expected} {field}"
                );
            }
        }
    }
}

#[test]
fn only_is_present_bears_a_missing_path() {
    for (expected, holds) in [(true, false), (false, true)] {
        assert_eq!(
            matches(json!({ "Variable": "$.gone.x", "IsPresent": expected }), &json!({})),
            Ok(holds)
        );
    }
    let expected = Err("Invalid path '$.gone': The choice state's condition path references an invalid value.".into());
    for rule in [
        json!({ "Variable": "$.gone", "IsNull": true }),
        json!({ "Variable": "$.gone", "StringEquals": "" }),
        json!({ "Variable": "$.here", "StringEqualsPath": "$.gone" }),
        json!({ "Not": { "Variable": "$.gone", "IsString": true } }),
    ] {
        assert_eq!(matches(rule.clone(), &json!({ "here": "x" })), expected, "{rule}");
    }
}

#[test]
fn and_or_and_not_stop_at_the_first_operand_that_decides() {
    let yes = json!({ "Variable": "$.x", "IsPresent": true });
    let no = json!({ "Variable": "$.x", "IsPresent": false });
    let fatal = json!({ "Variable": "$.gone", "IsNull": true });
    let data = json!({ "x": 1 });
    for (rule, expected) in [
        (json!({ "And": [yes, yes] }), true),
        (json!({ "And": [yes, no, fatal] }), false),
        (json!({ "Or": [no, no] }), false),
        (json!({ "Or": [no, yes, fatal] }), true),
        (json!({ "Not": yes }), false),
        (json!({ "Not": { "And": [yes, { "Or": [no, { "Not": no }] }] } }), false),
    ] {
        assert_eq!(matches(rule.clone(), &data), Ok(expected), "{rule}");
    }
    assert!(matches(json!({ "And": [yes, fatal] }), &data).is_err());
}

#[test]
fn the_context_object_may_stand_on_both_sides() {
    let data = json!({ "until": "2024-05-01T12:00:00.001Z", "name": "n" });
    for (rule, expected) in [
        (
            json!({ "Variable": "$$.State.EnteredTime", "TimestampLessThanPath": "$.until" }),
            true,
        ),
        (
            json!({ "Variable": "$.until", "TimestampLessThanPath": "$$.State.EnteredTime" }),
            false,
        ),
        (
            json!({ "Variable": "$.name", "StringEqualsPath": "$$.State.Name" }),
            true,
        ),
    ] {
        assert_eq!(matches(rule.clone(), &data), Ok(expected), "{rule}");
    }
}

#[test]
fn whole_numbers_are_compared_exactly_and_fractions_by_value() {
    let data = json!({ "big": 9_007_199_254_740_993_i64, "unsigned": u64::MAX, "one": 1.0, "negative": -1 });
    for (variable, operator, other, expected) in [
        ("$.big", "NumericEquals", json!(9_007_199_254_740_992_i64), false),
        ("$.big", "NumericGreaterThan", json!(9_007_199_254_740_992_i64), true),
        ("$.unsigned", "NumericGreaterThan", json!(i64::MAX), true),
        ("$.one", "NumericEquals", json!(1), true),
        ("$.negative", "NumericLessThan", json!(u64::MAX), true),
    ] {
        assert_eq!(
            matches(json!({ "Variable": variable, operator: other }), &data),
            Ok(expected),
            "{variable} {other}"
        );
    }
}

#[test]
fn a_pattern_matches_the_whole_text_with_stars_for_any_part() {
    for (pattern, text, expected) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("*", "anything", true),
        ("log-*.txt", "log-.txt", true),
        ("log-*.txt", "log-1.txt", true),
        ("log-*.txt", "log-1.txtx", false),
        ("log-*.txt", "xlog-1.txt", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "acb", false),
        ("ab*ba", "aba", false),
        ("*aa*aa*", "aaa", false),
        ("*aa*aa*", "aaaa", true),
        ("a\\*c", "a*c", true),
        ("a\\*c", "abc", false),
        ("a\\\\*", "a\\anything", true),
        ("ä*ß", "ä€ß", true),
    ] {
        assert_eq!(
            Pattern::parse(pattern).unwrap().matches(text),
            expected,
            "{pattern} on {text}"
        );
    }
    assert!(Pattern::parse("a\\b").is_err());
    assert!(Pattern::parse("a\\").is_err());
}

#[test]
fn there_are_no_operators_but_aws_s() {
    let named = |name: &str| Operator::named(name).is_some();
    for name in [
        "StringMatchesPath",
        "BooleanLessThan",
        "IsNullPath",
        "IsPresentPath",
        "NumericBetween",
        "stringEquals",
        "Path",
        "",
    ] {
        assert!(!named(name), "{name}");
    }
    assert!(
        [
            "StringEquals",
            "BooleanEqualsPath",
            "TimestampGreaterThanEqualsPath",
            "IsTimestamp"
        ]
        .into_iter()
        .all(named)
    );
}
