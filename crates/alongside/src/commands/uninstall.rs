//! `alongside uninstall`.

use std::process::ExitCode;

use crate::Globals;

/// Take out what `alongside install` put in
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside uninstall` is not part of this version yet")
}
