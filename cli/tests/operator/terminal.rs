//! The command on a real terminal: colours, the question before something unknown is touched, and `--watch`.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::common::{CIRCUIT, Stage, eventually};

const BINARY: &str = env!("CARGO_BIN_EXE_stepbreaker");

/// The command on a terminal of its own.
struct Terminal {
    keyboard: File,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    child: Child,
}

impl Terminal {
    fn start(stage: &Stage, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let master: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let end = || Stdio::from(slave.try_clone().unwrap());
        let child = Command::new(BINARY)
            .args(arguments)
            .env_clear()
            .envs(stage.environment())
            .env("TERM", "xterm-256color")
            .envs(variables.iter().copied())
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        drop(slave);
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&shown);
        let reader = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // Linux ends a terminal whose last user has gone with an error.
            while let Ok(length @ 1..) = screen.read(&mut piece) {
                seen.lock().unwrap().extend_from_slice(&piece[..length]);
            }
        });
        Self {
            keyboard,
            shown,
            reader,
            child,
        }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    async fn wait_for(&self, text: &str) {
        eventually(text, || async { self.shown().contains(text).then_some(()) }).await;
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Waits for its end: its status, and all that it showed.
    fn end(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + Duration::from_secs(30);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                panic!("it did not end: {}", self.shown());
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        self.reader.join().unwrap();
        let shown = String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned();
        (status, shown)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_are_for_terminals_and_for_who_wants_them() {
    let stage = Stage::start().await;
    let (status, shown) = Terminal::start(&stage, &["status"], &[]).end();
    assert!(status.success() && shown.contains("\u{1b}[32mclosed"), "{shown:?}");
    for unwanted in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (status, shown) = Terminal::start(&stage, &["status"], &[unwanted]).end();
        assert!(
            status.success() && shown.contains("closed") && !shown.contains('\u{1b}'),
            "{unwanted:?}: {shown:?}"
        );
    }
    for arguments in [
        &["status"][..],
        &["status", CIRCUIT],
        &["open", CIRCUIT],
        &["history", CIRCUIT],
        &["--help"],
    ] {
        let said = stage.run(arguments).await.ended(0);
        assert!(
            !said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'),
            "{arguments:?}: {said:?}"
        );
    }
    let said = stage.run(&["open", CIRCUIT, "--for", "x"]).await.ended(2);
    assert!(!said.err.contains('\u{1b}'), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_before_something_unknown_is_touched() {
    let stage = Stage::start().await;
    for (answer, code) in [("n\n", 3), ("\n", 3), ("y\n", 0)] {
        let mut terminal = Terminal::start(&stage, &["open", "unknown"], &[]);
        terminal.wait_for("[y/N] ").await;
        terminal.keyboard.write_all(answer.as_bytes()).unwrap();
        let (status, shown) = terminal.end();
        assert_eq!(status.code(), Some(code), "{answer:?}: {shown}");
        assert_eq!(stage.item("unknown").await.is_null(), code != 0, "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_in_between_question_and_answer_is_not_overwritten() {
    let stage = Stage::start().await;
    let mut terminal = Terminal::start(&stage, &["open", "unknown"], &[]);
    terminal.wait_for("[y/N] ").await;
    let theirs = json!({ "circuit": { "S": "unknown" }, "epoch": { "N": "7" }, "override": { "S": "CLOSED" }, "overrideBy": { "S": "Bo" } });
    stage.put(theirs.clone()).await;
    terminal.keyboard.write_all(b"y\n").unwrap();
    let (status, shown) = terminal.end();
    assert_eq!(status.code(), Some(4), "{shown}");
    assert!(
        shown.contains("nothing was written. It is now forced closed until lifted (by Bo), epoch 7"),
        "{shown}"
    );
    assert_eq!(stage.item("unknown").await, theirs);
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_redraws_in_place_and_gives_the_terminal_back() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let stage = Stage::start().await;
        let terminal = Terminal::start(&stage, &["status", "--watch", "--every", "100ms"], &[("NO_COLOR", "1")]);
        terminal.wait_for("closed").await;
        stage.run(&["open", CIRCUIT, "--reason", "maintenance"]).await.ended(0);
        terminal.wait_for("forced open until lifted").await;
        terminal.signal(signal);
        let (status, shown) = terminal.end();
        assert!(status.success(), "{signal}: {shown:?}");
        assert!(
            shown.starts_with("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H"),
            "{shown:?}"
        );
        let (drawn, left) = shown
            .split_once("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
            .expect("it leaves the screen");
        assert!(drawn.matches("\u{1b}[H").count() >= 2, "{drawn:?}");
        assert!(!drawn.contains("\u{1b}[2J"), "a blank in between would flicker");
        assert!(
            left.contains("forced open until lifted") && !left.contains('\u{1b}'),
            "what was last is left: {left:?}"
        );
    }
}
