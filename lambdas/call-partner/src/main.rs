//! Calls a partner once, within one deadline, and classifies what came of it.

fn main() {}
