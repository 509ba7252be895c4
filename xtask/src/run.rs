//! Parts that several chores share: where things are, what is started and printed, and Ctrl-C.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, bail};

/// The root of the checkout.
pub(crate) fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Cargo's target directory.
pub(crate) fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

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

/// The program that an option or the variable `ALONGSIDE_BIN` names, or else the one that `cargo build` makes
/// with these arguments.
pub(crate) fn program(named: Option<&Path>, build: &[&str]) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return named.canonicalize().with_context(|| format!("cannot find the program {}", named.display()));
    }
    // The variable names another build, as in the tests.
    if std::env::var_os("ALONGSIDE_BIN").is_none() {
        must(cargo().arg("build").args(build).args(["-p", "alongside"]))?;
    }
    alongside_rig::alongside_bin()
}

/// Becomes true on Ctrl-C, which then ends nothing by itself.
pub(crate) fn interruption() -> &'static AtomicBool {
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // Without a handler, Ctrl-C ends this process at once.
        if runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok()) {
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
    });
    &INTERRUPTED
}

/// The progress of a chore, and the time it will still take if it goes on like that.
pub(crate) fn progress(started: Instant, done: usize, all: usize) -> String {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let left = started.elapsed() / count(done).max(1) * count(all - done);
    format!("[{done}/{all}, {} min left]", left.as_secs().div_ceil(60))
}
