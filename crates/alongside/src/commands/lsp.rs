//! `alongside lsp`.

mod owner;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use alongside_desk::{Desk, Problem};
use alongside_lsp::{Client, Connection};
use anyhow::Context as _;

use crate::failure::{failure, parts};
use crate::globals::Globals;
use crate::host::{self, JoinRequest, Registry};

/// Be the language server that an editor starts
///
/// Your editor starts this, not you: as a language server for every language, beside those it has. It joins
/// the companion of the editor's project, or starts one, and ends with the editor. Editors with an alongside
/// plugin get everything; any other that speaks LSP tells agents what it lets out (open files, cursor,
/// selection) and shows proposals as documents, with code actions that keep, drop, accept and reject.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example, in Helix's languages.toml:
  [language-server.alongside]
  command = \"alongside\"
  args = [\"lsp\"]

`alongside status` shows the companion and the editor it belongs to.")]
pub(crate) struct Args {
    /// The editor's process, where the editor does not say it, or another one
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,

    /// Ignored: every editor speaks over standard input and output, and some say so
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        return Err(failure(
            "an editor speaks with `alongside lsp`, a person cannot",
            "`alongside lsp --help` shows how an editor starts it; for yourself start `alongside`",
        ));
    }
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let (connection, threads) = Connection::stdio();
    let reach = async |client: Client| reach(client, args.pid, globals.clone()).await;
    alongside_lsp::run(connection, here, env!("CARGO_PKG_VERSION"), own(), reach).await;
    // The last answer is written, or the editor is gone.
    let ended = tokio::task::spawn_blocking(|| threads.join());
    match tokio::time::timeout(LAST_WORDS, ended).await {
        Ok(Ok(Err(error))) => Err(error).context("what the editor said is no language protocol"),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// How long the last answer may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where proposals are shown as files: private, as everything of the registry is.
fn own() -> Option<PathBuf> {
    let registry = Registry::open().inspect_err(|error| tracing::error!(%error, "proposals cannot be shown"));
    Some(registry.ok()?.directory().canonicalize().ok()?.join("reviews"))
}

/// Joins the companion of an editor's projects, or starts it.
async fn reach(client: Client, pid: Option<u32>, globals: Globals) -> Result<Desk, Problem> {
    let owner = owner::of(&client, pid);
    tracing::info!(?owner, "the editor");
    let wish = JoinRequest { owner: Some(owner), ..JoinRequest::desk(client.roots, None, globals) };
    match host::join(wish).await {
        Ok(reached) => Ok(reached.desk),
        Err(error) => {
            let (what, hints) = parts(&error);
            let hint = (!hints.is_empty()).then(|| hints.join("\n"));
            Err(Problem { what: format!("agents cannot reach this editor: {what}"), hint })
        }
    }
}
