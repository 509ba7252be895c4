//! `alongside check`.

use std::process::ExitCode;

use crate::Globals;

/// Check a companion against the contract, clause by clause
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside check` is not part of this version yet")
}
