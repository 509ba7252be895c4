//! Tries a static program in a root directory that has nothing else in it: no C library, no shell.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::cargo_options::commit;
use super::tools;

/// Runs the demo of a program there.
///
/// # Errors
/// When the demo fails. Without the right to change the root directory, it is skipped with a message.
pub(super) fn run(program: &Path, targets: &Path) -> anyhow::Result<()> {
    println!("==> a root directory with the static program alone");
    let unshare = ["--mount", "--pid", "--fork", "--kill-child"];
    if let Err(why) = tools::run(Command::new("unshare").args(unshare).args(["chroot", "/", "true"])) {
        println!("SKIPPED: this machine allows no other root directory: {why:#}");
        return Ok(());
    }
    let root = targets.join(format!("bare-trial-{}", std::process::id()));
    fs::create_dir_all(root.join("tmp"))?;
    fs::copy(program, root.join("alongside"))?;
    let mut demo = Command::new("timeout");
    demo.arg("60").arg("unshare").args(unshare).arg("chroot").arg(&root).args(["/alongside", "demo"]);
    demo.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", "/");
    let played = tools::run(&mut demo).context("the static program fails where nothing else is");
    fs::remove_dir_all(&root)?;
    played?;
    println!("ok: alongside demo, without a C library");
    let version = tools::output(Command::new(program).arg("--version"))?;
    match commit() {
        Ok(commit) => ensure!(
            version.contains(&format!("({commit})")),
            "the static program does not name the commit {commit}: {version}"
        ),
        Err(why) => println!("SKIPPED: the commit that the static program names: {why:#}"),
    }
    Ok(())
}
