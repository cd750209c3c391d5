//! `scripted-partner`: the partner as a program, for scripts and for trying things by hand.
// It tells on its standard output where it listens.
#![allow(clippy::print_stdout)]

use std::{fs, path::PathBuf};

use anyhow::Context as _;
use clap::Parser;
use scripted_partner::{Listen, Partner, Script};
use tokio::signal::unix::{SignalKind, signal};

/// A partner API that behaves, and misbehaves, as a script tells it. It listens on 127.0.0.1 only.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The partner's port; 0 for any that is free.
    #[arg(long, default_value_t = 9000)]
    port: u16,
    /// The port of PUT /_script, POST /_release, GET /_log and DELETE /_log; 0 for any that is free.
    #[arg(long, default_value_t = 9001)]
    control_port: u16,
    /// The script to begin with, as JSON; without one, every answer is a 200.
    #[arg(long)]
    script: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let script = match &arguments.script {
        Some(path) => read(path).with_context(|| format!("can't play {}", path.display()))?,
        None => Script::default(),
    };
    let mut terminate = signal(SignalKind::terminate())?;
    let listen = Listen {
        port: arguments.port,
        control_port: Some(arguments.control_port),
        ..Listen::default()
    };
    let partner = Partner::start_at(listen, script).with_context(|| {
        format!(
            "can't listen on ports {} and {}",
            arguments.port, arguments.control_port
        )
    })?;
    println!(
        "{}",
        serde_json::json!({ "partner": partner.url(""), "control": partner.control_address().map(url) })
    );
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}

fn url(address: std::net::SocketAddr) -> String {
    format!("http://{address}")
}

fn read(path: &PathBuf) -> anyhow::Result<Script> {
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}
