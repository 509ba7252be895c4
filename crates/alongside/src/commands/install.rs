//! `alongside install`.

use std::process::ExitCode;

use crate::Globals;

/// Install alongside into an editor, or switch IDE mode on in the agents
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {}

pub(crate) async fn run(_args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`alongside install` is not part of this version yet")
}
