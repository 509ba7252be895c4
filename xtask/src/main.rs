//! Chores of the workspace: `cargo xtask test` and what it needs. One file a chore.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod chaos;
mod contract;
mod counts;
mod deny;
mod dist;
mod fuzz;
mod layers;
mod load;
mod matrix;
mod rig;
mod run;
mod screenshot;
mod structure;
mod test;

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
    /// Installs what the tests need, then checks formatting and lints and runs every test.
    ///
    /// Ends with one line, `N passed, N failed, N skipped`. A test that cannot run here says why and counts
    /// as skipped.
    Test(test::Options),
    /// Installs the real agents and editors that the tests drive, and the system packages that drive them.
    ///
    /// Agents and editors go to ${XDG_CACHE_HOME:-~/.cache}/alongside-rig, once per lock file or recipe.
    /// Nothing is installed into the checkout. Editors (Neovim and Helix, two releases of each) are Debian's,
    /// and need apt-get but not root.
    Rig(rig::Options),
    /// Runs every release of every agent on npm that has IDE mode against this program; docs/compatibility.md
    /// says what came of it.
    ///
    /// What is proven is kept in rig/matrix/results.jsonl and not run again, so that it can be interrupted.
    /// It needs npm's registry, tmux, some 4 GB in the temporary directory, and ends with an error while a
    /// cell of the matrix is unexplained.
    Matrix(matrix::Options),
    /// Builds what is installed without a compiler, in target/dist: an archive for this machine, its
    /// checksum, the script that installs it, and a Debian package.
    ///
    /// It needs GNU tar, gzip and coreutils; the package needs dpkg-deb.
    Dist(dist::Options),
    /// Has libFuzzer make up inputs for what reads what others write, and says how many and how fast: a
    /// minute for each target.
    ///
    /// Every target is a file of fuzz/src, which says what must hold. What is found on the way is kept in
    /// target/fuzz, so that the next run goes on from there. It needs a C++ compiler, and installs cargo-fuzz
    /// once, in ${XDG_CACHE_HOME:-~/.cache}/alongside-rig.
    Fuzz(fuzz::Options),
    /// Plays agents, desks and companions against each other, and kills, freezes, cuts and delays them at
    /// random points.
    ///
    /// A round is a function of its seed, and is held to rules that stand in rig/src/chaos/oracle.rs: no
    /// decision invented, none lost, none to the wrong agent; nobody waits for good; nothing that was typed
    /// is lost; nothing is left behind. What is played is kept in target/chaos, for these sources, and not
    /// played again, so that it can be interrupted. It ends with an error when a round breaks a rule, and
    /// says how to play that one again, or when memory grows.
    Chaos(chaos::Options),
    /// Has a thousand agents at once play against this program for ten minutes, and says what it costs.
    ///
    /// The program and the agents are built as releases first. It needs Linux, some 3,000 descriptors for
    /// each of two processes (hard limit: `ulimit -Hn`), and ends with an error when something went wrong,
    /// agents had to wait, or memory or descriptors grew.
    Load(load::Options),
    /// Measures what a companion costs and how quick it is, of whatever make, beside another one: ours beside what a plugin author
    /// would write today, if nothing is said.
    ///
    /// It takes some five minutes and tells, turn by turn: how long a start takes until every discovery file is on disk; memory with up to
    /// 1,000 sessions, and after 10,000 that came and went; round trips of requests; how soon agents hear of decisions and of the
    /// cursor; proposals of up to 64 MB; an idle minute; the end. Single figures mean little on a machine that others use: look at the
    /// ratios. Each companion runs in a home, temporary and runtime directory of its own, with a project as its working directory.
    ///
    /// What a companion of another make has in its editor is moved by --drive: `CMD ACTION ARGUMENT…`, run for each action as by `alongside
    /// check`, whose own start then counts; or `unix:SOCKET`, where each action is a line such as ["cursor", "/file", "3", "1"] or
    /// ["accept", "/file"], answered with a line `ok`. Without it, those rows stay empty and say why.
    #[command(
        verbatim_doc_comment,
        after_help = "\
Examples:
  cargo xtask bench                                          ours and the baseline
  cargo xtask bench --start old/alongside --vs target/release/alongside
  cargo xtask bench --start 'node my-companion.mjs' --drive ./drive.sh --vs baseline
  cargo xtask bench --file ~/.qwen/ide/40123.lock            one that runs: no starts, no stops"
    )]
    Bench(bench::Options),
    /// Counts the instructions of the hot paths, and fails when one takes more than docs/performance.md says.
    ///
    /// Unlike time, they are the same on a busy machine. It runs benches once under valgrind, which takes
    /// some minutes. Another compiler counts otherwise: compare with what the same one made of the commit
    /// before.
    Counts(counts::Options),
    /// Takes the pictures of the documentation: docs/pictures/*.svg.
    ///
    /// They show the real program, built now, on a real terminal.
    Screenshot,
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().chore {
        Chore::Test(options) => test::test(&options),
        Chore::Rig(options) => rig::install(&options).map(|()| ExitCode::SUCCESS),
        Chore::Matrix(options) => matrix::matrix(&options),
        Chore::Dist(options) => dist::dist(&options),
        Chore::Fuzz(options) => fuzz::fuzz(&options),
        Chore::Chaos(options) => chaos::chaos(&options),
        Chore::Bench(options) => bench::bench(&options),
        Chore::Counts(options) => counts::counts(&options),
        Chore::Load(options) => load::load(&options),
        Chore::Screenshot => screenshot::screenshot().map(|()| ExitCode::SUCCESS),
    }
}
