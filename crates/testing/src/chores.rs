//! Parts that the chores share, in `xtask` and in the rig's own program: directories, and commands that are
//! printed before they start.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, bail};

/// Returns the root of the checkout.
pub fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Returns Cargo's target directory.
pub fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Returns the directory of everything that the rig installs. `None` if neither `XDG_CACHE_HOME` nor `HOME`
/// is an absolute path.
pub fn cache_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("alongside-rig"))
}

/// Has `make` fill a directory that is missing, and returns its path. `make` fills a directory with another
/// name, which is renamed at the end, so that an interrupted run leaves no unfinished directory.
///
/// # Errors
/// When `make` fails, or the directory cannot be renamed.
pub fn fill_directory_once(
    directory: PathBuf,
    make: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<PathBuf> {
    if !directory.is_dir() {
        let unfinished = PathBuf::from(format!("{}.half", directory.display()));
        let _ = std::fs::remove_dir_all(&unfinished);
        make(&unfinished)?;
        std::fs::rename(&unfinished, &directory)
            .with_context(|| format!("cannot rename {}", unfinished.display()))?;
    }
    Ok(directory)
}

/// Returns a command of the cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the program of a crate in this release, which cargo installs once for all checkouts.
///
/// # Errors
/// When there is no cache directory, or cargo cannot install the crate.
pub fn cargo_program(name: &str, release: &str, options: &[&str]) -> anyhow::Result<PathBuf> {
    let cache = cache_directory().with_context(|| format!("there is no cache directory for {name}"))?;
    let root = cache.join(format!("{name}-{release}"));
    let program = root.join("bin").join(name);
    if !program.is_file() {
        let install = ["install", name, "--locked", "--version", release];
        run_to_success(cargo().args(install).args(options).arg("--root").arg(&root))?;
    }
    Ok(program)
}

/// Prints the command that is about to run.
#[allow(clippy::print_stderr)]
pub fn announce(command: &Command) {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program);
    eprintln!("==> {program} {}", words.join(" "));
}

/// Prints a command and runs it to its end. Returns its exit status.
///
/// # Errors
/// When the command does not start.
pub fn run(command: &mut Command) -> anyhow::Result<ExitStatus> {
    announce(command);
    command.stdin(Stdio::null()).status().with_context(|| format!("cannot start {:?}", command.get_program()))
}

/// Prints a command and runs it to its end.
///
/// # Errors
/// When the command does not start, or fails.
pub fn run_to_success(command: &mut Command) -> anyhow::Result<()> {
    let status = run(command)?;
    if !status.success() {
        bail!("{:?} failed: {status}", command.get_program());
    }
    Ok(())
}
