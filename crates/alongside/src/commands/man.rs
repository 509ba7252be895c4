//! `alongside man`.

use std::process::ExitCode;

use crate::Globals;

/// Write the manual pages into a directory
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside man` is not part of this version yet")
}
