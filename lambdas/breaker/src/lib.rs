//! The breaker protocol: pure decisions and conditional updates as data.

pub mod policy;
