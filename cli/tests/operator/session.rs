//! The session of the README, as it runs: an outage, and the person who is called at night.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use regex_lite::Regex;
use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinHandle;

use crate::common::{Said, Stage, eventually};
use crate::watch::Watch;

const BEGIN: &str = "<!-- What follows is checked: cargo test -p stepbreaker session -->\n\n";
const CALL: &str = "stepbreaker call wholesaler-stock isbn=9783161484100";

/// What stands in the README's first terminal.
struct Session<'s> {
    stage: &'s Stage,
    text: String,
}

impl Session<'_> {
    fn shell(&self, line: &str) -> Command {
        let binaries = Path::new(env!("CARGO_BIN_EXE_stepbreaker")).parent().unwrap();
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .env_clear()
            .envs(self.stage.environment())
            .env("PATH", format!("{}:/usr/bin:/bin", binaries.display()))
            .kill_on_drop(true);
        command
    }

    /// Types a line and waits for its end.
    async fn run(&mut self, line: &str) {
        let said = Said::of(&self.shell(line).output().await.unwrap());
        self.show(line, &said.out);
        assert!(said.err.is_empty(), "{line}: {said:?}");
    }

    fn show(&mut self, line: &str, said: &str) {
        let _ = writeln!(self.text, "$ {line}");
        self.text.push_str(said);
    }

    /// Types a line that goes on in the background.
    async fn begin(&mut self, line: &str) -> JoinHandle<Said> {
        let hits = self.stage.partner.hits();
        let mut command = self.shell(line);
        let call = tokio::spawn(async move { Said::of(&command.output().await.unwrap()) });
        self.stage
            .partner
            .wait_for_hits(hits + 1, Duration::from_secs(30))
            .await
            .unwrap();
        self.show(&format!("{line} &"), "");
        call
    }

    fn note(&mut self, note: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{gap}# {note}");
    }
}

/// Times differ from run to run, and with them the widths of columns.
fn timeless(text: &str) -> String {
    let replace =
        |text: &str, pattern: &str, with: &str| Regex::new(pattern).unwrap().replace_all(text, with).into_owned();
    let text = replace(text, r"(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ", "TIME");
    let text = replace(&text, r"\d+ (d|h|min|s)( \d+ (h|min|s))?\b", "SOME TIME");
    let text = replace(&text, r"\b1\d{12}\b", "EPOCH");
    replace(&text, r" {2,}", "  ")
}

#[test]
fn only_times_are_taken_out_of_a_session() {
    assert_eq!(
        timeless("open for 9 min 59 s more   3 of 5, 12:34:56Z, 2026-12-01T00:00:01Z"),
        "open for SOME TIME more  3 of 5, TIME, TIME"
    );
    assert_eq!(
        timeless("isbn=9783161484100 (epoch 1790000000000)"),
        "isbn=9783161484100 (epoch EPOCH)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_session_of_the_readme_is_what_happens() {
    let stage = Stage::start_with(|policy| {
        policy["trip"] = json!({ "failures": 5, "windowMs": 60_000 });
        policy["open"] = json!({ "forMs": 10_000 });
    })
    .await;
    let watch = Watch::start(&stage, &[]);
    watch.wait_for(1, "closed").await;
    let mut session = Session {
        stage: &stage,
        text: String::new(),
    };

    session.run("stepbreaker status").await;

    session.note("The partner answers nothing but 503 now. Six customers ask:");
    stage.play(&json!([{ "answer": { "status": 503 } }]));
    session
        .run(&format!("for i in 1 2 3 4 5 6; do {CALL} | grep x-circuit; done"))
        .await;
    watch.wait_for(2, "open for ").await;
    session.run("stepbreaker status").await;

    session.note("The wait is over. The next customer's call is the probe, and the partner takes its time:");
    watch.wait_for(3, "the next call is the probe").await;
    stage.play(&json!([{ "hang": { "answer": { "body": "{\"deliveryDays\": 2}" } } }]));
    let probe = session.begin(CALL).await;
    watch.wait_for(4, "a probe is under way").await;

    session.note("The partner has called: it will be down for ten minutes more. The probe is still out.");
    session
        .run("stepbreaker open wholesaler-stock --for 10m --reason 'the partner restarts'")
        .await;
    watch.wait_for(5, "forced open for ").await;

    session.note("The probe comes back, and its customer gets an answer. A success, but nothing automatic lifts what was forced:");
    stage.partner.release();
    let answered = probe.await.unwrap().ended(0);
    session.text.push_str(&answered.out);
    eventually("the probe to be recorded", || async {
        (stage.standing().await["state"] == "closed").then_some(())
    })
    .await;
    session.run("stepbreaker status wholesaler-stock").await;
    session.run(&format!("{CALL} | grep x-circuit")).await;

    session.note("It has recovered earlier than it said:");
    stage.play(&json!([{ "answer": { "body": "{\"deliveryDays\": 2}" } }]));
    session.run("stepbreaker auto wholesaler-stock").await;
    session.run(&format!("{CALL} | grep x-circuit")).await;
    watch.wait_for(6, "closed").await;

    let mut watched = "$ stepbreaker status --watch | tee -a night.log\n".to_owned();
    for line in watch.end().await {
        let _ = writeln!(watched, "{line}");
    }
    let made = format!(
        "{BEGIN}```console\n{}```\n\nMeanwhile, in a second terminal:\n\n```console\n{watched}```\n",
        session.text
    );
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let shown = readme.find(BEGIN).map_or("", |start| &readme[start..]);
    assert!(
        timeless(shown).starts_with(&timeless(&made)),
        "README.md does not show what happens, which is\n\n{made}"
    );
}
