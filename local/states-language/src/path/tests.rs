use serde_json::{Value, json};

use super::{Path, PathError, ReferencePath};

fn select(path: &str, data: &Value) -> Option<Value> {
    let context = json!({ "State": { "Name": "Here" } });
    let path = Path::parse(path).unwrap();
    let selected = path.select(data, &context).map(super::Selected::into_value).ok();
    assert_eq!(
        path.take(data.clone(), &context).ok(),
        selected,
        "{path}: taking gives what selecting gives"
    );
    selected
}

fn store() -> Value {
    json!({
        "a": { "b": [10, 11, 12, { "c": 13 }], "with space": 1, "x-y": 2, "it's": 3, "ä": 4 },
        "b": [[1, 2], [3]],
        "null": null,
    })
}

#[test]
fn a_definite_path_gives_the_value_or_nothing() {
    for (path, expected) in [
        ("$", Some(store())),
        ("$.a.b[0]", Some(json!(10))),
        ("$.a.b[3].c", Some(json!(13))),
        ("$['a']['b'][1]", Some(json!(11))),
        ("$[\"a\"].b[-1].c", Some(json!(13))),
        ("$.a.b[-4]", Some(json!(10))),
        ("$.a['with space']", Some(json!(1))),
        ("$.a.x-y", Some(json!(2))),
        ("$.a['it\\'s']", Some(json!(3))),
        ("$.a.ä", Some(json!(4))),
        ("$.null", Some(json!(null))),
        ("$$.State.Name", Some(json!("Here"))),
        ("$.missing", None),
        ("$.a.b[4]", None),
        ("$.a.b[-5]", None),
        ("$.a.b.c", None),
        ("$.a[0]", None),
        ("$.null.x", None),
        ("$$.State.Other", None),
        ("$.a.b[99999999999999]", None),
        ("$.a.b[-9223372036854775808]", None),
    ] {
        assert_eq!(select(path, &store()), expected, "{path}");
    }
}

#[test]
fn an_indefinite_path_gives_a_list_that_may_be_empty() {
    for (path, expected) in [
        ("$.a.b[*]", json!([10, 11, 12, { "c": 13 }])),
        ("$.a.b.*", json!([10, 11, 12, { "c": 13 }])),
        ("$.a.b[0:2]", json!([10, 11])),
        ("$.a.b[1:]", json!([11, 12, { "c": 13 }])),
        ("$.a.b[:1]", json!([10])),
        ("$.a.b[-2:]", json!([12, { "c": 13 }])),
        ("$.a.b[-9:2]", json!([10, 11])),
        ("$.a.b[2:99]", json!([12, { "c": 13 }])),
        ("$.a.b[3:1]", json!([])),
        ("$.a.b[0,2]", json!([10, 12])),
        ("$.a.b[-1, 9]", json!([{ "c": 13 }])),
        ("$.a['x-y', 'ä', 'none']", json!([2, 4])),
        ("$..c", json!([13])),
        ("$..b", json!([[[1, 2], [3]], [10, 11, 12, { "c": 13 }]])),
        ("$..b[0]", json!([[1, 2], 10])),
        ("$.b[*][0]", json!([1, 3])),
        ("$.b..[0]", json!([[1, 2], 1, 3])),
        ("$.missing[*]", json!([])),
        ("$.b..*", json!([[1, 2], [3], 1, 2, 3])),
        ("$..nothing", json!([])),
    ] {
        assert_eq!(select(path, &store()), Some(expected), "{path}");
    }
}

#[test]
fn what_is_no_supported_path_is_refused_for_its_reason() {
    for (path, expected) in [
        ("", PathError::Start),
        ("a.b", PathError::Start),
        ("$name.x", PathError::Variable),
        ("$.a[?@.b > 1]", PathError::Filter),
        ("$.a[?(@.b =~ /x/)]", PathError::FilterOperator { found: "=~".into() }),
        ("$.a[?(@.b in [1])]", PathError::FilterOperator { found: "in".into() }),
        ("$.a[?(@.b == c)]", PathError::FilterOperand { found: "c".into() }),
        ("$.a[?(@.b == $.c)]", PathError::FilterRoot),
        ("$.a[?(@.b[*] == 1)]", PathError::FilterPath),
        ("$.a[?(@.b == 1]", PathError::Unexpected { found: ']' }),
        ("$.a[?(@.b", PathError::Unclosed),
        ("$.a[(@.length-1)]", PathError::Script),
        ("$.a.length()", PathError::Function),
        ("$.a[0:4:2]", PathError::Step),
        ("$.", PathError::MissingName),
        ("$.a.", PathError::MissingName),
        ("$..", PathError::DanglingDescent),
        ("$.a..", PathError::DanglingDescent),
        ("$.a.?", PathError::Unexpected { found: '?' }),
        ("$$$", PathError::Unexpected { found: '$' }),
        ("$.a['b'", PathError::Unclosed),
        ("$.a['b", PathError::Unclosed),
        ("$.a[0", PathError::Unclosed),
        ("$[", PathError::Unclosed),
        ("$.a[]", PathError::Index { index: String::new() }),
        ("$.a[x]", PathError::Index { index: "x".into() }),
        ("$.a[1,x]", PathError::Index { index: "x".into() }),
        ("$.a['b'x]", PathError::Unexpected { found: 'x' }),
        ("$.a ", PathError::Trailing { rest: " ".into() }),
        ("$.a, $.b", PathError::Trailing { rest: ", $.b".into() }),
    ] {
        assert_eq!(Path::parse(path), Err(expected), "{path}");
    }
}

#[test]
fn a_result_goes_where_its_reference_path_says() {
    for (path, before, after) in [
        ("$", json!({ "a": 1 }), json!("new")),
        ("$.b", json!({ "a": 1 }), json!({ "a": 1, "b": "new" })),
        ("$.a", json!({ "a": 1, "b": 2 }), json!({ "a": "new", "b": 2 })),
        (
            "$.b.c.d",
            json!({ "a": 1 }),
            json!({ "a": 1, "b": { "c": { "d": "new" } } }),
        ),
        ("$['b c'].d", json!({}), json!({ "b c": { "d": "new" } })),
        ("$.a[1]", json!({ "a": [1, 2, 3] }), json!({ "a": [1, "new", 3] })),
        ("$.a[0].b", json!({ "a": [{}] }), json!({ "a": [{ "b": "new" }] })),
    ] {
        let mut data = before;
        assert_eq!(
            ReferencePath::parse(path).unwrap().insert(&mut data, json!("new")),
            Ok(()),
            "{path}"
        );
        assert_eq!(data, after, "{path}");
    }
}

#[test]
fn a_place_that_cannot_be_made_leaves_the_input_as_it_was() {
    for (path, before, step) in [
        ("$.a", json!("text"), "a"),
        ("$.a", json!([1]), "a"),
        ("$.a", json!(null), "a"),
        ("$.a.b", json!({ "a": 1 }), "b"),
        ("$.new.b[0]", json!({}), "0"),
        ("$.a[1]", json!({ "a": [1] }), "1"),
        ("$.a[0]", json!({ "a": {} }), "0"),
    ] {
        let mut data = before.clone();
        let mismatch = ReferencePath::parse(path)
            .unwrap()
            .insert(&mut data, json!("new"))
            .unwrap_err();
        assert_eq!((mismatch.step.as_str(), data), (step, before), "{path}");
    }
}

#[test]
fn a_reference_path_names_a_single_place_of_the_input() {
    for (path, expected) in [
        ("$.a[*]", PathError::NotReference),
        ("$..a", PathError::NotReference),
        ("$.a[0:1]", PathError::NotReference),
        ("$.a[0,1]", PathError::NotReference),
        ("$.a[-1]", PathError::NotReference),
        ("$$.a", PathError::Context),
        ("a", PathError::Start),
    ] {
        assert_eq!(ReferencePath::parse(path), Err(expected), "{path}");
    }
}

#[test]
fn only_a_path_to_the_execution_s_input_makes_the_context_hold_it() {
    for (path, expected) in [
        ("$$", true),
        ("$$.Execution", true),
        ("$$.Execution.Input.a", true),
        ("$$.*.Input", true),
        ("$$..a", true),
        ("$$.*.Name", false),
        ("$$.Execution.Name", false),
        ("$$.State.EnteredTime", false),
        ("$.Execution.Input", false),
    ] {
        assert_eq!(Path::parse(path).unwrap().reads_execution_input(), expected, "{path}");
    }
}

#[test]
fn a_filter_keeps_the_items_that_pass() {
    let data = json!({ "l": [
        { "n": 1, "s": "x", "t": true },
        { "n": 2.0, "s": "y", "o": { "d": [5] } },
        { "n": "2", "z": null },
        7,
    ] });
    for (filter, expected) in [
        ("@.n == 1", json!([0])),
        ("@.n == 2", json!([1])),
        ("@.n != 2", json!([0, 2, 3])),
        ("@.n<2", json!([0])),
        ("@.n<=2", json!([0, 1])),
        ("@.n > 1", json!([1])),
        ("1.5 >= @.n", json!([0])),
        ("@.s == 'x'", json!([0])),
        ("@.s >= \"x\"", json!([0, 1])),
        ("@.s > 1", json!([])),
        ("@.t == true", json!([0])),
        ("@.z == null", json!([2])),
        ("@.z", json!([2])),
        ("!@.n", json!([3])),
        ("@ == 7", json!([3])),
        ("@['o']['d'][0] == 5", json!([1])),
        ("@.n == 1 || @.s == 'y' && @.o", json!([0, 1])),
        ("(@.n == 1 || @.s == 'y') && @.o", json!([1])),
        ("!(@.n == 1) && @.s", json!([1])),
    ] {
        let items = data["l"].as_array().unwrap();
        let expected: Vec<Value> = expected
            .as_array()
            .unwrap()
            .iter()
            .map(|index| items[usize::try_from(index.as_u64().unwrap()).unwrap()].clone())
            .collect();
        let path = format!("$.l[?({filter})]");
        assert_eq!(select(&path, &data), Some(Value::Array(expected)), "{path}");
    }
    assert_eq!(
        select("$.l[?(@.n == 1)].s", &data),
        Some(json!(["x"])),
        "steps may follow"
    );
    assert_eq!(
        select("$..[?(@.d)].d[0]", &data),
        Some(json!([5])),
        "an object passes as a whole"
    );
    assert_eq!(select("$.l[?(@.n == 9)]", &data), Some(json!([])));
}
