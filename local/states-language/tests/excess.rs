//! Short definitions that ask for more than a machine has: they end at a limit, and at once.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the whole file is a test; clippy only sees that of its test functions"
)]

mod support;

use serde_json::{Map, Value, json};
use states_language::{Machine, NoObserver, Outcome, Start};
use support::{Script, execute, failed};

/// Runs one state on an input; a Choice leads to `T`.
async fn run(state: Value, input: Value) -> Outcome {
    let mut states = json!({ "S": state });
    if states["S"]["Type"] == "Choice" {
        states["T"] = json!({ "Type": "Succeed" });
    }
    let definition = json!({ "StartAt": "S", "States": states }).to_string();
    let script = Script::new(vec![]);
    execute(&definition, Start::new(input), &script, &NoObserver).await.0
}

fn pass(value: &str) -> Value {
    json!({ "Type": "Pass", "Parameters": { "v.$": value }, "End": true })
}

fn nested(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!([inner]))
}

/// `function` around `argument`, so many times.
fn around(function: &str, times: usize, argument: &str) -> String {
    (0..times).fold(argument.to_owned(), |inner, _| format!("{function}({inner})"))
}

#[tokio::test(start_paused = true)]
async fn what_grows_past_every_payload_is_stopped_while_it_grows() {
    let text = "x".repeat(200_000);
    let fields: Map<String, Value> = (0..40).map(|n| (format!("f{n}.$"), json!("$"))).collect();
    let branch = |n: usize| json!({ "StartAt": format!("B{n}"), "States": { format!("B{n}"): { "Type": "Succeed" } } });
    let branches: Vec<Value> = (0..100).map(branch).collect();
    let choice = json!({ "Type": "Choice", "Choices": [
        { "Variable": format!("$..*{}", "..*".repeat(20)), "IsPresent": false, "Next": "T" },
    ] });
    for (what, state, input, said) in [
        (
            "a path that doubles what it finds",
            pass(&format!("$[0]{}", "[0,0]".repeat(20))),
            nested(21, json!("found")),
            "What the JSONPath '$[0][0,0]",
        ),
        (
            "a path that finds the same long text again and again",
            pass(&format!("$[0,{}0]", "0,".repeat(100))),
            json!([text]),
            "finds comes to more than 2097152 bytes",
        ),
        (
            "a path that looks everywhere for nothing",
            pass(&format!("${}..nothing", "..*".repeat(20))),
            nested(60, json!(1)),
            "looks at more values than a payload can have",
        ),
        (
            "a rule that looks everywhere for nothing",
            choice,
            nested(60, json!(1)),
            "looks at more values than a payload can have",
        ),
        (
            "a template with the input in each of its fields",
            json!({ "Type": "Pass", "Parameters": { "all": [fields] }, "End": true }),
            json!(text),
            "What a template is filled with comes to more than",
        ),
        (
            "a function with the input in each of its arguments",
            pass(&format!("States.Array($.t{})", ",$.t".repeat(39))),
            json!({ "t": text }),
            "is given comes to more than",
        ),
        (
            "functions that double what they are given",
            pass(&around("States.JsonToString", 8, "$.t")),
            json!({ "t": "\\".repeat(100_000) }),
            "gives comes to more than",
        ),
        (
            "many branches with a long input",
            json!({ "Type": "Parallel", "Branches": branches, "End": true }),
            json!(text),
            "The state/task 'S' was given an input",
        ),
    ] {
        let (error, cause) = failed(run(state, input).await);
        assert_eq!(error, "States.DataLimitExceeded", "{what}: {cause}");
        assert!(cause.contains(said), "{what}: {cause}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_stays_within_a_payload_in_the_end_may_be_longer_on_the_way() {
    let text = "x".repeat(200_000);
    let lengths = "States.ArrayLength(States.Array($.t,$.t,$.t,$.t,$.t))";
    let Outcome::Succeeded { output } = run(pass(lengths), json!({ "t": text })).await else {
        panic!("a million bytes are allowed");
    };
    assert_eq!(output, json!({ "v": 5 }));
}

#[tokio::test(start_paused = true)]
async fn a_long_array_is_made_unique() {
    let items: Vec<Value> = (0..30_000).map(|n| json!([n % 20_000])).collect();
    let unique = "States.ArrayLength(States.ArrayUnique($))";
    let Outcome::Succeeded { output } = run(pass(unique), Value::Array(items)).await else {
        panic!("it fits");
    };
    assert_eq!(output, json!({ "v": 20_000 }));
}

#[test]
fn a_path_has_so_many_steps_at_most() {
    for (field, place) in [
        ("ResultPath", "$"),
        ("InputPath", "$"),
        ("OutputPath", "$..a"),
        ("InputPath", "$[?(@.a)]"),
    ] {
        for (steps, taken) in [(250, true), (257, false), (100_000, false)] {
            let path = format!("{place}{}", ".a".repeat(steps));
            let definition = json!({ "StartAt": "S", "States": { "S": { "Type": "Pass", field: path, "End": true } } });
            let parsed = Machine::parse(&definition.to_string(), &|_| true);
            assert_eq!(parsed.is_ok(), taken, "{field} {place} with {steps} steps");
        }
    }
}
