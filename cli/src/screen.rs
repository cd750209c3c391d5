//! A terminal that is drawn on again and again.

use std::io::{self, Stdout, Write};

use rustix::termios::tcgetwinsize;

/// The terminal's other screen, without a cursor and without breaking long lines. Dropping it gives the terminal back as it
/// was.
pub(crate) struct Screen {
    out: Stdout,
}

const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

impl Screen {
    pub(crate) fn enter() -> io::Result<Self> {
        let mut screen = Self { out: io::stdout() };
        screen.out.write_all(ENTER.as_bytes())?;
        Ok(screen)
    }

    /// Draws over what is there, without a blank in between, and as many lines as there is room for.
    pub(crate) fn draw(&mut self, lines: &[String]) -> io::Result<()> {
        let rows = tcgetwinsize(&self.out).map_or(0, |size| usize::from(size.ws_row));
        let rows = if rows == 0 { usize::MAX } else { rows };
        let mut frame = "\x1b[H".to_owned();
        for (index, line) in lines.iter().take(rows).enumerate() {
            if index > 0 {
                frame += "\r\n";
            }
            frame += line;
            frame += "\x1b[K";
        }
        frame += "\x1b[J";
        self.out.write_all(frame.as_bytes())?;
        self.out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing back.
        let _ = self.out.write_all(LEAVE.as_bytes()).and_then(|()| self.out.flush());
    }
}
