//! The whole command line, which the parser, the completions and the manual pages are made from.

use clap::Parser;

use super::{Command, desk};
use crate::globals::Globals;

/// The IDE companion for every editor
///
/// Coding agents such as Gemini CLI and Qwen Code find it by themselves, learn which files you work on, and
/// get their proposed changes read, edited and decided by you, change by change. The agent writes the file;
/// alongside never does.
///
/// Without a command it opens the review desk of a project, in which an agent that is started in another
/// terminal finds it by itself. See it all first with `alongside demo`.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    override_usage = "alongside [OPTIONS] [DIR]...\n       alongside [OPTIONS] <COMMAND>"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) desk: desk::Args,

    #[command(flatten)]
    pub(crate) globals: Globals,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}
