//! `status --watch`: looks again and again. On a terminal it is redrawn in place; elsewhere each change of a state is a
//! line, so that a log of them can be kept.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use crate::circuits::{Circuits, now};
use crate::error::CommandError;
use crate::options::StatusOptions;
use crate::paint::{Colour, Paint};
use crate::report::Shown;
use crate::screen::Screen;
use crate::standing::time_of_day;
use crate::status::{lines, look};
use crate::text::safe_json;

/// Shows circuits until a signal ends it. A look that fails is told and does not end it: the store may be what is down.
///
/// # Errors
/// The first look fails, or standard output can't be written to.
pub(crate) async fn watch(circuits: &Circuits, options: &StatusOptions) -> Result<(), CommandError> {
    let circuit = options.circuit.as_deref();
    // What can't work at all is better told at once.
    look(circuits, circuit).await?;
    let mut ends = Ends::new()?;
    let mut ticks = interval(options.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let on_terminal = std::io::stdout().is_terminal() && !options.json;
    let mut view = if on_terminal {
        View::Screen(Screen::enter()?, Vec::new())
    } else {
        View::Lines(BTreeMap::new(), None)
    };
    loop {
        let looked = tokio::select! {
            () = ends.any() => break,
            _ = ticks.tick() => tokio::select! {
                () = ends.any() => break,
                looked = look(circuits, circuit) => looked,
            },
        };
        let shown = looked.map(|items| Shown::all(circuits, &items, now()));
        view.show(shown, options)?;
    }
    view.leave()
}

/// What ends it: Ctrl-C, a kill, a terminal that is closed.
struct Ends([Signal; 3]);

impl Ends {
    fn new() -> std::io::Result<Self> {
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn any(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

enum View {
    /// The terminal, and what it shows.
    Screen(Screen, Vec<String>),
    /// The word last told of each circuit, and the error that was told last.
    Lines(BTreeMap<String, &'static str>, Option<String>),
}

impl View {
    fn show(&mut self, looked: Result<Vec<Shown>, CommandError>, options: &StatusOptions) -> Result<(), CommandError> {
        match self {
            Self::Screen(screen, frame) => {
                let paint = Paint::for_stream(&std::io::stdout());
                let at = now();
                match looked {
                    Ok(shown) => {
                        *frame = match &shown[..] {
                            [only] if options.circuit.is_some() => {
                                only.sheet(paint).lines().map(str::to_owned).collect()
                            }
                            _ => lines(&shown, paint),
                        };
                        let mut drawn = frame.clone();
                        drawn.push(String::new());
                        drawn.push(paint.paint(Colour::Dim, &format!("{}  Ctrl-C ends it", time_of_day(at, at))));
                        screen.draw(&drawn)?;
                    }
                    Err(error) => {
                        let mut drawn = frame.clone();
                        drawn.push(String::new());
                        drawn.push(paint.paint(Colour::Red, &format!("{}  {error}", time_of_day(at, at))));
                        screen.draw(&drawn)?;
                    }
                }
            }
            Self::Lines(told, told_error) => match looked {
                Ok(shown) => {
                    *told_error = None;
                    for shown in shown {
                        let word = shown.standing.word();
                        if told.insert(shown.circuit.clone(), word) != Some(word) {
                            tell(&shown, options.json)?;
                        }
                    }
                }
                Err(error) => {
                    let error = error.to_string();
                    if told_error.as_ref() != Some(&error) {
                        tell_error(&error, options.json)?;
                        *told_error = Some(error);
                    }
                }
            },
        }
        Ok(())
    }

    /// Gives the terminal back, and leaves on it what was shown last.
    fn leave(self) -> Result<(), CommandError> {
        if let Self::Screen(screen, frame) = self {
            drop(screen);
            let mut out = std::io::stdout().lock();
            for line in frame {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}

fn tell(shown: &Shown, as_json: bool) -> Result<(), CommandError> {
    let standing = &shown.standing;
    let mut out = std::io::stdout().lock();
    if as_json {
        let mut told = json!({ "at": standing.now.to_string() });
        if let (Some(told), serde_json::Value::Object(fields)) = (told.as_object_mut(), shown.json()) {
            told.extend(fields);
        }
        writeln!(out, "{}", safe_json(&told.to_string()))?;
    } else {
        let forced = standing
            .forced
            .as_ref()
            .map(|forced| format!(", {}", forced.explained()));
        let at = time_of_day(standing.now, standing.now);
        writeln!(
            out,
            "{at}  {}  {}{}",
            shown.circuit,
            standing.said(),
            forced.unwrap_or_default()
        )?;
    }
    Ok(out.flush()?)
}

fn tell_error(error: &str, as_json: bool) -> Result<(), CommandError> {
    let at = now();
    let mut out = std::io::stdout().lock();
    if as_json {
        let told = json!({ "at": at.to_string(), "error": error });
        writeln!(out, "{}", safe_json(&told.to_string()))?;
    } else {
        writeln!(out, "{}  {error}", time_of_day(at, at))?;
    }
    Ok(out.flush()?)
}
