//! Code actions and lenses for reviews. Each runs a command whose arguments hold the state that the person
//! saw.

use std::path::PathBuf;

use alongside_desk::{Hunk, HunkState, Review};
use serde_json::{Value, json};

use super::action_titles::{self, Edits};
use super::command_queue::HunkStart;
use super::hunks_at_lines::{hunks_at, is_typed, line_count, shown, start_of};
use crate::without_plugin::lsp_types as lsp;
use crate::without_plugin::messages;
use crate::without_plugin::open_documents::positions::at_line;

/// The `CodeActionKind` of an answer to a problem.
const QUICK_FIX: &str = "quickfix";

/// Returns a command with a title.
fn command(review: &Review, title: String, name: &str, mut arguments: Value) -> lsp::Command {
    arguments["review"] = json!(review.id);
    arguments["revision"] = json!(review.revision);
    lsp::Command { title, command: format!("alongside.{name}"), arguments: vec![arguments] }
}

/// Shows a proposal, from any document.
pub(crate) fn show(review: &Review, roots: &[PathBuf], named: Named) -> lsp::Command {
    command(review, messages::show(review, roots, &named.agent(review)), "review", json!({}))
}

/// Shows the text before the proposal.
pub(crate) fn original(review: &Review) -> lsp::Command {
    command(review, "alongside: Show the original".to_owned(), "original", json!({}))
}

/// The parts of a review that the titles of its decisions name, which tell the review from other open ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    Nothing,
    File,
    FileAndAgent,
    FileAndAgentNumber,
}

impl Named {
    /// Returns the agent, as far as it tells a review from others.
    fn agent(self, review: &Review) -> String {
        let name = messages::agent_name(review);
        if self == Self::FileAndAgentNumber { format!("{name} #{}", review.agent.number) } else { name }
    }
}

/// Returns the commands that accept and reject a review.
pub(crate) fn decide(review: &Review, roots: &[PathBuf], named: Named) -> [lsp::Command; 2] {
    let kept = review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped).count();
    let count = action_titles::kept(kept, review.hunks.len());
    let doubts = messages::doubts(review, roots);
    let file = messages::file_name(review, roots);
    let agent = match named {
        Named::FileAndAgent | Named::FileAndAgentNumber => format!(" of {}", named.agent(review)),
        Named::Nothing | Named::File => String::new(),
    };
    let name = if named == Named::Nothing { String::new() } else { format!(" {file}{agent}") };
    let accept = match &doubts {
        // The warnings name the file.
        Some(doubts) => format!("alongside: Accept{agent} although {doubts}{count}"),
        None => format!("alongside: Accept{name}{count}"),
    };
    [
        command(review, accept, "accept", json!({ "although": doubts.is_some() })),
        command(review, format!("alongside: Reject{name}"), "reject", json!({})),
    ]
}

/// Returns all actions for a proposal at some lines, in fixed places: the first action concerns the changes
/// there and decides nothing, then accept and reject; actions that are not always offered come last.
pub(crate) fn in_proposal(
    review: &Review,
    roots: &[PathBuf],
    lines: (usize, usize),
    named: Named,
    shows_original: bool,
) -> Vec<lsp::Command> {
    let next = || command(review, action_titles::next_change(review), "next", json!({ "line": lines.1 }));
    let at = if review.whole_file_only.is_some() { Vec::new() } else { hunks_at(review, lines) };
    let changes = Changes { review, hunks: at.iter().filter_map(|index| review.hunks.get(*index)).collect() };
    let first = changes.drop_or_keep();
    let is_change = first.is_some();
    let mut actions = vec![first.unwrap_or_else(next)];
    actions.extend(decide(review, roots, named));
    actions.extend((shows_original && review.original.is_some()).then(|| original(review)));
    actions.extend((is_change && review.hunks.len() > 1).then(next));
    actions.extend(changes.keep_others());
    actions
}

/// The changes of a review that an action concerns.
struct Changes<'r> {
    review: &'r Review,
    hunks: Vec<&'r Hunk>,
}

impl Changes<'_> {
    /// Drops them, or keeps them if all are dropped. `None` if there are none.
    fn drop_or_keep(&self) -> Option<lsp::Command> {
        let is_dropped = |hunk: &Hunk| hunk.state == HunkState::Dropped;
        match self.hunks.iter().all(|hunk| is_dropped(hunk)) {
            true => self.action("keep", action_titles::keep, |_| true),
            false => self.action("drop", action_titles::drop, |hunk| !is_dropped(hunk)),
        }
    }

    /// Restores the agent's text of the changes that have another one, if the first action drops.
    fn keep_others(&self) -> Option<lsp::Command> {
        let is_dropped = self.hunks.iter().all(|hunk| hunk.state == HunkState::Dropped);
        // The agent has no text for lines that only the person changed.
        let has_agents_text = |hunk: &Hunk| hunk.state != HunkState::Kept && !is_typed(self.review, hunk);
        (!is_dropped).then(|| self.action("keep", action_titles::keep, has_agents_text)).flatten()
    }

    fn action(
        &self,
        name: &str,
        title: fn(usize, Edits) -> String,
        is_meant: impl Fn(&Hunk) -> bool,
    ) -> Option<lsp::Command> {
        let meant: Vec<&Hunk> = self.hunks.iter().copied().filter(|hunk| is_meant(hunk)).collect();
        let edited: Vec<&&Hunk> = meant.iter().filter(|hunk| hunk.state == HunkState::Edited).collect();
        let edits = match edited.is_empty() {
            true => Edits::None,
            false if edited.len() == meant.len() && edited.iter().all(|hunk| is_typed(self.review, hunk)) => {
                Edits::Only
            }
            false => Edits::Some,
        };
        let starts: Vec<HunkStart> = meant.iter().map(|hunk| start_of(hunk)).collect();
        let title = format!("alongside: {}", title(meant.len(), edits));
        (!meant.is_empty()).then(|| command(self.review, title, name, json!({ "hunks": starts })))
    }
}

/// Returns the commands on a review as lenses above its lines.
pub(crate) fn lenses(review: &Review, roots: &[PathBuf], named: Named) -> Vec<lsp::CodeLens> {
    let lens = |line: usize, command: lsp::Command| {
        let title = command.title.trim_start_matches("alongside: ").to_owned();
        lsp::CodeLens { range: at_line(line), command: lsp::Command { title, ..command } }
    };
    let mut lenses: Vec<_> = decide(review, roots, named).map(|command| lens(0, command)).into();
    if review.whole_file_only.is_none() {
        let lines = line_count(review);
        let about = |hunk| Changes { review, hunks: vec![hunk] };
        lenses.extend(
            review
                .hunks
                .iter()
                .filter_map(|hunk| Some(lens(shown(hunk.current, lines).start, about(hunk).drop_or_keep()?))),
        );
    }
    lenses
}

/// Commands as code actions, or as they are for editors without `literals`; none if the editor asks for
/// another kind.
pub(crate) fn to_lsp(commands: Vec<lsp::Command>, params: &Value, literals: bool) -> Value {
    let only = params.pointer("/context/only").and_then(Value::as_array);
    let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == QUICK_FIX);
    if only.is_some_and(|only| !only.iter().any(wanted)) {
        return json!([]);
    }
    if !literals {
        return json!(commands);
    }
    let actions = commands.into_iter();
    actions.map(|command| json!({ "title": command.title, "kind": QUICK_FIX, "command": command })).collect()
}
