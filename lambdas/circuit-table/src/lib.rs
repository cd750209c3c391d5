//! The table of circuits: conditional updates said to DynamoDB, and the only crate that names its SDK.

mod attribute;
mod connection;
mod expression;
#[cfg(feature = "reading")]
mod reading;
mod table;

pub use connection::connect;
#[cfg(feature = "reading")]
pub use reading::ReadError;
pub use table::{StoreError, Table};
