//! The checks beside the tests: formatting, lints, other targets, and the crates we depend on.

use alongside_testing::chores::{cargo, run};

use super::output::Output;
use super::run_result::Outcome;
use crate::deny;
use crate::systems::debian_root::Root;
use crate::systems::target::{MACOS, WINDOWS};

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

/// Checks the program and its tests for other systems, where `cargo xtask systems` has installed what that
/// needs.
pub(super) fn other_targets(output: &mut Output) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let root = Root::existing();
    for target in [WINDOWS, MACOS] {
        match &root {
            Ok(root) => outcome.check(target.triple, target.is_clean(root)?, output),
            Err(why) => outcome.skip(target.triple, &format!("{why:#}"), output),
        }
    }
    Ok(outcome)
}
