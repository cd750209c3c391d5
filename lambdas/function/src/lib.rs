//! What the Lambda functions share: the log, the clock, their payloads and the names of their errors.

pub mod clock;
pub mod environment;
pub mod error;
pub mod log;
pub mod payload;
