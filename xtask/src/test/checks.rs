//! The checks beside the tests: formatting, lints, other targets, and the crates we depend on.

use std::path::Path;
use std::process::Command;

use super::libtest::Sum;
use crate::deny;
use crate::run::{cargo, run};

/// Targets for which the program must compile, because nobody can run it there.
const TARGETS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// Checks formatting and lints.
pub(super) fn quick(sum: &mut Sum) -> anyhow::Result<()> {
    sum.check("formatting", run(cargo().args(["fmt", "--all", "--check"]))?.success());
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    sum.check("lints", run(cargo().args(clippy))?.success());
    Ok(())
}

/// Checks the other targets, and licences, sources and advisories of all crates.
pub(super) fn thorough(sum: &mut Sum) -> anyhow::Result<()> {
    for target in TARGETS {
        check_target(target, sum)?;
    }
    for outcome in deny::check_if_installed()? {
        match outcome.result {
            Ok(passed) => sum.check(outcome.name, passed),
            Err(reason) => sum.skip(outcome.name, &reason),
        }
    }
    Ok(())
}

/// Checks the program for a target. That needs the standard library of the target and nothing else.
fn check_target(target: &str, sum: &mut Sum) -> anyhow::Result<()> {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let installed = printed.is_ok_and(|output| {
        Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() && output.status.success()
    });
    if installed {
        let check = ["check", "--quiet", "--package", "alongside", "--target", target];
        sum.check(target, run(cargo().args(check))?.success());
    } else {
        let reason = format!("its standard library is not installed (rustup target add {target})");
        sum.skip(target, &reason);
    }
    Ok(())
}
