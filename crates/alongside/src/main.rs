//! `alongside`: the IDE companion for every editor, as a command.
//!
//! One file per command in `commands`, and its doc comment is its help. `line` is the desk that commands show reviews
//! at; `saved` tells agents about files without an editor; everything that is printed and comes from outside goes
//! through `harmless`. Reviews themselves, and the wire, are the business of the crates below.

mod commands;
mod failure;
mod line;
mod logging;
mod saved;
mod settings;
mod signals;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// The IDE companion for every editor
///
/// Coding agents such as Gemini CLI and Qwen Code find it by themselves, learn which files you work on, and get their
/// proposed changes read, edited and decided by you, change by change. The agent writes the file; alongside never
/// does.
///
/// Begin with `alongside review` in a project, or see it all first with `alongside demo`.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    /// Read the settings from FILE instead of ~/.config/alongside/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Write a log to FILE, for finding out what went wrong; it never holds the token
    #[arg(long, global = true, value_name = "FILE", env = "ALONGSIDE_LOG", hide_env_values = true)]
    log: Option<PathBuf>,

    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = logging::start(cli.log.as_deref()).and_then(|()| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let outcome = runtime.block_on(cli.command.run(cli.config));
        // A thread that waits for input on a terminal cannot be interrupted, and nobody needs its line any more.
        runtime.shutdown_background();
        outcome
    });
    outcome.unwrap_or_else(|error| {
        tracing::error!("{error:#}");
        let mut stderr = std::io::stderr().lock();
        for line in failure::lines(&error) {
            let _ = writeln!(stderr, "{line}");
        }
        ExitCode::FAILURE
    })
}
