//! A target of another system: whether the program and its tests compile for it, and the tests of Windows.

use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::debian_root::Root;

/// A target that Rust's own sources are compiled for.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) triple: &'static str,
}

pub(crate) const WINDOWS: Target = Target { triple: "x86_64-pc-windows-gnu" };
pub(crate) const MACOS: Target = Target { triple: "aarch64-apple-darwin" };

/// Packages for tests and chores, which run on Linux alone and which no registry gets.
pub(crate) const CHORES: [&str; 3] = ["alongside-rig", "alongside-testing", "xtask"];

impl Target {
    /// Whether the program and its tests compile without a warning.
    pub(crate) fn is_clean(&self, root: &Root) -> anyhow::Result<bool> {
        let mut check = self.cargo(root, "check");
        // Our own warnings are errors; warnings of other crates are not.
        check.args(["--quiet", "--config", "build.warnings='deny'"]);
        Ok(check.stdin(Stdio::null()).status().context("cannot start unshare")?.success())
    }

    /// Returns a command of cargo for the program and its tests.
    fn cargo(&self, root: &Root, command: &str) -> Command {
        let mut cargo = root.command("env");
        // No debugger reads them.
        cargo.args(["CARGO_PROFILE_DEV_DEBUG=0", "cargo", command, "--locked", "--lib", "--bins", "--tests"]);
        cargo.args(["-Zbuild-std=std,panic_unwind,test", "--target", self.triple]);
        cargo.arg("--workspace").args(CHORES.iter().flat_map(|package| ["--exclude", package]));
        cargo
    }
}

/// A program with tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TestProgram {
    /// The package and target of the test program, for people.
    pub(crate) name: String,
    /// The directory of its package, below the checkout.
    pub(crate) directory: String,
    /// The path of the program in the root.
    pub(crate) path: String,
}

/// Builds the program for Windows, and every program with tests.
pub(crate) fn tests_for_windows(root: &Root) -> anyhow::Result<Vec<TestProgram>> {
    let mut build = WINDOWS.cargo(root, "build");
    build.args(["--quiet", "--message-format=json-render-diagnostics"]);
    let built =
        build.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start unshare")?;
    ensure!(built.status.success(), "it does not compile");
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    Ok(messages.lines().filter_map(|line| test_program(&serde_json::from_str(line).ok()?)).collect())
}

/// Returns the program with tests that a message of cargo reports.
fn test_program(message: &Value) -> Option<TestProgram> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let manifest = message["manifest_path"].as_str()?.strip_suffix("/Cargo.toml")?;
    let directory = manifest.trim_start_matches("/checkout/").to_owned();
    let (target, kind) = (message["target"]["name"].as_str()?, message["target"]["kind"][0].as_str()?);
    // A bench counts no tests.
    if kind == "bench" {
        return None;
    }
    Some(TestProgram { name: format!("{directory} ({kind} {target})"), directory, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_tests_is_found_among_the_messages_of_cargo() {
        let mut message = serde_json::json!({
            "reason": "compiler-artifact", "manifest_path": "/checkout/crates/desk/Cargo.toml",
            "target": {"name": "alongside_desk", "kind": ["lib"]}, "profile": {"test": true},
            "executable": "/target/x86_64-pc-windows-gnu/debug/deps/alongside_desk-1.exe",
        });
        let found = test_program(&message).unwrap();
        assert_eq!(
            (found.name.as_str(), found.directory.as_str()),
            ("crates/desk (lib alongside_desk)", "crates/desk")
        );
        message["profile"]["test"] = false.into();
        assert_eq!(test_program(&message), None, "the program itself");
        assert_eq!(test_program(&serde_json::json!({"reason": "build-finished"})), None);
    }
}
