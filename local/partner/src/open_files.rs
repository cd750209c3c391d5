//! Room for many connections.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Lets this process hold at least `files` open files and sockets, or as many as its hard limit allows. Many systems start
/// a process with 1,024 (macOS: 256), which 1,000 connections with both their ends in it exceed.
///
/// # Errors
///
/// The system's, when the limit can't be read or set.
pub fn allow_open_files(files: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < files {
        setrlimit(Resource::RLIMIT_NOFILE, files.min(hard), hard)?;
    }
    Ok(())
}
