//! What the command takes from, and says to, a terminal.

mod announcement;
mod environment;
mod log;
mod options;

pub(crate) use announcement::announce;
pub(crate) use log::{LogFormat, start_log};
pub(crate) use options::Options;
