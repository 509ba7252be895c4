//! `alongside doctor`.

use std::process::ExitCode;

use crate::Globals;

/// Find out why an agent does not find its companion, and what to do
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside doctor` is not part of this version yet")
}
