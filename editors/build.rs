//! Embeds the extension for VS Code, if `cargo xtask vscode` has built it. Building the extension needs npm,
//! which a person who compiles this program may not have.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let built = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("vscode/dist");
    // A package without the extension has no such directory, and cargo would take a missing path for changed.
    let watched = if built.is_dir() { built.display().to_string() } else { "build.rs".to_owned() };
    println!("cargo::rerun-if-changed={watched}");
    let vsix = built.join("alongside.vsix");
    let expression = match vsix.is_file() {
        true => format!("Some(include_bytes!({:?}))", vsix.display().to_string()),
        false => "None".to_owned(),
    };
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("vsix.in"), expression)?;
    Ok(())
}
