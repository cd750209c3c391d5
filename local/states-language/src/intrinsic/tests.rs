use serde_json::{Value, json};

use super::{Call, SyntaxError};

fn data() -> Value {
    json!({
        "name": "Ada", "n": 3, "f": 2.5, "zero": 0, "list": [1, 2, 3, 3, "3"], "o": { "a": 1, "b": { "c": 1 } },
        "p": { "b": { "d": 2 }, "e": 3 }, "text": "{\"a\":[1.0,2]}", "b64": "SGVsbG8=", "bad": "{", "template": "<{}>",
    })
}

fn evaluate(text: &str) -> Result<Value, (String, String)> {
    let call = Call::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let context = json!({ "State": { "Name": "Here" } });
    call.evaluate(&data(), &context)
        .map_err(|failure| (failure.error, failure.cause))
}

/// Values from AWS's documentation of each function, where it has some.
#[test]
fn each_function_gives_what_aws_documents() {
    for (text, expected) in [
        (
            "States.Format('Hello, my name is {}.', $.name)",
            json!("Hello, my name is Ada."),
        ),
        ("States.Format('no place')", json!("no place")),
        (
            "States.Format('{}-{}-{}-{}', 1, 1.5, true, null)",
            json!("1-1.5-true-null"),
        ),
        ("States.Format('{}', $.o)", json!("{\"a\":1,\"b\":{\"c\":1}}")),
        (r"States.Format('\{\} \\ \' {}', $.n)", json!(r"{} \ ' 3")),
        ("States.Format($.template, 'x')", json!("<x>")),
        ("States.Format('{}', $$.State.Name)", json!("Here")),
        ("States.StringToJson($.text)", json!({ "a": [1.0, 2] })),
        ("States.JsonToString($.o)", json!("{\"a\":1,\"b\":{\"c\":1}}")),
        ("States.JsonToString($.name)", json!("\"Ada\"")),
        ("States.Array()", json!([])),
        (
            r"States.Array('a\'b\{', $.n, -1.5e3, $.list[0:2], States.Array(null))",
            json!(["a'b{", 3, -1500.0, [1, 2], [null]]),
        ),
        ("States.ArrayPartition($.list, 4)", json!([[1, 2, 3, 3], ["3"]])),
        ("States.ArrayContains($.list, 2)", json!(true)),
        ("States.ArrayContains($.list, '2')", json!(false)),
        ("States.ArrayRange(1, 9, 2)", json!([1, 3, 5, 7, 9])),
        ("States.ArrayRange(3, 1, -1)", json!([3, 2, 1])),
        ("States.ArrayRange(1, 0, 1)", json!([])),
        ("States.ArrayGetItem($.list, 4)", json!("3")),
        ("States.ArrayLength($.list)", json!(5)),
        ("States.ArrayUnique($.list)", json!([1, 2, 3, "3"])),
        ("States.Base64Encode('Hello')", json!("SGVsbG8=")),
        ("States.Base64Decode($.b64)", json!("Hello")),
        (
            "States.Hash('input data', 'SHA-1')",
            json!("aaff4a450a104cd177d28d18d74485e8cae074b7"),
        ),
        ("States.Hash('', 'MD5')", json!("d41d8cd98f00b204e9800998ecf8427e")),
        (
            "States.Hash('abc', 'SHA-256')",
            json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ),
        (
            "States.JsonMerge($.o, $.p, false)",
            json!({ "a": 1, "b": { "d": 2 }, "e": 3 }),
        ),
        ("States.MathAdd($.n, -4)", json!(-1)),
        ("States.MathAdd(1.5, 1.4)", json!(3)),
        ("States.MathAdd(2147483647, 2147483647)", json!(4_294_967_294_i64)),
        ("States.MathRandom(5, 6)", json!(5)),
        ("States.StringSplit('1,2,3', ',')", json!(["1", "2", "3"])),
        (
            "States.StringSplit('This.is+a,test=string', '.+,=')",
            json!(["This", "is", "a", "test", "string"]),
        ),
        (
            " States.Format( 'a,(b) {}' , States.JsonToString( States.Array( $['name'] , $.o.b ) ) ) ",
            json!("a,(b) [\"Ada\",{\"c\":1}]"),
        ),
    ] {
        assert_eq!(evaluate(text), Ok(expected), "{text}");
    }
    for (algorithm, length) in [("SHA-384", 96), ("SHA-512", 128)] {
        let digest = evaluate(&format!("States.Hash('abc', '{algorithm}')")).unwrap();
        assert_eq!(digest.as_str().map(str::len), Some(length), "{algorithm}");
    }
}

#[test]
fn a_uuid_is_new_each_time_and_a_seeded_random_number_is_not() {
    let (first, second) = (evaluate("States.UUID()").unwrap(), evaluate("States.UUID()").unwrap());
    assert_ne!(first, second);
    let text = first.as_str().unwrap();
    assert!(text.len() == 36 && text.as_bytes()[14] == b'4', "{text}");
    assert_eq!(
        evaluate("States.MathRandom(1, 1000000, 7)"),
        evaluate("States.MathRandom(1, 1000000, 7)")
    );
    for _ in 0..100 {
        let number = evaluate("States.MathRandom(-2, 2)").unwrap().as_i64().unwrap();
        assert!((-2..2).contains(&number), "{number}");
    }
}

#[test]
fn arguments_that_a_function_does_not_take_are_an_intrinsic_failure() {
    for text in [
        "States.Format('{} {}', 1)",
        "States.Format('{}', 1, 2)",
        "States.Format('{')",
        "States.Format('}')",
        "States.Format($.n)",
        "States.StringToJson($.bad)",
        "States.StringToJson($.n)",
        "States.ArrayPartition($.list, 0)",
        "States.ArrayPartition($.n, 1)",
        "States.ArrayContains('abc', 'a')",
        "States.ArrayRange(0, 10, 0)",
        "States.ArrayRange(1, 1001, 1)",
        "States.ArrayRange('a', 1, 1)",
        "States.ArrayGetItem($.list, 5)",
        "States.ArrayGetItem($.list, -1)",
        "States.ArrayLength($.o)",
        "States.ArrayUnique(null)",
        "States.Base64Encode(1)",
        "States.Base64Decode('*')",
        "States.Base64Decode('/w==')",
        "States.Hash('a', 'SHA-3')",
        "States.JsonMerge($.o, $.p, true)",
        "States.JsonMerge($.o, $.list, false)",
        "States.MathAdd(2147483648, 0)",
        "States.MathAdd('1', 0)",
        "States.MathAdd(1e300, 0)",
        "States.MathRandom(5, 5)",
        "States.StringSplit($.list, ',')",
    ] {
        let (error, cause) = evaluate(text).unwrap_err();
        assert_eq!(error, "States.IntrinsicFailure", "{text}");
        assert!(
            cause.starts_with(&format!("The function '{text}' had the following error: ")),
            "{cause}"
        );
    }
}

#[test]
fn a_range_and_a_text_are_bounded() {
    let long = |chars: usize| evaluate(&format!("States.Base64Encode('{}')", "ä".repeat(chars)));
    assert!(long(10_000).is_ok());
    assert!(long(10_001).is_err());
    assert_eq!(
        evaluate("States.ArrayRange(1, 1000, 1)")
            .unwrap()
            .as_array()
            .map(Vec::len),
        Some(1000)
    );
    assert!(evaluate("States.ArrayRange(-9223372036854775808, 9223372036854775807, 1)").is_err());
    assert_eq!(
        evaluate("States.ArrayRange(9223372036854775806, 9223372036854775807, 1)")
            .unwrap()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn a_missing_path_among_the_arguments_is_a_runtime_error() {
    for text in [
        "States.Array($.gone)",
        "States.Format('{}', States.JsonToString($.gone))",
    ] {
        let (error, cause) = evaluate(text).unwrap_err();
        assert_eq!(error, "States.Runtime", "{text}");
        assert!(cause.contains("'$.gone' could not be found in the input"), "{cause}");
    }
}

#[test]
fn what_is_no_call_is_refused_for_its_reason() {
    let unknown = |name: &str| SyntaxError::Unknown { name: name.into() };
    let arity = |name: &str, count| SyntaxError::Arity {
        name: name.into(),
        count,
    };
    for (text, expected) in [
        ("", SyntaxError::NoCall),
        ("plain text", SyntaxError::NoCall),
        ("Format('a')", SyntaxError::NoCall),
        ("States.Nope()", unknown("States.Nope")),
        ("States.format('a')", unknown("States.format")),
        ("States.Array(States.Nope())", unknown("States.Nope")),
        ("States.UUID", SyntaxError::Unclosed),
        ("States.UUID(", SyntaxError::Unclosed),
        ("States.UUID(1)", arity("States.UUID", 1)),
        ("States.Format()", arity("States.Format", 0)),
        ("States.Hash('a')", arity("States.Hash", 1)),
        ("States.MathRandom(1,2,3,4)", arity("States.MathRandom", 4)),
        ("States.Array('a)", SyntaxError::Unclosed),
        (r"States.Array('a\n')", SyntaxError::Escape),
        ("States.Array('a' 'b')", SyntaxError::Unexpected { found: '\'' }),
        ("States.Array(1,)", SyntaxError::Argument { found: String::new() }),
        ("States.Array(abc)", SyntaxError::Argument { found: "abc".into() }),
        ("States.Array(01)", SyntaxError::Argument { found: "01".into() }),
        ("States.Array(1) x", SyntaxError::Unexpected { found: 'x' }),
        (
            "States.Array($.a[?@])",
            SyntaxError::Path(crate::path::PathError::Filter),
        ),
    ] {
        assert_eq!(Call::parse(text), Err(expected), "{text}");
    }
}

#[test]
fn calls_nest_ten_deep_and_no_deeper() {
    let nested = |levels: usize| format!("{}{}", "States.Array(".repeat(levels), ")".repeat(levels));
    assert!(Call::parse(&nested(10)).is_ok());
    assert_eq!(Call::parse(&nested(11)), Err(SyntaxError::Depth));
    assert_eq!(Call::parse(&"States.Array(".repeat(100_000)), Err(SyntaxError::Depth));
}
