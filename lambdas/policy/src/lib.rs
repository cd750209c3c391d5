//! The policy file of a circuit: fields, defaults, ranges, and what is refused.
