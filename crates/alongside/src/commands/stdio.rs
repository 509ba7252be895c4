//! `alongside stdio`: connects an agent that starts an MCP server to the companion.

use std::process::ExitCode;

use alongside_agent::{Endpoint, bridge};
use alongside_common::globals::Globals;
use alongside_contract::agent::FamilyAgent;
use alongside_contract::discovery::WRITER;
use alongside_contract::token::{for_agent, split};
use alongside_host::companions::{self, Serving};
use alongside_host::{JoinRequest, project_of};
use anyhow::Context;

use super::serving_companion;

/// Connect standard input and output to the companion of this directory, over MCP
///
/// For agents that start a server instead of dialling one. They find this command in the companion's files
/// and variables. If no companion runs, one is started, which ends with the agent.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent that starts it, as the companion's files and variables say: it does not tell by itself
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    // An unknown agent is also served, because a newer companion may have named it.
    let agent = args.agent.as_deref().and_then(FamilyAgent::named);
    let here = companions::surroundings()?;
    let (keeper, _hold, endpoint, token) = match serving_companion::of_other_program(&here).await? {
        Some(Serving { record, .. }) => {
            let hold = companions::guard(&record).await?;
            let endpoint = Endpoint::local(record.port);
            // The record has the token of one family, and the agent may belong to another one.
            let is_ours = record.writer.as_deref() == Some(WRITER);
            let for_client = |token: String| if is_ours { token_of(split(&token).0, agent) } else { token };
            (None, hold, endpoint, record.auth_token.map(for_client))
        }
        None => {
            let reached = alongside_host::join(JoinRequest::keeper(
                "alongside stdio",
                vec![project_of(&here.cwd)],
                globals,
            ))
            .await?;
            let host = reached.welcome.alongside;
            (Some(reached.desk), None, Endpoint::local(host.port), Some(token_of(&host.token, agent)))
        }
    };
    let result = bridge::run(endpoint, token.as_deref(), tokio::io::stdin(), tokio::io::stdout()).await;
    if let Some(keeper) = keeper {
        keeper.leave().await;
    }
    result.context("the connection to the companion is lost")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the token by which the companion recognises the agent, or the secret if the agent is unknown.
fn token_of(secret: &str, agent: Option<FamilyAgent>) -> String {
    agent.map_or_else(|| secret.to_owned(), |agent| for_agent(secret, agent))
}
