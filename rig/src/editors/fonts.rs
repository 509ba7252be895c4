//! Fonts of a tree, for programs that draw on no terminal: those of the machine would change the pictures.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::sandbox::Sandbox;

/// The settings of a sandbox, which fontconfig reads from where `FONTCONFIG_FILE` says.
pub(super) fn settings_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.run().join("fonts.conf")
}

/// Writes settings by which programs know only the fonts in `directory`.
pub(super) fn write_settings(sandbox: &Sandbox, directory: &Path) -> Result<()> {
    let alias = |family: &str, font: &str| {
        format!("<alias><family>{family}</family><prefer><family>{font}</family></prefer></alias>")
    };
    let settings = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"urn:fontconfig:fonts.dtd\"><fontconfig>\
         <dir>{}</dir><cachedir>{}</cachedir>{}{}</fontconfig>\n",
        directory.display(),
        sandbox.run().join("fonts").display(),
        alias("monospace", "DejaVu Sans Mono"),
        alias("sans-serif", "DejaVu Sans"),
    );
    Ok(fs::write(settings_file(sandbox), settings)?)
}
