//! `alongside turns`: lists the working trees in which changes of turns wait for a review.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use alongside_common::failure::Hint;
use alongside_companion::turns::source::OpenTurn;
use alongside_desk::review_model::comment_state::{answers, not_sent};
use alongside_desk::{AtWork, Turn, harmless};
use alongside_turns::{TurnDirs, UnreviewedTree, clear, unreviewed_in, unreviewed_trees};
use clap::Subcommand;
use serde_json::{Value, json};

/// The exit code if changes wait.
const CHANGES_WAIT: u8 = 1;
/// The exit code if it is unknown whether changes wait.
const UNKNOWN: u8 = 2;
/// The longest wait for a store that another process uses.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// List the changes of turns that wait for your review
///
/// Each working tree in which an agent has begun a turn is listed with what has changed since you last
/// finished a review there. `alongside review --since` shows the changes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,

    /// Only the working tree around this directory
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Print nothing; exit with 1 if changes wait in the working tree (by default that of the current
    /// directory), 0 if none do, 2 if it cannot be told
    #[arg(long, conflicts_with = "json")]
    unreviewed: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Forget all snapshots of a working tree: the next turn begins anew
    Clear {
        /// A directory in the working tree
        #[arg(value_name = "DIR", default_value = ".")]
        directory: PathBuf,
    },
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    tokio::task::spawn_blocking(move || answer(&args)).await?
}

fn answer(args: &Args) -> anyhow::Result<ExitCode> {
    let places = TurnDirs::of_this_process();
    if let Some(Action::Clear { directory }) = &args.action {
        let cleared = clear(&places, directory, Instant::now() + STORE_TIMEOUT)
            .hint("name a directory in the working tree: alongside turns clear DIR")?;
        super::print(&match cleared {
            Some(top) => format!("Forgot the turns of {}.\n", harmless::path(&top)),
            None => "There is nothing to forget.\n".to_owned(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let directory = args.directory.clone().or_else(|| args.unreviewed.then(|| PathBuf::from(".")));
    let found = match &directory {
        Some(directory) => unreviewed_in(&places, directory).map(|waiting| waiting.into_iter().collect()),
        None => Ok(unreviewed_trees(&places)),
    };
    if args.unreviewed {
        return Ok(ExitCode::from(match &found {
            Ok(found) if found.iter().any(|tree| tree.look.is_err()) => UNKNOWN,
            Ok(found) if found.iter().any(has_changes) => CHANGES_WAIT,
            Ok(_) => 0,
            Err(_) => UNKNOWN,
        }));
    }
    let found: Vec<UnreviewedTree> = found.hint("name a directory in a working tree: alongside turns DIR")?;
    if args.json {
        super::print_json(&found.iter().map(as_json).collect())?;
    } else {
        super::print(&list(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a file has changed since the baseline.
fn has_changes(tree: &UnreviewedTree) -> bool {
    tree.look.as_ref().is_ok_and(|look| !look.files.is_empty())
}

fn as_json(tree: &UnreviewedTree) -> Value {
    let root = tree.root.to_string_lossy();
    match &tree.look {
        Ok(look) => json!({
            "root": root,
            "agents": tree.agents,
            "baseline": look.baseline,
            "files": look.files.iter().map(|file| &file.told).collect::<Vec<_>>(),
            "remarks": look.remarks,
            "comments": look.feedback.comments,
            "atWork": at_work(&look.at_work),
        }),
        Err(error) => json!({ "root": root, "agents": tree.agents, "error": error }),
    }
}

/// Returns the agents at work in the form that desks get.
fn at_work(open: &[OpenTurn]) -> Vec<AtWork> {
    open.iter().map(|open| open.told.clone()).collect()
}

fn list(found: &[UnreviewedTree]) -> String {
    if found.is_empty() {
        return "No turn is known. docs/turns.md says how agents note theirs.\n".to_owned();
    }
    found.iter().map(lines).collect()
}

fn lines(tree: &UnreviewedTree) -> String {
    let agents: Vec<_> = tree.agents.iter().map(|agent| harmless::name(agent).into_owned()).collect();
    let agents = if agents.is_empty() { String::new() } else { format!(" ({})", agents.join(", ")) };
    let root = harmless::path(&tree.root);
    let look = match &tree.look {
        Ok(look) => look,
        Err(error) => return format!("{root}{agents}: {}\n", harmless::name(error)),
    };
    let files = match look.files.len() {
        0 => "nothing has changed".to_owned(),
        1 => "1 file has changed".to_owned(),
        count => format!("{count} files have changed"),
    };
    let at = look.baseline.at.map(|at| format!(", {}", crate::age::age(at)));
    let mut text = format!(
        "{root}{agents}: {files} since {}{}\n",
        harmless::name(&look.baseline.name),
        at.unwrap_or_default()
    );
    if let Some(answers) = answers(&look.feedback.comments) {
        text.push_str(&format!("  Your last rounds: {answers}\n"));
    }
    if let Some(sentence) = not_sent(&look.feedback.comments) {
        text.push_str(&format!("  {sentence}\n"));
    }
    let turn = Turn { at_work: at_work(&look.at_work), ..Turn::default() };
    if let Some(sentence) = turn.at_work_words("at work", &[]) {
        text.push_str(&format!("  {sentence}\n"));
    }
    for remark in &look.remarks {
        text.push_str(&format!("  {}\n", harmless::name(remark)));
    }
    text
}
