//! `open`, `close`, `dry-run`, `auto` and `reset`: a person's writes. Each is made on the item that was shown, under its
//! epoch; where that is not the item any more, nothing is written.

use std::io::{BufRead, IsTerminal, Write};

use breaker::clock::Timestamp;
use breaker::decision::{Forcing, force, lift, reset};
use breaker::item::{Item, Override};
use breaker::update::{Update, Written};

use crate::circuits::{Circuits, now};
use crate::connection::Connection;
use crate::error::CommandError;
use crate::identity::caller;
use crate::options::{ConnectionOptions, ForceOptions, LiftOptions};
use crate::paint::{Colour, Paint};
use crate::report::Shown;
use crate::standing::{forced_word, time_of_day};

/// Forces a circuit.
///
/// # Errors
/// It is not found, has changed, or the table could not be read or written.
pub(crate) async fn set(
    connection: &ConnectionOptions,
    options: &ForceOptions,
    kind: Override,
) -> Result<(), CommandError> {
    let connected = Connection::open(connection).await?;
    let person = Person::meet(connection, &connected, &options.on).await?;
    let by = caller(&connected, options.by.as_deref()).await;
    let what = forced_word(kind);
    person
        .write(what, |shown, now| {
            let lasts_ms = options
                .lasts
                .map(|lasts| u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX));
            let forcing = Forcing {
                kind,
                until: lasts_ms.map(|lasts_ms| now.plus_ms(lasts_ms)),
                by: by.clone(),
                reason: options.reason.clone(),
            };
            force(shown, &forcing, now)
        })
        .await
}

/// Lifts what was forced.
///
/// # Errors
/// As [`set`].
pub(crate) async fn auto(connection: &ConnectionOptions, options: &LiftOptions) -> Result<(), CommandError> {
    let connected = Connection::open(connection).await?;
    let person = Person::meet(connection, &connected, options).await?;
    if !person.item.has_override() {
        say(&format!(
            "{}: nothing is forced, and nothing was written",
            options.circuit
        ))?;
        return Ok(());
    }
    person.write("automatic again", lift).await
}

/// Closes a circuit and forgets its failures.
///
/// # Errors
/// As [`set`]; and where its policy is not known, because that says which slices of time failures may still be counted in.
pub(crate) async fn close_anew(connection: &ConnectionOptions, options: &LiftOptions) -> Result<(), CommandError> {
    let connected = Connection::open(connection).await?;
    let person = Person::meet(connection, &connected, options).await?;
    let machine = person.circuits.deployed(&options.circuit)?;
    let Some(trip) = machine.trip() else {
        return Err(CommandError::Configuration {
            found: format!(
                "the policy of {} says in another way than this version knows when it opens",
                options.circuit
            ),
            allowed: "use the stepbreaker of the version that is deployed".to_owned(),
        });
    };
    person.write("reset", |shown, now| reset(&trip, shown, now)).await
}

/// The person who gives the command, with what was shown to that person.
struct Person<'o> {
    circuits: Circuits,
    circuit: &'o str,
    item: Item,
}

impl<'o> Person<'o> {
    /// Looks at the circuit, and asks before one is touched that is not found.
    async fn meet(
        connection: &ConnectionOptions,
        connected: &Connection,
        options: &'o LiftOptions,
    ) -> Result<Self, CommandError> {
        let circuits = Circuits::find(connected, connection.table.as_deref()).await?;
        let circuit = options.circuit.as_str();
        let item = circuits.table.read(circuit).await?;
        if item.is_none() && circuits.machine(circuit).is_none() && !options.yes {
            ask(&circuits, circuit)?;
        }
        let person = Self {
            item: item.unwrap_or_default(),
            circuits,
            circuit,
        };
        match options.if_epoch {
            Some(epoch) if epoch != person.item.epoch() => Err(person.changed(&person.item)),
            _ => Ok(person),
        }
    }

    async fn write(&self, what: &str, update: impl FnOnce(&Item, Timestamp) -> Update) -> Result<(), CommandError> {
        let before = self.shown(&self.item).standing;
        let update = update(&self.item, now());
        let written = self.circuits.table.write(self.circuit, &update).await;
        let written = written.map_err(|source| CommandError::Unwritten {
            circuit: self.circuit.to_owned(),
            source,
        })?;
        let after = match written {
            Written::Applied(after) => self.shown(&after.into()).standing,
            Written::Refused(found) => return Err(self.changed(&found.into())),
        };
        let out = std::io::stdout();
        let paint = Paint::for_stream(&out);
        let mut said = format!("{}: {what}", self.circuit);
        if let Some(until) = after.forced.as_ref().and_then(|forced| forced.until) {
            said += &format!(" until {}", time_of_day(until, after.now));
        }
        said += &format!("; was {}", before.said());
        if let Some(replaced) = &before.forced {
            said += &format!(" {}", replaced.explained());
        }
        say(&said)?;
        // A command that was given with something else in mind shows here.
        let now_said = match &after.forced {
            Some(forced) => format!(
                "{}, {}; underneath {}",
                after.said(),
                forced.explained(),
                after.underneath()
            ),
            None => after.said(),
        };
        say(&format!("now: {}", paint.paint(Colour::of(&after), &now_said)))
    }

    fn shown(&self, item: &Item) -> Shown {
        Shown::of(&self.circuits, self.circuit, item, now())
    }

    fn changed(&self, found: &Item) -> CommandError {
        let standing = self.shown(found).standing;
        let forced = standing
            .forced
            .as_ref()
            .map(|forced| format!(" ({})", forced.explained()));
        CommandError::Changed {
            circuit: self.circuit.to_owned(),
            now: format!(
                "{}{}, epoch {}",
                standing.said(),
                forced.unwrap_or_default(),
                standing.epoch
            ),
        }
    }
}

/// Asks whether to go on with a circuit that nobody knows; its name may be a slip.
fn ask(circuits: &Circuits, circuit: &str) -> Result<(), CommandError> {
    let missing = match &circuits.unknown {
        Some(error) => format!(
            "table {} has no item of it, and the machines can't be asked ({error})",
            circuits.table.name()
        ),
        None => format!(
            "table {} has no item of it, and no machine its policy",
            circuits.table.name()
        ),
    };
    let stdin = std::io::stdin();
    let refused = |instead: &str| Err(circuits.not_found(circuit, &missing, Some(instead)));
    if !stdin.is_terminal() {
        return refused("give --yes to write it all the same");
    }
    let error = circuits.not_found(circuit, &missing, None);
    eprint!("{error}.\nWrite to it all the same? [y/N] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        refused("nothing was written")
    }
}

fn say(line: &str) -> Result<(), CommandError> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
