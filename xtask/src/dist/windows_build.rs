//! Builds the program for Windows in the Debian of `cargo xtask systems`, which has a linker for it, and the
//! sources of Rust's own library.

use std::path::PathBuf;

use alongside_testing::chores::{run_to_success, target_directory};

use super::cargo_options::{FLAGS, arguments, commit_variable, remapped};
use super::targets;
use crate::systems::debian_root::Root;

/// The linker writes the time into each program, unless it is told not to.
const WITHOUT_TIME: &str = "-Clink-arg=-Wl,--no-insert-timestamp";

/// Builds the program for a target. Returns its path.
pub(super) fn build(triple: &str, root: &Root) -> anyhow::Result<PathBuf> {
    let mut build = root.command("env");
    let flags = remapped([("/checkout", "."), ("/cargo", "cargo")]);
    build.arg(format!("{FLAGS}={flags}\u{1f}{WITHOUT_TIME}"));
    build.args(commit_variable());
    build.args(["cargo", "build", "-Zbuild-std=std,panic_abort"]).args(arguments(triple));
    run_to_success(&mut build)?;
    // The Debian sees this as /target.
    let target = target_directory().join("other-systems");
    Ok(target.join(triple).join("release").join(targets::program_name(triple)))
}
