//! One event as bytes, and back.

mod mark;
mod replay;
mod writer;

pub(super) use replay::replay;
pub(super) use writer::write;
