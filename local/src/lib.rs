//! The whole system in one process.

mod http;
pub mod lambda_host;
