//! `alongside drafts`: lists, prints, saves and deletes texts that a person typed in a review.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use alongside_common::failure::{Hint, failure};
use alongside_common::person_file::{PersonFile, link_error, links_to};
use alongside_companion::AppDirs;
use alongside_companion::drafts::{Draft, Drafts};
use alongside_terminal::{UndoBack, UndoneText};
use alongside_turns::{TAKEN_BACK, TakeBack, TurnDirs, YOUR_UNDO};
use anyhow::Context;
use clap::Subcommand;
use serde_json::{Value, json};

use super::consent::ConsentOptions;
use crate::age::age;
use alongside_desk::harmless;
use alongside_platform::directories;

/// The line before the reasons of a draft.
const UNREAD_REASONS: &str = "You gave reasons that no agent has read:";

/// The hint below the list.
const HINT: &str =
    "\n`alongside drafts show 1` prints the first one, `alongside drafts save 1 FILE` writes it to a file.\n";

/// The hint below a list with texts that an undo in a turn review has removed.
const UNDO_HINT: &str = "`alongside drafts save N`, without a file, takes an undo back.\n";

/// Recover text that you typed in a review and that did not reach its file
///
/// Drafts are private files, kept for 14 days. Number 1 is the newest draft.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the drafts, newest first (the default)
    List {
        /// Print JSON, for an editor: each draft with its file, its agent and the file that holds its text
        #[arg(long)]
        json: bool,
    },
    /// Print a draft
    Show {
        /// Its number in the list, or its name
        #[arg(value_name = "N")]
        draft: String,
    },
    /// Write a draft to a file, or take an undo of a turn back
    Save {
        /// Its number in the list, or its name
        #[arg(value_name = "N")]
        draft: String,
        /// The file to write; without it, the text before an undo returns to its file, if that has not
        /// changed since
        file: Option<PathBuf>,
        /// Overwrite the file if it exists; a link is refused
        #[arg(long, requires = "file")]
        force: bool,
    },
    /// Delete a draft for good
    Delete {
        /// Its number in the list, or its name
        #[arg(value_name = "N")]
        draft: String,
    },
    /// Delete all drafts for good, after asking
    Clear {
        /// Delete them without asking
        #[arg(long, short)]
        yes: bool,
    },
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let drafts = Drafts::open(&AppDirs::of_this_process());
    drafts.settle();
    let all = drafts
        .list()
        .with_context(|| format!("cannot read the drafts in {}", drafts.directory().display()))?;
    let read = |draft: &Draft| {
        drafts.read(&draft.id).with_context(|| format!("cannot read the draft {}", draft.path.display()))
    };
    let delete = |draft: &Draft| {
        drafts.delete(&draft.id).with_context(|| format!("cannot delete the draft {}", draft.path.display()))
    };
    match args.action.unwrap_or(Action::List { json: false }) {
        Action::List { json: true } => super::print_json(&as_json(&all))?,
        Action::List { json: false } => super::print_lines(&list(&all))?,
        Action::Show { draft } => {
            let draft = find_draft(&all, &draft)?;
            let text = read(draft)?;
            // A terminal gets escapes in place of control characters; a file or a pipe gets the text
            // unchanged.
            let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
            super::print(&if is_terminal { harmless::text(&text) } else { text.as_str().into() })?;
            if !draft.reasons.is_empty() {
                // The reasons do not belong to the text, so they go to standard error.
                super::note(UNREAD_REASONS);
                for reason in draft.reasons.lines() {
                    super::note(reason);
                }
            }
        }
        Action::Save { draft, file: None, .. } => {
            let draft = find_draft(&all, &draft)?;
            let name = harmless::name(&draft.file);
            let places = TurnDirs::of_this_process();
            let result = TakeBack::new(&places).write(Path::new(&draft.file), &draft.path);
            result.map_err(|fault| {
                let hint = "name a file to write it to: `alongside drafts save N FILE`";
                failure(format!("the draft of {name} is not written back: {fault}"), hint)
            })?;
            super::print_lines(&match draft.state() {
                TAKEN_BACK => format!("The undo is made again: {name} is as it left it.\n"),
                _ => format!("The undo is taken back: {name} is as before it.\n"),
            })?;
        }
        Action::Save { draft, file: Some(file), force } => {
            let text = read(find_draft(&all, &draft)?)?;
            save(&file, &text, force)?;
            super::print_lines(&format!("Saved to {}.\n", harmless::path(&file)))?;
        }
        Action::Delete { draft } => {
            let draft = find_draft(&all, &draft)?;
            delete(draft)?;
            super::print_lines(&format!("Deleted the draft of {}.\n", harmless::name(&draft.file)))?;
        }
        Action::Clear { .. } if all.is_empty() => super::print_lines(&list(&all))?,
        Action::Clear { yes } => {
            let (these, number) = match all.len() {
                1 => ("this draft".to_owned(), "1 draft".to_owned()),
                count => (format!("these {count} drafts"), format!("{count} drafts")),
            };
            if !yes {
                super::print_lines(&lines(&all))?;
            }
            let consent = ConsentOptions { yes, ..ConsentOptions::default() };
            let question = format!("Delete {these} for good?");
            if let Err(no) = consent.obtain(&question, "nothing is deleted").await {
                return Ok(no.exit_code());
            }
            all.iter().try_for_each(delete)?;
            super::print(&format!("Deleted {number}.\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the access to undone texts for a desk, which takes undos back.
pub(super) fn undo_back() -> Arc<dyn UndoBack> {
    Arc::new(WriteBack)
}

#[derive(Debug)]
struct WriteBack;

impl UndoBack for WriteBack {
    fn take_back(&self, undone: &[UndoneText]) -> Vec<Result<(), String>> {
        let places = TurnDirs::of_this_process();
        let mut way = TakeBack::new(&places);
        let mut results = Vec::new();
        for text in undone {
            let result = way.write(Path::new(&text.file), Path::new(&text.draft));
            results.push(result.map_err(|fault| fault.to_string()));
        }
        results
    }
}

fn list(all: &[Draft]) -> String {
    if all.is_empty() {
        return "There are no drafts.\n".into();
    }
    let mut text = lines(all);
    text.push_str(HINT);
    if all.iter().any(|draft| draft.agent == YOUR_UNDO) {
        text.push_str(UNDO_HINT);
    }
    text
}

/// Returns the drafts for an editor, in the order of the list.
fn as_json(all: &[Draft]) -> Value {
    let drafts = all.iter().map(|draft| {
        let Draft { id, file, agent, saved_at_ms, reasons, is_only_dropped, path, .. } = draft;
        json!({
            "id": id, "file": file, "agent": agent, "savedAtMs": saved_at_ms, "state": draft.state(),
            "reasons": reasons, "isOnlyDropped": is_only_dropped, "path": path.to_string_lossy(),
        })
    });
    drafts.collect()
}

/// Returns a line for each draft, with its number, and its reasons below it.
pub(super) fn lines(all: &[Draft]) -> String {
    let mut text = String::new();
    for (index, draft) in all.iter().enumerate() {
        let (file, agent) = (harmless::name(&draft.file), harmless::name(&draft.agent));
        let (age, why) = (age(draft.saved_at_ms), harmless::name(draft.state()));
        // Writing to a String does not fail.
        let typed = if draft.is_only_dropped { "; you dropped changes, and typed nothing" } else { "" };
        let _ = writeln!(text, "{}. {file} ({agent}, {age}): {why}{typed}", index + 1);
        if !draft.reasons.is_empty() {
            let _ = writeln!(text, "   {UNREAD_REASONS}");
        }
        for reason in draft.reasons.lines() {
            let _ = writeln!(text, "   {}", harmless::name(reason));
        }
    }
    text
}

/// Returns the draft with this number or name.
fn find_draft<'a>(all: &'a [Draft], name: &str) -> anyhow::Result<&'a Draft> {
    let number = name.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
    number.or_else(|| all.iter().find(|draft| draft.id == name)).ok_or_else(|| {
        failure(
            format!("there is no draft {name:?}"),
            "`alongside drafts` lists the drafts and their numbers",
        )
    })
}

/// Writes a draft to a file that the person names. A link is neither followed nor replaced, because it may
/// come from the repository.
fn save(file: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let path = std::path::absolute(file).with_context(|| format!("cannot write {}", file.display()))?;
    let home = directories::home().unwrap_or_default();
    let project = std::env::current_dir().unwrap_or_default();
    if path.is_symlink() {
        return Err(link_error(&path));
    }
    let hint = "name a file in a directory that exists and that you can write to";
    let target = PersonFile::find(&path, links_to(&path, &home, &project))?;
    let target =
        target.with_context(|| format!("there is no directory for {}", file.display())).hint(hint)?;
    if force {
        return target.replace(text).hint(hint);
    }
    match target.create(text) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(failure(
            format!("{} exists", file.display()),
            "name another file, or use --force to overwrite it",
        )),
        other => other.with_context(|| format!("cannot write {}", file.display())).hint(hint),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn drafts_of_dropped_changes_differ_from_typed_texts() {
        let draft = |dropped: bool| {
            let draft = json!({
                "file": "/p/a.txt", "agent": "Codex", "savedAtMs": 0, "why": "it was rejected",
                "textFile": "a.txt", "isOnlyDropped": dropped,
            });
            serde_json::from_value::<Draft>(draft).unwrap()
        };
        let listed = lines(&[draft(true), draft(false)]);
        let listed: Vec<_> = listed.lines().collect();
        assert!(listed[0].ends_with("it was rejected; you dropped changes, and typed nothing"), "{listed:?}");
        assert!(listed[1].ends_with("it was rejected"), "{listed:?}");
    }

    #[test]
    fn the_list_has_the_unread_reasons() {
        let draft = |reasons: &str| {
            let draft = json!({
                "file": "/p/a.txt", "agent": "Claude Code", "savedAtMs": 0, "why": "it ended",
                "textFile": "a.txt", "reasons": reasons,
            });
            serde_json::from_value::<Draft>(draft).unwrap()
        };
        let listed = lines(&[draft("Reason: too\x1b early\n- For: line 4"), draft("")]);
        let listed: Vec<_> = listed.lines().collect();
        assert!(listed[0].starts_with("1. /p/a.txt (Claude Code, "), "{listed:?}");
        let reasons =
            ["   You gave reasons that no agent has read:", "   Reason: too\\x1b early", "   - For: line 4"];
        assert_eq!(listed[1..4], reasons);
        assert!(listed[4].starts_with("2. /p/a.txt") && listed.len() == 5, "{listed:?}");
    }
}
