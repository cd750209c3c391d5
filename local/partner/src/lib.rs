//! A partner API that behaves, and misbehaves, as a script tells it.
//!
//! What a breaker protects against happens below HTTP: a connection that is accepted and never answered, a reset between
//! two headers, a body that stops half way. A server built on an HTTP library can't do these, so this one speaks
//! HTTP/1.1 on the socket itself, on loopback only.
//!
//! A [`Script`] says what each request meets; it is data, so that a test case can carry it:
//!
//! ```json
//! [ {"answer": {"body": "{\"deliveryDays\":2}"}, "times": 3},
//!   {"hang": true} ]
//! ```
//!
//! The partner keeps its own log ([`Entry`]): what arrived when, when the first byte of the answer left, how it ended.
//! It is written by one thread, which also reads and writes every connection; so the order in the log is the order in
//! which things happened, and "nothing arrived before the first answer was sent" can be read off it.

mod answer;
mod behaviour;
mod connection;
mod control;
mod journal;
mod open_files;
mod partner;
mod performance;
mod script;
mod server;

pub use answer::{Answer, Body, Encoding, Framing};
pub use behaviour::{Behaviour, Cut, Drip, Phase};
pub use journal::{Entry, How, Log, Stamp};
pub use open_files::allow_open_files;
pub use partner::{Listen, NotInTime, Partner};
pub use script::{Script, Step};
