//! `alongside review`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::Globals;
use crate::failure::{Hint, failure};
use crate::host::{self, Wish};
use crate::line::json::JsonDesk;
use crate::line::{Ending, LineDesk, Policy};
use crate::signals::{self, Signals};
use alongside_desk::harmless;

/// Be the companion of a project, and decide here what agents propose
///
/// Agents that run in the project find this by themselves, from any terminal. They learn which files you
/// save, and each change they propose is shown here, hunk by hunk as with `git add -p`: keep it, drop it,
/// split it, edit it in $VISUAL or $EDITOR, and accept or reject the file. Nothing is accepted unless you say
/// so, and the agent writes the file, not this program.
///
/// Start this first: an agent looks for a companion once, when it starts. One that already runs is restarted,
/// or, if it knew of a companion before, told `/ide enable`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside review                  in the project you are in
  alongside review ~/api ~/web      for two projects at once
  alongside review --json           for programs: see docs/review-json.md

Exit codes: 0 after q, 1 after an error, 130, 143 or 129 after Ctrl-C, SIGTERM or SIGHUP.")]
pub(crate) struct Args {
    /// The projects; the current directory if none is given
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Join the companion of this name or process, where several serve the project (see `alongside status`)
    #[arg(long, value_name = "HOST")]
    host: Option<String>,

    /// Speak JSON, one object per line, instead of asking a person
    #[arg(long, conflicts_with_all = ["accept_all", "reject_all"])]
    json: bool,

    /// Accept every proposal at once, unseen: agents may then write whatever they like
    #[arg(long, conflicts_with = "reject_all")]
    accept_all: bool,

    /// Reject every proposal at once
    #[arg(long)]
    reject_all: bool,
}

impl Args {
    fn policy(&self) -> Policy {
        match (self.accept_all, self.reject_all) {
            (true, _) => Policy::AcceptAll,
            (_, true) => Policy::RejectAll,
            _ => Policy::Ask,
        }
    }
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    let roots = roots(&args.dirs)?;
    let mut signals = Signals::listen()?;
    let reached = tokio::select! {
        reached = host::reach(Wish::desk(roots.clone(), args.host.clone(), globals)) => reached?,
        // A host that is frozen is not joined for as long as it is.
        signal = signals.next() => return Ok(signals::exit_code(signal)),
    };
    let ending = if args.json {
        let mut desk = JsonDesk::new(reached.desk);
        let ending = desk.run(&mut signals).await;
        if !is_lost(ending) {
            desk.finish().await;
        }
        ending
    } else {
        let policy = args.policy();
        let serves = reached.welcome.alongside;
        let desk = LineDesk::new(reached.desk, serves.roots.clone(), policy);
        let mut desk = desk.with_drafts(super::draft_store());
        let typed = std::io::IsTerminal::is_terminal(&std::io::stdin());
        desk.say(&welcome(&serves.roots, serves.port, policy, typed));
        let ending = desk.run(&mut signals, std::future::pending()).await;
        if !is_lost(ending) {
            desk.finish(ending).await;
        }
        ending
    };
    Ok(match ending {
        Ending::Left | Ending::Done => ExitCode::SUCCESS,
        Ending::Signal(signal) => signals::exit_code(signal),
        Ending::Gone | Ending::Unread => ExitCode::FAILURE,
    })
}

/// A desk whose terminal went away has not been left: its person may come back, and until then the companion
/// waits.
fn is_lost(ending: Ending) -> bool {
    ending == Ending::Signal(signals::HANGUP)
}

/// The directories as absolute paths, in the spelling that was given.
pub(super) fn roots(dirs: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if dirs.is_empty() {
        let here =
            std::env::current_dir().context("the current directory is gone").hint("cd into a project")?;
        return Ok(vec![here]);
    }
    dirs.iter().map(|dir| root(dir)).collect()
}

fn root(dir: &Path) -> anyhow::Result<PathBuf> {
    let shown = dir.display();
    let found = std::fs::metadata(dir).with_context(|| format!("cannot use {shown} as a project"));
    if !found.hint("give a directory that exists, or none for the current one")?.is_dir() {
        return Err(failure(format!("{shown} is not a directory"), "give the directory of a project"));
    }
    std::path::absolute(dir).with_context(|| format!("cannot tell where {shown} is"))
}

/// `typed` is whether a person can type here.
fn welcome(roots: &[PathBuf], port: u16, policy: Policy, typed: bool) -> String {
    let roots: Vec<_> = roots.iter().map(|root| harmless::path(root)).collect();
    let then = match policy {
        Policy::Ask if typed => "Waiting for proposals. (l list, p pause context, ? help, q leave)",
        Policy::Ask => "Waiting for proposals.",
        Policy::AcceptAll => "Every proposal is accepted at once, as you asked. Ctrl-C ends this.",
        Policy::RejectAll => "Every proposal is rejected at once, as you asked. Ctrl-C ends this.",
    };
    format!(
        "alongside serves {} (port {port}).\n\
         Agents that start in there connect by themselves; restart one that already runs.\n{then}",
        roots.join(" and ")
    )
}
