//! Builds the program for each target. Zig links it with an old C library: a program that is linked in the
//! usual way needs the C library of the build machine, or a newer one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::{
    cache_directory, cargo, checkout, fill_directory_once, run_to_success, target_directory,
};
use anyhow::{Context as _, ensure};

use super::cargo_options::{FLAGS, arguments, remapped};
use super::targets::{self, Libc, TARGETS, Target};
use super::{c_library, static_build, tools, windows_build};
use crate::systems::debian_root::Root;

/// The packages of PyPI that bring cargo-zigbuild and its linker. Newer releases of Zig are untried.
const TOOLS: [&str; 2] = ["ziglang==0.15.2", "cargo-zigbuild==0.24.0"];

/// Builds the program for one target, or for all targets that this machine can build for. Returns each target
/// with its program: the first program runs here, and writes the manual pages of all.
///
/// # Errors
/// When a build fails, and when the program for this machine would need its C library and may not.
pub(super) fn programs(target: Option<&str>, own_glibc: bool) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let host = targets::host()?;
    let all = || TARGETS.iter().map(|target| target.triple).filter(|triple| *triple != host);
    let wanted: Vec<&str> = match target {
        Some(target) => vec![target],
        None => std::iter::once(host.as_str()).chain(all()).collect(),
    };
    let mut built = Vec::new();
    for triple in wanted {
        let program = match targets::row_of(triple) {
            None => as_usual(triple)?,
            // On that system, every program is linked with the system's own library.
            Some(row) if row.libc == Libc::OfSystem && triple == host => as_usual(triple)?,
            Some(row) => match way_for(row) {
                Ok(way) => by(row, &way)?,
                Err(why) if triple == host && own_glibc => {
                    println!(
                        "SKIPPED: an old C library for {triple}, the program needs this machine's: {why:#}"
                    );
                    as_usual(triple)?
                }
                // The name of the target would promise that the program runs with an old C library.
                Err(why) if triple == host => {
                    return Err(why.context(format!(
                        "cannot build for {triple} with an old C library; --own-glibc takes this machine's"
                    )));
                }
                Err(why) => {
                    println!("SKIPPED: {triple}: {why:#}");
                    continue;
                }
            },
        };
        built.push((triple.to_owned(), program));
    }
    Ok(built)
}

/// Builds the static programs in the Debian for other systems. Returns their targets.
///
/// # Errors
/// When the linker cannot be had, or a build fails.
pub(crate) fn static_programs(root: &Root) -> anyhow::Result<Vec<&'static str>> {
    let zig = zig()?;
    let targets = TARGETS.iter().filter(|target| target.libc == Libc::Static);
    let build = |target: &'static Target| {
        let program = static_build::build(target.triple, &zig, root)?;
        c_library::check(&fs::read(&program)?, target.libc).context(target.triple)?;
        Ok(target.triple)
    };
    targets.map(build).collect()
}

/// The way to build a target. The first two name the directory of the linker.
enum Way {
    /// With the Rust of this machine.
    Here(PathBuf),
    /// In a Debian, whose Rust builds its own library, too.
    There(PathBuf, Root),
    /// In a Debian, with its linker for Windows.
    ForWindows(Root),
}

fn way_for(target: &Target) -> anyhow::Result<Way> {
    let triple = target.triple;
    if targets::is_windows(triple) {
        return Ok(Way::ForWindows(Root::made()?));
    }
    ensure!(target.libc != Libc::OfSystem, "its linker needs files that only a Mac has");
    if target.can_be_built()? {
        return Ok(Way::Here(zig()?));
    }
    let missing = format!("Rust's library for it is missing: rustup target add {triple}");
    ensure!(target.libc == Libc::Static, missing);
    Ok(Way::There(zig()?, Root::made().context(missing)?))
}

fn as_usual(triple: &str) -> anyhow::Result<PathBuf> {
    let mut build = cargo();
    run_to_success(in_checkout(build.arg("build"), triple))?;
    Ok(built_for(triple))
}

fn by(target: &Target, way: &Way) -> anyhow::Result<PathBuf> {
    let program = match way {
        Way::Here(zig) => here(target, zig)?,
        Way::There(zig, root) => static_build::build(target.triple, zig, root)?,
        Way::ForWindows(root) => windows_build::build(target.triple, root)?,
    };
    c_library::check(&fs::read(&program)?, target.libc).context(target.triple)?;
    Ok(program)
}

fn here(target: &Target, zig: &Path) -> anyhow::Result<PathBuf> {
    let mut build = Command::new(zig.join("bin/cargo-zigbuild"));
    build.arg("zigbuild").env("CARGO_ZIGBUILD_ZIG_PATH", zig.join("ziglang/zig"));
    build
        .env("CARGO_ZIGBUILD_CACHE_DIR", zig.join("cache"))
        .env("ZIG_GLOBAL_CACHE_DIR", zig.join("cache/zig"));
    let triple = match target.libc {
        Libc::Glibc { oldest } => format!("{}.2.{oldest}", target.triple),
        Libc::Static | Libc::OfSystem => target.triple.to_owned(),
    };
    run_to_success(in_checkout(&mut build, &triple))?;
    Ok(built_for(target.triple))
}

fn in_checkout<'a>(build: &'a mut Command, target: &str) -> &'a mut Command {
    let home =
        std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
    let flags = remapped([(&checkout().display().to_string(), "."), (&home.unwrap_or_default(), "cargo")]);
    build.args(arguments(target)).env(FLAGS, flags).current_dir(checkout())
}

fn built_for(triple: &str) -> PathBuf {
    target_directory().join(triple).join("release").join(targets::program_name(triple))
}

/// Returns the directory of the linker, below that of everything the rig installs; it is filled once.
fn zig() -> anyhow::Result<PathBuf> {
    let cache = cache_directory().context("neither XDG_CACHE_HOME nor HOME is an absolute path")?;
    let name = format!("zig-{}", TOOLS.map(|tool| tool.split('=').next_back().unwrap_or_default()).join("-"));
    fill_directory_once(cache.join(name), |half| {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]).arg(half);
        tools::run(pip.args(TOOLS)).context("cannot install cargo-zigbuild with pip")?;
        ensure!(half.join("bin/cargo-zigbuild").is_file(), "{} has no program", TOOLS[1]);
        Ok(())
    })
}
