//! What the demo prints, and how.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

use crate::answer::Answer;

const BODY_SHOWN: usize = 56;

/// Standard output: with colours and lines that change on a terminal, plain where it is read by something else.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    live: bool,
    colours: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Colour {
    Bold,
    Dim,
    Green,
    Yellow,
    Red,
}

impl Terminal {
    /// Asks the environment: colours only on a terminal, and only without `NO_COLOR`.
    pub fn new() -> Self {
        let live = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            live,
            colours: live && !unwanted,
        }
    }

    pub fn colour(self, colour: Colour, text: &str) -> String {
        if !self.colours {
            return text.to_owned();
        }
        let code = match colour {
            Colour::Bold => 1,
            Colour::Dim => 2,
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Red => 31,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    pub fn title(self, text: &str) {
        println!("{}", self.colour(Colour::Bold, text));
    }

    pub fn heading(self, text: &str) {
        println!("\n{}", self.colour(Colour::Bold, text));
    }

    pub fn line(self, text: &str) {
        println!("  {text}");
    }

    pub fn fact(self, name: &str, value: &str) {
        println!("  {name:<12} {value}");
    }

    /// A line for a request.
    pub fn answer(self, answer: &Answer) {
        let colour = match answer.reason.as_str() {
            "live" => Colour::Green,
            "open" | "probe-busy" => Colour::Yellow,
            _ => Colour::Red,
        };
        let number = format!("#{}", answer.number);
        println!(
            "  {number:>4}  {}  {:>9}  x-circuit: {}  {}",
            answer.status,
            milliseconds(answer.took),
            self.colour(colour, &format!("{:<10}", answer.reason)),
            self.colour(Colour::Dim, &shortened(&answer.body)),
        );
    }

    /// Waits until then, and says so.
    pub async fn wait(self, what: &str, until: Instant) {
        let left = || until.saturating_duration_since(Instant::now());
        if !self.live {
            println!("  {what}: {:.1} s to wait", left().as_secs_f64());
            tokio::time::sleep(left()).await;
            return;
        }
        while !left().is_zero() {
            print!("\r\x1b[K  {what}: {:.1} s to wait", left().as_secs_f64());
            // A terminal that can't be written to shows nothing; the story goes on.
            let _ = io::stdout().flush();
            tokio::time::sleep(left().min(Duration::from_millis(100))).await;
        }
        println!("\r\x1b[K  {what}: over");
    }
}

/// A time as it is shown, with as many digits as tell something.
pub fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    let digits = match ms {
        ..1.0 => 2,
        ..10.0 => 1,
        _ => 0,
    };
    format!("{ms:.digits$} ms")
}

fn shortened(body: &str) -> String {
    let one_line: String = body.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if one_line.chars().count() <= BODY_SHOWN {
        return one_line;
    }
    let shown: String = one_line.chars().take(BODY_SHOWN - 1).collect();
    format!("{shown}…")
}
