//! The whole system in one process.

fn main() {}
