//! Grants or refuses the half-open probe's lease.

fn main() {}
