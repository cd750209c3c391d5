//! A child's own log: each line goes to the host's log, with the function's name.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Longer lines are cut: a child that never writes a line break must not fill the host's memory.
const LINE_LIMIT: usize = 16 * 1024;

/// Reads a child's pipe to its end, so that the child never blocks on a full one.
pub(super) async fn forward(pipe: impl AsyncRead + Unpin, function: String, pid: u32) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        let consumed = match reader.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    keep(&mut line, &bytes[..end]);
                    write(&line, &function, pid);
                    line.clear();
                    end + 1
                }
                None => {
                    keep(&mut line, bytes);
                    bytes.len()
                }
            },
        };
        reader.consume(consumed);
    }
    if !line.is_empty() {
        write(&line, &function, pid);
    }
}

fn keep(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LINE_LIMIT.saturating_sub(line.len());
    line.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

fn write(line: &[u8], function: &str, pid: u32) {
    tracing::debug!(target: "lambda", function, pid, "{}", String::from_utf8_lossy(line).trim_end());
}
