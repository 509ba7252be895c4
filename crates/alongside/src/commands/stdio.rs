//! `alongside stdio`.

use std::process::ExitCode;

use alongside_agent::{Endpoint, bridge};
use alongside_contract::discovery::WRITER;
use alongside_contract::token::split;
use anyhow::Context;

use super::serving;

/// Carry MCP over standard input and output to the companion of this directory
///
/// For agents that start a server instead of dialling one; they are told of this command by the companion's files
/// and variables. It starts no companion of its own: everything goes to the one that runs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let here = serving::surroundings()?;
    let record = serving::here_or_error(&here).await?.record;
    let endpoint = Endpoint::local(record.port);
    // Who speaks here cannot be known: the record was written for one family, the client may be of any.
    let token = record.auth_token.as_deref();
    let token =
        token.map(|token| if record.writer.as_deref() == Some(WRITER) { split(token).0 } else { token });
    bridge::run(endpoint, token, tokio::io::stdin(), tokio::io::stdout())
        .await
        .context("the way to the companion is broken")?;
    Ok(ExitCode::SUCCESS)
}
