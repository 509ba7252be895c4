//! The font settings of programs that draw in windows. They use the fonts of a tree: with the machine's
//! fonts, the pictures would depend on the machine.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::sandbox::Sandbox;

/// Returns the path of a sandbox's font settings, for the variable `FONTCONFIG_FILE` of fontconfig.
pub(super) fn settings_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.run().join("fonts.conf")
}

/// Writes settings by which programs find only the fonts in `directory`.
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
