//! `alongside completions`.

use std::process::ExitCode;

use crate::Globals;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside completions` is not part of this version yet")
}
