//! Compressed bodies for tests.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A whole gzip stream.
pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A gzip member of a megabyte of zeros in about a kilobyte. One behind the other they never end.
pub fn gzip_without_end() -> Vec<u8> {
    gzip(&vec![0; 1_000_000])
}
