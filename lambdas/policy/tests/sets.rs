//! Directories of policies, and the rules between policies.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use policy::{Policy, load, load_dir, set};
use serde_json::json;

/// A directory that goes away with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stepbreaker-policy-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(circuit: &str, path: Option<&str>) -> String {
    let names: Vec<&str> = path
        .unwrap_or_default()
        .split('/')
        .filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'))
        .collect();
    let mut file = json!({
        "circuit": circuit,
        "params": names.iter().map(|name| ((*name).to_owned(), json!("a"))).collect::<serde_json::Map<_, _>>(),
        "call": {"url": "http://127.0.0.1:9/"},
        "fallback": {"body": null}
    });
    if let Some(path) = path {
        file["route"] = json!({"path": path});
    }
    file.to_string()
}

fn policy(circuit: &str, path: Option<&str>) -> Policy {
    policy::parse(Path::new(&format!("{circuit}.json")), &text(circuit, path)).unwrap()
}

fn refused(policies: &[Policy]) -> Vec<String> {
    match set::check(policies, Path::new("circuits")) {
        Ok(()) => Vec::new(),
        Err(refused) => refused.problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn shipped_policies_are_sound() {
    let policies = load_dir(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../statemachine/circuits"
    )))
    .unwrap();
    assert!(policies.iter().any(|policy| policy.circuit() == "wholesaler-stock"));
}

#[test]
fn directory_is_loaded_in_the_order_of_names_and_other_files_are_left_alone() {
    let directory = Directory::new("order");
    for name in ["b", "c", "a"] {
        directory.write(&format!("{name}.json"), &text(name, None));
    }
    directory.write("README.md", "#");
    directory.write(".a.json", "{");
    let policies = load_dir(&directory.0).unwrap();
    let names: Vec<&str> = policies.iter().map(Policy::circuit).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn problems_of_all_files_and_of_the_set_come_together() {
    let directory = Directory::new("all");
    directory.write("a.json", &text("a", Some("/x/{p}")));
    directory.write("b.json", "{");
    directory.write("c.json", &text("d", None));
    directory.write("e.json", &text("e", Some("/x/{q}")));
    let problems = load_dir(&directory.0).unwrap_err().problems;
    let files: Vec<_> = problems
        .iter()
        .map(|it| it.file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, ["b.json", "c.json", "e.json", "e.json"]);
}

#[test]
fn directory_that_is_empty_or_missing_is_refused() {
    let directory = Directory::new("empty");
    assert!(
        load_dir(&directory.0)
            .unwrap_err()
            .to_string()
            .contains("has no policy; allowed: one file")
    );
    assert!(
        load_dir(&directory.0.join("none"))
            .unwrap_err()
            .to_string()
            .contains("can't be read")
    );
    assert!(
        load(&directory.0.join("none.json"))
            .unwrap_err()
            .to_string()
            .contains("none.json: can't be read")
    );
    directory.write("latin.json", "");
    fs::write(directory.0.join("latin.json"), b"{\"a\": \"\xe4\"}").unwrap();
    assert!(
        load(&directory.0.join("latin.json"))
            .unwrap_err()
            .to_string()
            .contains("can't be read")
    );
    fs::write(directory.0.join("large.json"), vec![b' '; 262_145]).unwrap();
    assert!(
        load(&directory.0.join("large.json"))
            .unwrap_err()
            .to_string()
            .contains("at most 262144 bytes")
    );
    fs::create_dir(directory.0.join("folder.json")).unwrap();
    assert!(
        load(&directory.0.join("folder.json"))
            .unwrap_err()
            .to_string()
            .contains("is no regular file")
    );
}

#[test]
fn a_file_name_means_nothing_to_a_terminal() {
    let said = load(Path::new("none\u{1b}[31m\nb.json")).unwrap_err().to_string();
    assert!(said.starts_with("none\\u{1b}[31m\\nb.json: can't be read"), "{said}");
}

#[test]
fn two_circuits_on_one_route_are_refused() {
    let same = refused(&[policy("a", Some("/x/{p}/y")), policy("b", Some("/x/{p}/y"))]);
    assert_eq!(
        same,
        ["b.json: route.path: is GET /x/{p}/y, the route of \"a\" too; allowed: each route once"]
    );
    assert_eq!(
        refused(&[policy("a", Some("/x")), policy("b", Some("/y"))]),
        Vec::<String>::new()
    );
}

#[test]
fn two_parameters_at_one_level_are_refused() {
    let two = refused(&[policy("a", Some("/x/{p}")), policy("b", Some("/x/{q}/y"))]);
    assert_eq!(
        two,
        [
            "b.json: route.path: has {q} as segment 2, where \"a\" has {p}; allowed: one name at one level of a path, as in {p}"
        ]
    );
    for (one, other) in [
        ("/x/{p}", "/y/{q}"),
        ("/x/{p}", "/x/{p}/{q}"),
        ("/x/{p}", "/x/q"),
        ("/{p}/a", "/{p}/b"),
    ] {
        assert_eq!(
            refused(&[policy("a", Some(one)), policy("b", Some(other))]),
            Vec::<String>::new(),
            "{one} {other}"
        );
    }
}

#[test]
fn one_name_twice_is_refused() {
    assert_eq!(
        refused(&[policy("a", None), policy("a", None)]),
        ["a.json: circuit: is \"a\", as in a.json; allowed: each circuit once"]
    );
}

#[test]
fn more_circuits_than_an_api_holds_are_refused() {
    let set = |count: usize| (0..count).map(|it| policy(&format!("c{it}"), None)).collect::<Vec<_>>();
    assert_eq!(refused(&set(149)), Vec::<String>::new());
    let refusal = refused(&set(150));
    assert_eq!(
        refusal,
        [
            "circuits: needs 302 resources of an API for 150 circuits and their routes; allowed: at most 300: deploy some of \
          them as another API"
        ]
    );
    // A route's resources count, shared ones once.
    let mut routed = set(147);
    routed[0] = policy("c0", Some("/x/{p}"));
    routed[1] = policy("c1", Some("/x/{p}/y/z"));
    assert_eq!(refused(&routed), Vec::<String>::new());
    routed[2] = policy("c2", Some("/x/{p}/y/a"));
    assert_eq!(refused(&routed).len(), 1);
}
