//! Writes `docs/model.md` and the pictures in `docs/traces`: `cargo run -p model --example traces`.
#![allow(clippy::print_stdout, reason = "it says what it wrote")]

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let pictures = model::gallery::pictures().ok_or_else(|| io::Error::other("a trace to be drawn does not exist"))?;
    fs::create_dir_all(docs.join("traces"))?;
    fs::write(docs.join("model.md"), model::document::document(&pictures))?;
    println!("docs/model.md");
    for picture in pictures {
        fs::write(docs.join("traces").join(&picture.file), &picture.svg)?;
        println!("docs/traces/{}", picture.file);
    }
    Ok(())
}
