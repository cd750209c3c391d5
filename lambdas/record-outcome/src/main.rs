//! Records what came of a call; every transition of the breaker that a call causes.

fn main() {}
