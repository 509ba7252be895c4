//! `rig`: the chores that need the rig. `cargo xtask` builds and starts this program. xtask itself does not
//! depend on the rig, and so starts some minutes sooner on a new machine.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod chaos;
mod install;
mod load;
mod matrix;
mod run;
mod screenshot;
mod turns;
mod vscode;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores that need the rig.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Installs the agents, editors and system packages that the tests drive.
    ///
    /// Agents and editors go to ${XDG_CACHE_HOME:-~/.cache}/alongside-rig, once per lock file or recipe,
    /// never into the checkout. Editors come from Debian and need apt-get, but not root.
    Rig(install::Options),
    /// Builds the extension for VS Code with npm, which the next build of alongside embeds.
    ///
    /// `cargo xtask test` and `cargo xtask dist` do this, too.
    Vscode(vscode::Options),
    /// Runs every release of every agent with IDE mode on npm against this program, and writes
    /// docs/compatibility.md.
    ///
    /// It keeps results in rig/matrix/results.jsonl and runs only what is missing there, so you can interrupt
    /// it. It needs npm's registry, tmux and some 4 GB in the temporary directory. It fails while a cell of
    /// the matrix has no explanation.
    Matrix(matrix::Options),
    /// Plays agents, desks and companions against each other, and kills, freezes, cuts and delays them at
    /// random points.
    ///
    /// A round is a function of its seed. The rules are in rig/src/chaos/oracle: no decision is invented,
    /// lost or told to the wrong agent; nobody waits for ever; no typed text is lost; nothing is left behind.
    /// It keeps finished rounds in target/chaos, for these sources, so you can interrupt it. It fails when a
    /// round breaks a rule, and prints how to play that round again, or when memory grows.
    Chaos(chaos::Options),
    /// Changes projects at random, marks some of it in reviews of turns, and looks whether the tree is byte
    /// for byte what was decided.
    ///
    /// A project is a function of its seed: changes by files and by git, snapshots as hooks take them, and
    /// eight reviews through a companion and the store. It fails when anything else has changed, and prints
    /// how to play that project again. It needs git.
    Turns(turns::Options),
    /// Has a thousand agents at once play against this program for ten minutes, and prints the cost.
    ///
    /// It builds the program and the agents as releases first. It needs Linux and some 3,000 descriptors for
    /// each of two processes (hard limit: `ulimit -Hn`). It fails when there were errors, agents had to wait,
    /// or memory or descriptors grew.
    Load(load::Options),
    /// Measures cost and speed of a companion beside another one: by default ours beside one on the official
    /// TypeScript SDK.
    ///
    /// It takes some five minutes and measures, turn by turn: the time from the start until every discovery
    /// file is on disk; memory with up to 1,000 sessions, and after 10,000 that came and went; round trips of
    /// requests; the time until agents hear of decisions and of the cursor; proposals of up to 64 MB; prompts
    /// with their snapshots; an idle minute; the end. Single figures mean little on a busy machine: compare
    /// the ratios. Each companion runs in a home, temporary and runtime directory of its own, with a project
    /// as its working directory.
    ///
    /// --drive acts in the editor of another companion: `CMD ACTION ARGUMENT…`, run for each action as by
    /// `alongside check`, whose own start then counts; or `unix:SOCKET`, where each action is a line such as
    /// ["cursor", "/file", "3", "1"] or ["accept", "/file"], answered with a line `ok`. Without it, those
    /// rows stay empty and give the reason.
    #[command(after_help = "\
Examples:
  cargo xtask bench                                          ours and the baseline
  cargo xtask bench --start old/alongside --vs target/release/alongside
  cargo xtask bench --start 'node my-companion.mjs' --drive ./drive.sh --vs baseline
  cargo xtask bench --file ~/.qwen/ide/40123.lock            a running one: no starts, no stops")]
    Bench(bench::Options),
    /// Takes the pictures of the documentation, docs/pictures/*.svg, of the real program on a real terminal.
    Screenshot(screenshot::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().chore {
        Chore::Rig(options) => install::install(&options).map(|()| ExitCode::SUCCESS),
        Chore::Vscode(options) => vscode::vscode(&options).map(|()| ExitCode::SUCCESS),
        Chore::Matrix(options) => matrix::matrix(&options),
        Chore::Chaos(options) => chaos::chaos(&options),
        Chore::Turns(options) => turns::turns(&options),
        Chore::Load(options) => load::load(&options),
        Chore::Bench(options) => bench::bench(&options),
        Chore::Screenshot(options) => screenshot::screenshot(&options).map(|()| ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use alongside_testing::pages::{Command, pages};

    use super::*;

    #[test]
    fn every_option_of_a_chore_on_a_page_exists() {
        let command = <Cli as clap::CommandFactory>::command();
        let chores: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let (mut wrong, mut count) = (Vec::new(), 0);
        for page in pages() {
            for Command { words, .. } in page.commands("cargo xtask") {
                if words.first().is_some_and(|chore| chores.contains(&chore.as_str())) {
                    count += 1;
                    let line = ["cargo xtask"].into_iter().chain(words.iter().map(String::as_str));
                    if let Err(error) = Cli::try_parse_from(line) {
                        wrong.push(format!("{}: cargo xtask {}: {error}", page.path, words.join(" ")));
                    }
                }
            }
        }
        assert!(count > 10, "only {count} chores were found");
        assert!(wrong.is_empty(), "chores that do not exist:\n{}", wrong.join("\n"));
    }
}
