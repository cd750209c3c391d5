//! The control routes, on the library's handle and on the program.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::raw::{DEADLINE, End, Raw};
use scripted_partner::{Answer, How, Listen, Log, Partner};

fn control(address: SocketAddr, method: &str, path: &str, body: &str) -> (String, String) {
    let mut raw = Raw::connect(address);
    raw.send(&format!(
        "{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    let (head, body) = raw.answer();
    (head.split(' ').nth(1).unwrap().to_owned(), body)
}

fn log(address: SocketAddr) -> Log {
    serde_json::from_str(&control(address, "GET", "/_log", "").1).unwrap()
}

fn controlled() -> (Partner, SocketAddr) {
    let partner = Partner::start_at(
        Listen {
            control_port: Some(0),
            ..Listen::default()
        },
        Answer::default(),
    )
    .unwrap();
    let address = partner.control_address().unwrap();
    (partner, address)
}

#[tokio::test]
async fn a_script_put_on_the_control_port_is_played_and_the_log_can_be_read() {
    let (partner, address) = controlled();
    assert_eq!(
        control(
            address,
            "PUT",
            "/_script",
            r#"[{"answer": {"status": 500, "body": "{{nonce}}"}}]"#
        )
        .0,
        "204"
    );
    let mut raw = Raw::connect(partner.address());
    raw.get("/x");
    let (head, body) = raw.answer();
    assert!(head.starts_with("HTTP/1.1 500 "));
    partner.wait_until_idle(DEADLINE).await.unwrap();
    let log = log(address);
    assert_eq!((log.hits, log.under_way, log.max_concurrent), (1, 0, 1));
    assert_eq!(
        (log.entries[0].nonce.as_str(), log.entries[0].path.as_str()),
        (body.as_str(), "/x")
    );
    assert_eq!(log, partner.log(), "what the handle says");
}

#[tokio::test]
async fn control_requests_are_no_hits() {
    let (partner, address) = controlled();
    log(address);
    assert_eq!((log(address).hits, partner.hits()), (0, 0));
}

#[tokio::test]
async fn a_release_over_the_control_port_lets_go_what_is_held() {
    let (partner, address) = controlled();
    control(address, "PUT", "/_script", r#"[{"hang": true}]"#);
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    partner.wait_for_hits(1, DEADLINE).await.unwrap();
    assert_eq!(control(address, "POST", "/_release", "").0, "204");
    assert!(raw.answer().0.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn a_cleared_log_keeps_what_is_under_way() {
    let (partner, address) = controlled();
    let mut raw = Raw::connect(partner.address());
    raw.get("/over");
    raw.answer();
    control(address, "PUT", "/_script", r#"[{"hang": true}]"#);
    raw.get("/hangs");
    partner.wait_for_hits(2, DEADLINE).await.unwrap();
    assert_eq!(control(address, "DELETE", "/_log", "").0, "204");
    let log = log(address);
    assert_eq!((log.hits, log.under_way, log.max_concurrent), (1, 1, 1));
    assert_eq!(
        log.entries
            .iter()
            .map(|entry| (entry.seq, entry.how))
            .collect::<Vec<_>>(),
        [(2, How::UnderWay)]
    );
}

#[tokio::test]
async fn a_script_that_is_none_is_refused_and_the_old_one_goes_on() {
    let (partner, address) = controlled();
    let (status, body) = control(address, "PUT", "/_script", r#"[{"anwser": {}}]"#);
    assert_eq!(status, "400");
    assert!(body.contains("unknown field `anwser`"), "{body}");
    assert_eq!(control(address, "GET", "/", "").0, "404");
    let mut raw = Raw::connect(partner.address());
    raw.get("/");
    assert!(raw.answer().0.starts_with("HTTP/1.1 200 "));
}

/// The program, ended when the test is.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scripted-partner"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn the_program_says_where_it_listens_and_plays_its_script() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, r#"[{"reset": true}, {"answer": {"status": 418}}]"#).unwrap();
    let arguments = [
        "--port",
        "0",
        "--control-port",
        "0",
        "--script",
        script.to_str().unwrap(),
    ];
    let mut program = Program(program(&arguments).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(program.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = |key: &str| {
        ready[key]
            .as_str()
            .unwrap()
            .strip_prefix("http://")
            .unwrap()
            .parse()
            .unwrap()
    };
    let mut raw = Raw::connect(address("partner"));
    raw.get("/");
    assert_eq!(raw.read_to_end(DEADLINE).1, End::Reset);
    let mut raw = Raw::connect(address("partner"));
    raw.get("/");
    assert!(raw.answer().0.starts_with("HTTP/1.1 418 "));
    assert_eq!(log(address("control")).hits, 2);
}

#[test]
fn the_program_names_the_file_that_it_cannot_play_and_the_port_that_is_taken() {
    let output = program(&["--script", "/no/such/script.json"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && message.contains("/no/such/script.json"),
        "{message}"
    );
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = program(&["--port", &port, "--control-port", "0"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && message.contains(&port), "{message}");
}

#[test]
fn a_silent_client_of_the_control_port_holds_nobody_up() {
    let (_partner, address) = controlled();
    let mut silent = Raw::connect(address);
    assert_eq!(log(address).hits, 0);
    assert_eq!(silent.read_to_end(Duration::from_millis(20)).1, End::Silence);
}
