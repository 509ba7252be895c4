//! `cargo xtask deny`: checks the licences, bans and sources of every crate that we depend on, by
//! `deny.toml`, and known advisories if their database can be reached.
//!
//! `cargo xtask test` does the same where cargo-deny is installed. It takes minutes to compile, so only
//! `cargo xtask deny` installs it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use alongside_testing::chores::{cache_directory, cargo, run, run_to_success};
use anyhow::Context as _;

/// The release that we install. `deny.toml` needs 0.20 or newer.
const RELEASE: &str = "0.20.2";

const CRATES: &str = "licences, bans and sources of crates";
const ADVISORIES: &str = "advisories about crates";

/// The result of one check.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) name: &'static str,
    /// Whether it passed, or why it cannot be checked here.
    pub(crate) result: Result<bool, String>,
}

/// Installs cargo-deny if it is missing, and runs it.
pub(crate) fn deny() -> anyhow::Result<ExitCode> {
    let program = match installed()? {
        Some(program) => program,
        None => install()?,
    };
    let mut passed = true;
    for Outcome { name, result } in check(&program)? {
        match result {
            Ok(true) => println!("{name}: ok"),
            Ok(false) => println!("{name}: FAILED"),
            Err(ref reason) => println!("SKIPPED: {name}: {reason}"),
        }
        passed &= result != Ok(false);
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs cargo-deny if it is installed.
pub(crate) fn check_if_installed() -> anyhow::Result<[Outcome; 2]> {
    let Some(program) = installed()? else {
        let reason = "cargo-deny is not installed (cargo xtask deny installs it)";
        return Ok([CRATES, ADVISORIES].map(|name| Outcome { name, result: Err(reason.to_owned()) }));
    };
    check(&program)
}

fn check(program: &Path) -> anyhow::Result<[Outcome; 2]> {
    let deny = |arguments: &[&str]| {
        let mut deny = Command::new(program);
        deny.args(["--log-level", "error"]).args(arguments);
        deny
    };
    let crates = run(&mut deny(&["check", "licenses", "bans", "sources"]))?.success();
    // `check advisories` fails in the same way when the database is out of reach, so fetch it first.
    let mut fetch = deny(&["fetch", "db"]);
    let fetched = fetch.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let advisories = match fetched.is_ok_and(|status| status.success()) {
        true => Ok(run(&mut deny(&["check", "--disable-fetch", "advisories"]))?.success()),
        false => Err("their database is out of reach (cargo deny fetch db)".to_owned()),
    };
    Ok([Outcome { name: CRATES, result: Ok(crates) }, Outcome { name: ADVISORIES, result: advisories }])
}

/// Returns the program that `cargo xtask deny` installed, else the one on the PATH.
fn installed() -> anyhow::Result<Option<PathBuf>> {
    let candidates = [executable(&install_root()?), "cargo-deny".into()];
    Ok(candidates.into_iter().find(|program| {
        let version = Command::new(program).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|output| is_usable(&String::from_utf8_lossy(&output.stdout)))
    }))
}

/// Whether this release reads our `deny.toml`, from the output of `--version`.
fn is_usable(version: &str) -> bool {
    let numbers = version.trim().strip_prefix("cargo-deny ").unwrap_or_default();
    let mut numbers = numbers.split('.').map_while(|number| number.parse::<u32>().ok());
    matches!((numbers.next(), numbers.next()), (Some(0), Some(20..)) | (Some(1..), _))
}

/// Compiles cargo-deny, beside the agents of the rig.
fn install() -> anyhow::Result<PathBuf> {
    let root = install_root()?;
    println!("Compiling cargo-deny {RELEASE}, once; this takes some minutes.");
    let install = ["install", "--quiet", "--locked", "--force", "--version", RELEASE, "--root"];
    run_to_success(cargo().args(install).arg(&root).arg("cargo-deny"))?;
    Ok(executable(&root))
}

fn install_root() -> anyhow::Result<PathBuf> {
    let cache = cache_directory().context("there is no cache directory for cargo-deny")?;
    Ok(cache.join("cargo-deny"))
}

fn executable(root: &Path) -> PathBuf {
    root.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_from_0_20_on_are_usable() {
        for version in ["cargo-deny 0.20.2\n", "cargo-deny 0.21.0-rc1", "cargo-deny 1.0.0"] {
            assert!(is_usable(version), "{version}");
        }
        for version in ["", "cargo-deny 0.19.9", "cargo-deny", "error: no such command"] {
            assert!(!is_usable(version), "{version}");
        }
    }
}
