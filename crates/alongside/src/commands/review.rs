//! `alongside review`: joins or starts the companion of a project, and reviews line by line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use alongside_common::failure::{Hint, failure};
use alongside_common::globals::Globals;
use alongside_common::signals::{self, Signals};
use alongside_host::{JoinRequest, JoinedDesk, project_of};
use alongside_platform::paths::Canonical as _;
use alongside_terminal::DraftStore;
use anyhow::Context;

use super::agent_setup;
use crate::draft_keeper::draft_keeper;
use crate::line_mode::json::JsonDesk;
use crate::line_mode::turn::{self, TurnDesk};
use crate::line_mode::{Ending, LineDesk, Policy};
use alongside_desk::{Request, harmless};

/// Review proposed changes line by line
///
/// Agents that run in the project find the companion by themselves, from any terminal. They learn which files
/// you save. Each change that they propose is shown here hunk by hunk, as with `git add -p`: keep it, drop
/// it, split it, or edit it in $VISUAL or $EDITOR, then accept or reject the file. Nothing is accepted unless
/// you accept it. The agent writes the file; alongside does not.
///
/// Start this before the agent, which looks for a companion only when it starts. Restart an agent that runs
/// already, or type `/ide enable` in it if it had a companion before.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside review                  in the project you are in
  alongside review ~/api ~/web      for two projects at once
  alongside review --json           for programs (see docs/review-json.md)
  alongside review --since          what changed since the last turn of an agent
  alongside review --since HEAD~2   what changed since that commit

Exit codes: 0 after q, 1 after an error, 130, 143 or 129 after Ctrl-C, SIGTERM or SIGHUP.
With --since, 0 also where nothing has changed, and 1 also where a change could not be undone.")]
pub(crate) struct Args {
    /// The projects [default: that of the current directory, up to the top of its repository]
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Join the companion with this process ID or beginning of its name (see `alongside status`)
    #[arg(long, value_name = "HOST")]
    host: Option<String>,

    /// Read and write JSON, one object per line, instead of asking a person
    #[arg(long, conflicts_with_all = ["accept_all", "reject_all"])]
    json: bool,

    /// Accept every proposal at once, unread: agents can then write anything
    #[arg(long, conflicts_with = "reject_all")]
    accept_all: bool,

    /// Reject every proposal at once
    #[arg(long)]
    reject_all: bool,

    /// Review what has changed in the project since REV, whoever wrote it, and undo parts of it
    ///
    /// REV is a revision of the repository, as git names it. Without REV: since the last turn of an agent, or
    /// since the last commit where no turn is known. Each change stays unless you mark it with n; nothing is
    /// written before you confirm the list of all that is undone. Proposals are not decided here.
    #[arg(long, value_name = "REV", display_order = 1, conflicts_with_all = ["accept_all", "reject_all"])]
    since: Option<Option<String>>,
}

impl Args {
    fn policy(&self) -> Policy {
        match (self.accept_all, self.reject_all) {
            (true, _) => Policy::AcceptAll,
            (_, true) => Policy::RejectAll,
            _ => Policy::Ask,
        }
    }

    /// Returns the request for a turn review, if `--since` asks for one.
    fn turn_request(&self, roots: &[PathBuf]) -> anyhow::Result<Option<Request>> {
        let Some(since) = self.since.clone() else { return Ok(None) };
        let directory = match roots {
            // With a named host, the review is about that host's project.
            _ if self.host.is_some() && self.dirs.is_empty() => None,
            [root] => Some(root.canonical().hint("give a directory that exists")?),
            _ => return Err(failure("--since reviews one project", "name one directory, or none")),
        };
        let unnameable = || failure("the path of the project is not UTF-8", "rename the directory");
        let named = |directory: PathBuf| directory.to_str().map(str::to_owned).ok_or_else(unnameable);
        Ok(Some(turn::review_request(directory.map(named).transpose()?, since)))
    }
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    let roots = roots(&args.dirs)?;
    let turn_request = args.turn_request(&roots)?;
    let mut signals = Signals::listen()?;
    let name = if args.json { "alongside review --json" } else { "alongside review" };
    let request = JoinRequest::desk(name, roots.clone(), args.host.clone(), globals);
    let reached = tokio::select! {
        reached = alongside_host::join(request) => reached?,
        // Joining a stopped host waits, and must be interruptible.
        signal = signals.next() => return Ok(signals::exit_code(signal)),
    };
    let ending = match (args.json, turn_request) {
        (true, turn_request) => program_review(JsonDesk::new(reached.desk, turn_request), &mut signals).await,
        (false, Some(request)) => {
            let drafts = DraftStore::among_drafts(draft_keeper());
            turn_review(TurnDesk::new(reached.desk, request, drafts), &mut signals).await
        }
        (false, None) => line_review(&args, roots, reached, &mut signals).await,
    };
    Ok(match ending {
        Ending::Left | Ending::Done => ExitCode::SUCCESS,
        Ending::Signal(signal) => signals::exit_code(signal),
        Ending::Gone | Ending::OutputClosed | Ending::Failed => ExitCode::FAILURE,
    })
}

async fn program_review(mut desk: JsonDesk, signals: &mut Signals) -> Ending {
    let ending = desk.run(signals).await;
    if !has_lost_terminal(ending) {
        desk.finish().await;
    }
    ending
}

async fn turn_review(mut desk: TurnDesk, signals: &mut Signals) -> Ending {
    let ending = desk.run(signals).await;
    if !has_lost_terminal(ending) {
        desk.finish(ending).await;
    }
    ending
}

async fn line_review(args: &Args, roots: Vec<PathBuf>, reached: JoinedDesk, signals: &mut Signals) -> Ending {
    let policy = args.policy();
    let host = reached.welcome.alongside;
    let mut served = host.roots;
    // The host adds the projects of a desk right after its welcome.
    let is_added = |own: &PathBuf| args.host.is_none() && !served.iter().any(|root| own.starts_with(root));
    let added: Vec<_> = roots.into_iter().filter(is_added).collect();
    served.extend(added);
    let drafts = Some(DraftStore::among_drafts(draft_keeper()));
    let mut desk = LineDesk::new(reached.desk, served.clone(), policy, drafts);
    let has_keyboard = std::io::IsTerminal::is_terminal(&std::io::stdin());
    if let Some(remark) = agent_setup::unconnected_remark().await {
        desk.say(&remark);
    }
    desk.say(&welcome(&served, host.port, policy, has_keyboard));
    let ending = desk.run(signals, std::future::pending()).await;
    if !has_lost_terminal(ending) {
        desk.finish(ending).await;
    }
    ending
}

/// Whether the terminal is gone. The person may come back, so the desk does not leave, and the companion
/// waits.
fn has_lost_terminal(ending: Ending) -> bool {
    ending == Ending::Signal(signals::HANGUP)
}

/// Returns the directories as absolute paths in the given spelling, or the project of the current directory.
pub(super) fn roots(dirs: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if dirs.is_empty() {
        let here =
            std::env::current_dir().context("the current directory is gone").hint("cd into a project")?;
        return Ok(vec![project_of(&here)]);
    }
    dirs.iter().map(|dir| root(dir)).collect()
}

fn root(dir: &Path) -> anyhow::Result<PathBuf> {
    let shown = dir.display();
    let found = std::fs::metadata(dir).with_context(|| format!("cannot use {shown} as a project"));
    if !found.hint("give a directory that exists, or none for the current one")?.is_dir() {
        return Err(failure(format!("{shown} is not a directory"), "give the directory of a project"));
    }
    std::path::absolute(dir).with_context(|| format!("cannot make {shown} an absolute path"))
}

/// Returns the text at the start. `has_keyboard`: whether a person can type here.
fn welcome(roots: &[PathBuf], port: u16, policy: Policy, has_keyboard: bool) -> String {
    let roots: Vec<_> = roots.iter().map(|root| harmless::path(root)).collect();
    let next = match policy {
        Policy::Ask if has_keyboard => "Waiting for proposals. (l list, z pause context, ? help, q quit)",
        Policy::Ask => "Waiting for proposals.",
        Policy::AcceptAll => "Every proposal is accepted at once. Ctrl-C ends this.",
        Policy::RejectAll => "Every proposal is rejected at once. Ctrl-C ends this.",
    };
    format!(
        "alongside serves {} (port {port}).\n\
         Agents started there connect automatically; restart one that runs already.\n{next}",
        roots.join(" and ")
    )
}
