//! Builds a static program if Rust has no library for it here: in the Debian of `cargo xtask systems`, whose
//! Rust has the sources of that library. Zig has musl.

use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::{fill_directory_once, run_to_success, target_directory};
use anyhow::Context as _;

use super::cargo_options::{FLAGS, arguments, commit_variable, remapped};
use super::tools;
use crate::systems::debian_root::Root;

/// Files of Rust's own library for musl that programs link with. Zig's files are used instead, so these may
/// be empty.
const STARTS: &str = "crt1.o crti.o crtn.o crtbegin.o crtend.o crtbeginS.o crtendS.o rcrt1.o Scrt1.o";

/// Builds the program for a target. Returns its path.
pub(super) fn build(triple: &str, zig: &Path, root: &Root) -> anyhow::Result<PathBuf> {
    // The Debian sees this as /target.
    let target = target_directory().join("other-systems");
    std::fs::create_dir_all(&target)?;
    fill_directory_once(target.join("zig"), |half| {
        tools::run(Command::new("cp").arg("-a").args([zig, half]))
    })?;
    let directory = format!("/usr/lib/rustlib/{triple}/lib/self-contained");
    let touch = format!("mkdir -p {directory} && cd {directory} && touch {STARTS}");
    tools::run(root.command("sh").args(["-c", &touch])).context("cannot write into the Debian")?;
    let mut zigbuild = root.command("env");
    zigbuild.args([
        "CARGO_ZIGBUILD_ZIG_PATH=/target/zig/ziglang/zig",
        "CARGO_ZIGBUILD_CACHE_DIR=/target/zig/cache",
        "ZIG_GLOBAL_CACHE_DIR=/target/zig/cache/zig",
    ]);
    zigbuild.arg(format!("{}={}", FLAGS, remapped([("/checkout", "."), ("/cargo", "cargo")])));
    zigbuild.args(commit_variable());
    zigbuild.args(["/target/zig/bin/cargo-zigbuild", "zigbuild", "-Zbuild-std=std,panic_abort"]);
    run_to_success(zigbuild.args(arguments(triple)))?;
    Ok(target.join(triple).join("release/alongside"))
}
