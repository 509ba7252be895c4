//! `alongside stdio`.

use std::process::ExitCode;

use alongside_agent::{Endpoint, bridge};
use alongside_contract::discovery::WRITER;
use alongside_contract::token::split;
use anyhow::Context;

use super::serving::{self, Serving};
use crate::globals::Globals;
use crate::host::{self, JoinRequest};

/// Carry MCP over standard input and output to the companion of this directory
///
/// For agents that start a server instead of dialling one; they are told of this command by the companion's
/// files and variables. Where no companion runs, one is started for as long as the agent listens.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) async fn run(globals: Globals) -> anyhow::Result<ExitCode> {
    let here = serving::surroundings()?;
    let (keeper, _hold, endpoint, token) = match serving::of_others(&here).await? {
        Some(Serving { record, .. }) => {
            let hold = serving::guard(&record).await?;
            let endpoint = Endpoint::local(record.port);
            // Who speaks here cannot be known: the record was written for one family, the client may be of
            // any.
            let is_ours = record.writer.as_deref() == Some(WRITER);
            let token =
                record.auth_token.map(|token| if is_ours { split(&token).0.to_owned() } else { token });
            (None, hold, endpoint, token)
        }
        None => {
            let reached = host::join(JoinRequest::keeper(vec![here.cwd], globals)).await?;
            let host = reached.welcome.alongside;
            (Some(reached.desk), None, Endpoint::local(host.port), Some(host.token))
        }
    };
    let carried = bridge::run(endpoint, token.as_deref(), tokio::io::stdin(), tokio::io::stdout()).await;
    if let Some(keeper) = keeper {
        keeper.leave().await;
    }
    carried.context("the way to the companion is broken")?;
    Ok(ExitCode::SUCCESS)
}
