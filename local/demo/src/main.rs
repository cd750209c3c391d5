//! The demo: an outage, told on a terminal and checked against the partner's own log.

fn main() {}
