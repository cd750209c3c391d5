use super::*;
use crate::behaviour::Phase;

fn script(text: &str) -> Script {
    serde_json::from_str(text).unwrap()
}

fn refusal(text: &str) -> String {
    serde_json::from_str::<Script>(text).unwrap_err().to_string()
}

fn names(playing: &mut Playing, path: &str, requests: usize) -> Vec<&'static str> {
    (0..requests).map(|_| playing.on_request(path).name()).collect()
}

#[test]
fn steps_come_in_order_as_often_as_they_say_and_the_last_one_for_ever() {
    let mut playing = Playing::new(script(
        r#"[{"answer": {}, "times": 2}, {"reset": true}, {"hang": true}]"#,
    ));
    assert_eq!(
        names(&mut playing, "/", 6),
        ["answer", "answer", "reset", "hang", "hang", "hang"]
    );
}

#[test]
fn a_step_of_no_times_is_skipped() {
    let mut playing = Playing::new(script(r#"[{"hang": true, "times": 0}, {"answer": {}}]"#));
    assert_eq!(names(&mut playing, "/", 2), ["answer", "answer"]);
}

#[test]
fn a_path_with_steps_of_its_own_leaves_the_others_where_they_are() {
    let text = r#"{"steps": [{"answer": {}}, {"reset": true}], "paths": {"/slow": [{"hang": true}]}}"#;
    let mut playing = Playing::new(script(text));
    assert_eq!(names(&mut playing, "/slow", 2), ["hang", "hang"]);
    assert_eq!(names(&mut playing, "/", 2), ["answer", "reset"]);
}

#[test]
fn no_step_is_the_healthy_partner() {
    assert_eq!(Playing::new(script("[]")).on_request("/"), Behaviour::healthy());
}

#[test]
fn only_a_step_on_accept_is_taken_before_the_request() {
    let mut playing = Playing::new(script(r#"[{"reset": "on-accept"}, {"reset": "before-headers"}]"#));
    assert_eq!(playing.on_accept(), Some(Behaviour::reset(Phase::OnAccept)));
    assert_eq!(playing.on_accept(), None);
    assert_eq!(playing.on_request("/"), Behaviour::reset(Phase::BeforeHeaders));
}

#[test]
fn a_script_reads_back_as_it_was_written() {
    let every_form = r#"{"steps": [
        {"answer": {"status": 404, "contentType": null, "body": "", "headers": {"a": "b"}, "afterMs": 5, "held": true}},
        {"answer": {"body": {"base64": "AP8="}, "framing": "close"}},
        {"answer": {"body": {"repeat": "x", "times": 9}, "encoding": "gzip", "framing": "chunked"}},
        {"hang": true}, {"hang": "after-headers"}, {"hang": {"at": "in-body", "answer": {"body": "abc"}}},
        {"reset": "on-accept", "times": 3}, {"truncate": {"afterBytes": 2}},
        {"drip": {"bytes": 1, "everyMs": 20, "headers": true}}, {"raw": "no HTTP at all"}
    ], "paths": {"/x": [{"reset": true}]}}"#;
    let read = script(every_form);
    assert_eq!(read.steps.len(), 10);
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(script(&written), read);
}

#[test]
fn what_a_script_cannot_mean_is_refused_in_words() {
    assert!(refusal(r#"[{"answer": {}, "hang": true}]"#).contains("exactly one of"));
    assert!(refusal(r#"[{"times": 2}]"#).contains("exactly one of"));
    assert!(refusal(r#"[{"answer": {"stauts": 500}}]"#).contains("unknown field `stauts`"));
    assert!(refusal(r#"[{"hang": false}]"#).contains("true, a phase, or"));
    assert!(refusal(r#"[{"reset": "in-between"}]"#).contains("unknown variant `in-between`"));
    assert!(refusal(r#"[{"answer": {"body": 7}}]"#).contains("a text"));
    assert!(refusal(r#"[{"answer": {"body": {"base64": "?"}}}]"#).contains("a text"));
    assert!(refusal(r#"[{"truncate": {"answer": {"body": ""}}}]"#).contains("needs a body"));
    assert!(refusal(r#"[{"reset": {"at": "in-headers", "afterBytes": 3}}]"#).contains("say `in-body`"));
    assert!(refusal(r#""hang""#).contains("a list of steps"));
}
