//! The checks beside the tests: formatting, lints, other targets, and the crates we depend on.

use std::path::Path;
use std::process::Command;

use alongside_testing::chores::{cargo, run};

use super::outcome::Outcome;
use super::output::Output;
use crate::deny;

/// Targets for which the program must compile, because nobody can run it there.
const TARGETS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// Checks the formatting.
pub(super) fn formatting(output: &mut Output) -> anyhow::Result<Outcome> {
    checked(
        "formatting, which `cargo fmt --all` mends",
        run(cargo().args(["fmt", "--all", "--check"]))?.success(),
        output,
    )
}

/// Checks the lints.
pub(super) fn lints(output: &mut Output) -> anyhow::Result<Outcome> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    checked("lints", run(cargo().args(clippy))?.success(), output)
}

fn checked(name: &str, passed: bool, output: &mut Output) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    outcome.check(name, passed, output);
    Ok(outcome)
}

/// Checks licences, sources and advisories of all crates.
pub(super) fn crates(output: &mut Output) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for check in deny::check_if_installed()? {
        match check.result {
            Ok(passed) => outcome.check(check.name, passed, output),
            Err(reason) => outcome.skip(check.name, &reason, output),
        }
    }
    Ok(outcome)
}

/// Checks the program for other targets. That needs the standard library of the target and nothing else.
pub(super) fn other_targets(output: &mut Output) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for target in TARGETS {
        let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
        let installed = printed.is_ok_and(|output| {
            Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() && output.status.success()
        });
        if installed {
            let check = ["check", "--quiet", "--package", "alongside", "--target", target];
            outcome.check(target, run(cargo().args(check))?.success(), output);
        } else {
            let reason = format!("its standard library is not installed (rustup target add {target})");
            outcome.skip(target, &reason, output);
        }
    }
    Ok(outcome)
}
