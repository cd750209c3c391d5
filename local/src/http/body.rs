//! Reading a request's body within a bound.

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// The body has more bytes than the reader accepts.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// The most bytes that were accepted.
        limit: usize,
    },
    /// The sender went away, or broke the framing.
    #[error("the body ended early")]
    Broken,
}

/// The whole body, of at most `limit` bytes (inclusive).
///
/// # Errors
/// [`BodyError::TooLarge`] without reading on, as soon as the announced or received length passes the limit.
pub(crate) async fn read(body: Incoming, limit: usize) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::TooLarge { limit });
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge { limit }),
        Err(_) => Err(BodyError::Broken),
    }
}
