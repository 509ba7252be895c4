//! `alongside lsp`: the language server that an editor starts.

mod editor_process;
mod kakoune;
mod kate;
mod remote;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use alongside_common::failure::{failure, parts};
use alongside_common::globals::Globals;
use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_desk::{Desk, Problem};
use alongside_host::JoinRequest;
use alongside_lsp::{Client, Connection, Program};
use alongside_platform::paths::Canonical as _;
use anyhow::Context as _;

use super::agent_setup;
use crate::draft_keeper::draft_keeper;

/// Be the language server that an editor starts
///
/// Your editor starts this, not you: add it as a language server for every language. It joins the companion
/// of the editor's project, or starts one, and ends with the editor. Editors with an alongside plugin get
/// every feature. Any other editor with an LSP client tells agents what it reports (open files, cursor,
/// selection) and shows proposals as documents, with code actions to keep, drop, accept and reject.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example, in Helix's languages.toml:
  [language-server.alongside]
  command = \"alongside\"
  args = [\"lsp\"]

`alongside status` shows the companion and its editors.")]
pub(crate) struct Args {
    /// The editor's process ID, if the editor reports none or a wrong one
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,

    /// Ignored: some editors ask for standard input and output, which are always used
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        return Err(failure(
            "`alongside lsp` is for editors, not for a terminal",
            "`alongside lsp --help` shows how an editor starts it; for a terminal use `alongside`",
        ));
    }
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let (connection, threads) = Connection::stdio();
    let reach = async |client: Client| reach(client, args.pid, globals.clone()).await;
    let program = Program {
        version: env!("CARGO_PKG_VERSION"),
        here,
        review_directory: reviews_directory(),
        drafts: draft_keeper(),
        agent_setup: agent_setup::of_this_user(),
    };
    alongside_lsp::run(connection, program, remote::of, reach).await;
    // The threads end once the last answer is written.
    let end = tokio::task::spawn_blocking(|| threads.join());
    match tokio::time::timeout(LAST_ANSWER_TIMEOUT, end).await {
        Ok(Ok(Err(error))) => Err(error).context("the editor sent a message that is not LSP"),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The time for writing the last answer.
const LAST_ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the directory in which proposals are shown as files, below the private directory of hosts.
fn reviews_directory() -> Option<PathBuf> {
    let directories = RuntimeDirs::of_this_process();
    let opened = directories.open();
    let opened = opened.inspect_err(|error| tracing::error!(%error, "proposals cannot be shown"));
    Some(opened.ok()?.path().canonical().ok()?.join("reviews"))
}

/// Joins the companion of an editor's projects, or starts one.
async fn reach(client: Client, pid: Option<u32>, globals: Globals) -> Result<Desk, Problem> {
    let editor = editor_process::of(&client, pid);
    tracing::info!(?editor, "the editor");
    let diagnostics = client.diagnoses;
    let request = JoinRequest { diagnostics, ..JoinRequest::editor(editor, client.roots, globals) };
    match alongside_host::join(request).await {
        Ok(reached) => Ok(reached.desk),
        Err(error) => {
            let (what, hints) = parts(&error);
            let hint = (!hints.is_empty()).then(|| hints.join("\n"));
            Err(Problem { what: format!("agents cannot reach this editor: {what}"), hint })
        }
    }
}
