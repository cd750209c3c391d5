//! Colours: only on a terminal, and only for who wants them (<https://no-color.org>).

use std::io::IsTerminal;

use breaker::item::Override;

use crate::standing::{Phase, Standing};

/// A way to stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Bold,
    Dim,
    Green,
    Yellow,
    Red,
}

impl Colour {
    /// A circuit's state at a glance: calls go through, somebody tries, or nobody calls.
    pub(crate) fn of(standing: &Standing) -> Self {
        match (standing.forced.as_ref().map(|forced| forced.kind), standing.phase) {
            (Some(Override::Open), _) => Self::Red,
            (Some(_), _) => Self::Yellow,
            (None, Phase::Closed) => Self::Green,
            (None, Phase::Open { .. }) => Self::Red,
            (None, Phase::HalfOpen | Phase::Probing { .. }) => Self::Yellow,
        }
    }
}

/// Whether a stream gets colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(bool);

impl Paint {
    pub(crate) fn for_stream(stream: &impl IsTerminal) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self(stream.is_terminal() && !unwanted && !dumb)
    }

    pub(crate) fn paint(self, colour: Colour, text: &str) -> String {
        if !self.0 {
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
}
