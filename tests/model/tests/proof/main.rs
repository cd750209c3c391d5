//! The protocol, proven.

mod laws;
