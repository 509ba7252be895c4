//! The chores of the workspace: `cargo xtask test` and others, one file each.
//!
//! Beside them are tests that read the repository: `structure/` the sources, `docs/` the pages, and
//! `workflows.rs` the workflows of the forge.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod book;
mod deny;
mod dist;
#[cfg(test)]
mod docs;
mod fuzz;
mod instruction_counts;
mod rig;
#[cfg(test)]
mod rust_sources;
mod structure;
mod systems;
mod test;
#[cfg(test)]
mod workflows;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the alongside workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Installs the programs that the tests need, checks formatting and lints, and runs the tests.
    ///
    /// The last line is `N passed, N failed, N skipped`. A test that cannot run on this machine is reported
    /// as ignored, with the reason, and counts as skipped. CONTRIBUTING.md says which tests run only with
    /// --all.
    ///
    /// A failed test that drives an agent, an editor or tmux runs once more, alone, at the end. If it passes
    /// then, it counts as passed and is reported as FLAKY; target/flaky has both logs. More than three flaky
    /// tests fail the run.
    Test(test::Options),
    /// Checks licences, bans, sources and advisories of all crates with cargo-deny; installs it if needed.
    ///
    /// `cargo xtask test` checks the same where cargo-deny is installed, and never compiles it.
    Deny,
    /// Builds the installable files in target/dist: for each target an archive, a Debian package, a package
    /// of npm, a wheel and a bill of materials; the install script, recipes of package managers, checksums.
    ///
    /// It needs GNU tar, gzip and coreutils; the Debian package needs dpkg-deb, the wheel Python. The linker
    /// for an old C library comes from PyPI.
    Dist(dist::Options),
    /// Builds the pages for people as a book with search, in target/book.
    ///
    /// It installs mdBook once, in ${XDG_CACHE_HOME:-~/.cache}/alongside-rig.
    Book,
    /// Fuzzes everything that reads input from outside with libFuzzer, a minute for each target.
    ///
    /// Every target is a file of fuzz/src, which states what must hold. It keeps the inputs it finds in
    /// target/fuzz and goes on from there. It needs a C++ compiler, and installs cargo-fuzz once, in
    /// ${XDG_CACHE_HOME:-~/.cache}/alongside-rig.
    Fuzz(fuzz::Options),
    /// Counts the instructions of the hot paths, and fails when one takes more than docs/performance.md
    /// allows.
    ///
    /// Unlike time, they are the same on a busy machine. It runs benches once under valgrind, which takes
    /// some minutes. Another compiler gives other counts: compare with the same compiler's counts of the
    /// commit before.
    Counts(instruction_counts::Options),
    /// Builds the program and its tests for Windows, runs the tests under Wine, compiles them for macOS, and
    /// has static programs for Linux play their demo.
    ///
    /// It installs what that needs in ${XDG_CACHE_HOME:-~/.cache}/alongside-rig once, with debootstrap and as
    /// root: 4 min, 4 GB. Without them it says so and checks nothing.
    Systems(systems::Options),
    /// Installs the agents, editors and system packages that the tests drive.
    Rig(rig::Arguments),
    /// Builds the extension for VS Code with npm, which the next build of alongside embeds.
    Vscode(rig::Arguments),
    /// Runs every release of every agent with IDE mode on npm against this program, and writes
    /// docs/compatibility.md.
    Matrix(rig::Arguments),
    /// Plays agents, desks and companions against each other, and kills, freezes, cuts and delays them at
    /// random points.
    Chaos(rig::Arguments),
    /// Changes projects at random, marks some of it in reviews of turns, and looks whether the tree is byte
    /// for byte what was decided.
    Turns(rig::Arguments),
    /// Has a thousand agents at once play against this program for ten minutes, and prints the cost.
    Load(rig::Arguments),
    /// Measures cost and speed of a companion beside another one.
    Bench(rig::Arguments),
    /// Takes the pictures of the documentation, docs/pictures/*.svg, of the real program on a real terminal.
    Screenshot(rig::Arguments),
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().chore {
        Chore::Test(options) => test::test(&options),
        Chore::Deny => deny::deny(),
        Chore::Dist(options) => dist::dist(&options),
        Chore::Book => book::book(),
        Chore::Fuzz(options) => fuzz::fuzz(&options),
        Chore::Counts(options) => instruction_counts::counts(&options),
        Chore::Systems(options) => systems::systems(&options, dist::static_programs),
        Chore::Rig(arguments) => rig::start("rig", &arguments),
        Chore::Vscode(arguments) => rig::start("vscode", &arguments),
        Chore::Matrix(arguments) => rig::start("matrix", &arguments),
        Chore::Chaos(arguments) => rig::start("chaos", &arguments),
        Chore::Turns(arguments) => rig::start("turns", &arguments),
        Chore::Load(arguments) => rig::start("load", &arguments),
        Chore::Bench(arguments) => rig::start("bench", &arguments),
        Chore::Screenshot(arguments) => rig::start("screenshot", &arguments),
    }
}
