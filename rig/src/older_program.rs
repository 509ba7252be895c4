//! The program of an earlier commit, compiled once into the cache: the program of a person who has not
//! upgraded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::install::{InstallError, cargo_install, locked_by};

/// The commit, until a release has a tag.
const COMMIT: &str = "887c2cc93e33b6b0fe7ca798ebfe333bf71f1264";

/// Compiles the older program, if it is missing, and returns its path. It is unavailable without its commit,
/// as in a shallow clone.
pub fn older_program() -> Result<PathBuf, InstallError> {
    locked_by(".lock-older", compile)
}

fn compile(cache: &Path) -> Result<PathBuf, InstallError> {
    let home = cache.join(format!("alongside-{}", &COMMIT[..8]));
    let program = home.join("bin/alongside");
    if program.exists() {
        return Ok(program);
    }
    let source = home.join("source");
    let broken = |error: std::io::Error| InstallError::Broken(format!("{}: {error}", home.display()));
    fs::create_dir_all(&source).map_err(broken)?;
    let archive = home.join("source.tar");
    let git = Command::new("git")
        .arg("-C")
        // In a subdirectory, git would archive only that directory.
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(["archive", "--format=tar", "--output"])
        .arg(&archive)
        .arg(COMMIT)
        .stdin(Stdio::null())
        .output();
    if !git.is_ok_and(|output| output.status.success()) {
        let _ = fs::remove_dir_all(&home);
        return Err(InstallError::Unavailable(format!("git does not have the commit {}", &COMMIT[..8])));
    }
    let status = Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&source).status();
    if !status.map_err(broken)?.success() {
        return Err(InstallError::Broken(format!("tar does not read {}", archive.display())));
    }
    eprintln!("rig: compiling alongside {} into {}", &COMMIT[..8], home.display());
    let result = cargo_install(&home, ["--path".as_ref(), source.join("crates/alongside").as_path()]);
    // Only the program is needed.
    let _ = fs::remove_dir_all(&source);
    let _ = fs::remove_file(&archive);
    result.map(|()| program)
}
