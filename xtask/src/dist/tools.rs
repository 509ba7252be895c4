//! Runs the programs that make packages. Their output is shown only when they fail.

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// Runs a program that must succeed.
pub(super) fn run(command: &mut Command) -> anyhow::Result<()> {
    output(command).map(drop)
}

/// Runs a program that must succeed, and returns its output.
pub(super) fn output(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start {program}: is it installed?"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{program} failed: {}\n{said}{complaint}", output.status);
    }
    Ok(said)
}

/// Whether a program can be started.
pub(super) fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
