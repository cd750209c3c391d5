//! The function as a process, with a runtime API and stores of the test's own: what it takes of memory, what survives a
//! freeze, and what its log holds.
// A test may panic; clippy knows that of test functions, not of the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// Its other certificates are for the tests within the function.
#[allow(dead_code)]
#[path = "../../src/tests/certificates.rs"]
mod certificates;
mod function;
mod memory;
mod planted;
mod server;
#[path = "../../../../tests/tests/partner/spelling.rs"]
mod spelling;
mod stores;
mod thaw;
