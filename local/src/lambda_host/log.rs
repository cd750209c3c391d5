//! A child's own log: each line goes to the host's log, with the function's name.

use serde_json::Value;
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

/// How much a line matters to whoever runs the system.
#[derive(Debug, PartialEq, Eq)]
enum Weight {
    Trouble,
    Warning,
    Usual,
}

impl Weight {
    /// The level that the function's log gives the line. What is no line of that log, as a panic's text, may hold anything, so
    /// it is shown to those alone who ask for it.
    fn of(line: &[u8]) -> Self {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        match line.get("level").and_then(Value::as_str) {
            Some("ERROR") => Self::Trouble,
            Some("WARN") => Self::Warning,
            _ => Self::Usual,
        }
    }
}

fn write(line: &[u8], function: &str, pid: u32) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    match Weight::of(line) {
        Weight::Trouble => tracing::error!(target: "lambda", function, pid, "{text}"),
        Weight::Warning => tracing::warn!(target: "lambda", function, pid, "{text}"),
        Weight::Usual => tracing::debug!(target: "lambda", function, pid, "{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lines_own_level_is_its_weight() {
        for (line, weight) in [
            (r#"{"level":"ERROR","message":"invocation failed"}"#, Weight::Trouble),
            (
                r#"{"level":"WARN","message":"a secret could not be read"}"#,
                Weight::Warning,
            ),
            (r#"{"level":"INFO","message":"WARN"}"#, Weight::Usual),
            (r#"{"message":"ERROR"}"#, Weight::Usual),
            (r#"["ERROR"]"#, Weight::Usual),
            ("thread 'main' panicked: ERROR", Weight::Usual),
            ("", Weight::Usual),
        ] {
            assert_eq!(Weight::of(line.as_bytes()), weight, "{line}");
        }
    }
}
