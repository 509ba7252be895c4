//! Starts programs and prints what it starts.

use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, bail};

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Prints a command and runs it to its end.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<ExitStatus> {
    announce(command);
    command.stdin(Stdio::null()).status().with_context(|| format!("cannot start {:?}", command.get_program()))
}

/// Prints a command, runs it to its end, and fails unless it succeeds.
pub(crate) fn must(command: &mut Command) -> anyhow::Result<()> {
    let status = run(command)?;
    if !status.success() {
        bail!("{:?} failed: {status}", command.get_program());
    }
    Ok(())
}

/// Prints the command that is about to run.
pub(crate) fn announce(command: &Command) {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program);
    eprintln!("==> {program} {}", words.join(" "));
}
