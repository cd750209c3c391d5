//! Writes the schema of a policy file: `cargo run -p policy --example schema > statemachine/policy.schema.json`
// It prints, because its output is the file.
#![allow(clippy::print_stdout)]

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&policy::schema())?);
    Ok(())
}
