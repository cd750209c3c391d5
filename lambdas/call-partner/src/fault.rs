//! Where a call broke off, read from the client's error.
//!
//! An error of the client is a chain of errors of several crates. Only their types are looked at: their texts name
//! hosts, and change with versions.

use std::error::Error;
use std::io;

use crate::classification::{Body, Fault};

/// Why there is no head.
pub fn of_head(error: &reqwest::Error, is_https: bool) -> Fault {
    if error.is_dns() {
        Fault::Dns
    } else if chain(error).any(|error| error.is::<rustls::Error>()) {
        Fault::Tls
    } else if error.is_connect() {
        // The connection stood, and ended while TLS was being agreed on.
        let broke_off = chain(error)
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .any(|error| {
                use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
                matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
            });
        if is_https && broke_off {
            Fault::Tls
        } else {
            Fault::Connect
        }
    } else {
        match chain(error).find_map(|error| error.downcast_ref::<hyper::Error>()) {
            Some(error) if error.is_parse() => Fault::Protocol,
            _ => Fault::Reset,
        }
    }
}

/// Why a body is not complete.
pub fn of_body(error: &reqwest::Error) -> Body {
    // An error of the decoder comes alone; one of the connection brings hyper's along.
    if chain(error).any(|error| error.is::<hyper::Error>()) {
        Body::Cut
    } else {
        Body::Undecodable
    }
}

/// The error, its source, the source's source. An `io::Error` made from another error is not that error's source but
/// its wrapper: both are in the chain.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    })
}
