//! Code actions and lenses for reviews. Each runs a command whose arguments hold the state that the person
//! saw.

use std::path::PathBuf;

use alongside_desk::{HunkState, Position, Review, Text};
use lsp_types as lsp;
use serde_json::{Value, json};

use super::command_queue::HunkStart;
use super::messages;
use super::positions::to_lsp as position_to_lsp;
use super::proposal::{Proposal, shown, start_of};

/// A command with a title.
fn command(review: &Review, title: String, name: &str, mut arguments: Value) -> lsp::Command {
    arguments["review"] = json!(review.id);
    arguments["revision"] = json!(review.revision);
    lsp::Command {
        title,
        tooltip: None,
        command: format!("alongside.{name}"),
        arguments: Some(vec![arguments]),
    }
}

/// Shows a proposal, from any document.
pub(crate) fn show(review: &Review, roots: &[PathBuf]) -> lsp::Command {
    command(review, messages::show(review, roots), "review", json!({}))
}

/// Shows the text before the proposal.
pub(crate) fn original(review: &Review) -> lsp::Command {
    command(review, "alongside: Show the original".to_owned(), "original", json!({}))
}

/// Accept and reject. The titles name the file where several reviews are open.
pub(crate) fn decide(review: &Review, roots: &[PathBuf], is_named: bool) -> [lsp::Command; 2] {
    let kept = review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped).count();
    let count = if kept < review.hunks.len() {
        format!(" ({kept} of {} changes)", review.hunks.len())
    } else {
        String::new()
    };
    let doubts = messages::doubts(review, roots);
    let name = if is_named { format!(" {}", messages::file_name(review, roots)) } else { String::new() };
    let accept = match &doubts {
        // The doubts name the file.
        Some(doubts) => format!("alongside: Accept although {doubts}{count}"),
        None => format!("alongside: Accept{name}{count}"),
    };
    [
        command(review, accept, "accept", json!({ "although": doubts.is_some() })),
        command(review, format!("alongside: Reject{name}"), "reject", json!({})),
    ]
}

/// Everything that a person can do in a proposal at some lines.
pub(crate) fn in_proposal(
    proposal: &Proposal,
    roots: &[PathBuf],
    lines: (usize, usize),
    is_named: bool,
) -> Vec<lsp::Command> {
    let review = &proposal.review;
    let mut actions = Vec::new();
    let at: Vec<usize> = match review.whole_file_only {
        Some(_) => Vec::new(),
        None => proposal.hunks_at(lines),
    };
    for (name, verb, already) in [("drop", "Drop", HunkState::Dropped), ("keep", "Keep", HunkState::Kept)] {
        let hunks: Vec<HunkStart> = at
            .iter()
            .filter_map(|index| review.hunks.get(*index).filter(|hunk| hunk.state != already))
            .map(start_of)
            .collect();
        let title = match hunks.len() {
            0 => continue,
            1 => format!("alongside: {verb} this change"),
            many => format!("alongside: {verb} these {many} changes"),
        };
        actions.push(command(review, title, name, json!({ "hunks": hunks })));
    }
    if review.hunks.len() > 1 {
        let next = "alongside: Next change".to_owned();
        actions.push(command(review, next, "next", json!({ "line": lines.1 })));
    }
    actions.extend(decide(review, roots, is_named));
    actions
}

/// The same commands as lenses above the lines.
pub(crate) fn lenses(proposal: &Proposal, roots: &[PathBuf], is_named: bool) -> Vec<lsp::CodeLens> {
    let review = &proposal.review;
    let lens = |line: usize, command: lsp::Command| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let at = position_to_lsp(Position { line, character: 0 });
        let title = command.title.trim_start_matches("alongside: ").to_owned();
        let command = Some(lsp::Command { title, ..command });
        lsp::CodeLens { range: lsp::Range { start: at, end: at }, command, data: None }
    };
    let mut lenses: Vec<_> = decide(review, roots, is_named).map(|command| lens(0, command)).into();
    if review.whole_file_only.is_none() {
        let lines = Text::new(review.current.clone()).len();
        for hunk in &review.hunks {
            let (verb, name) =
                if hunk.state == HunkState::Kept { ("Drop", "drop") } else { ("Keep", "keep") };
            let hunks = json!({ "hunks": [start_of(hunk)] });
            let command = command(review, format!("{verb} this change"), name, hunks);
            lenses.push(lens(shown(hunk.current, lines).start, command));
        }
    }
    lenses
}

/// Commands as code actions, or as they are for editors without `literals`; none if the editor asks for
/// another kind.
pub(crate) fn to_lsp(commands: Vec<lsp::Command>, params: &Value, literals: bool) -> Value {
    let only = params.pointer("/context/only").and_then(Value::as_array);
    let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == "quickfix");
    if only.is_some_and(|only| !only.iter().any(wanted)) {
        return json!([]);
    }
    if !literals {
        return json!(commands);
    }
    let actions = commands.into_iter().map(|command| lsp::CodeAction {
        title: command.title.clone(),
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: None,
        is_preferred: None,
        disabled: None,
        edit: None,
        command: Some(command),
        data: None,
        tags: None,
    });
    json!(actions.collect::<Vec<_>>())
}
