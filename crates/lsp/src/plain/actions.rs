//! What can be done with a review where the person is, as code actions and lenses. Each is one of our
//! commands, with arguments that say what was meant when it was offered.

use std::path::{Path, PathBuf};

use alongside_desk::{HunkState, Review, ReviewId, Text};
use lsp_types as lsp;
use serde_json::{Value, json};

use super::convention::to_lsp;
use super::proposal::{Proposal, shown};
use super::{Plain, texts};

/// Our commands; each can also be called without arguments.
pub(crate) const COMMANDS: [&str; 9] = [
    "alongside.review",
    "alongside.accept",
    "alongside.reject",
    "alongside.keep",
    "alongside.drop",
    "alongside.next",
    "alongside.undo",
    "alongside.original",
    "alongside.pause",
];

/// What a command is about.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) review: Option<ReviewId>,
    /// The revision that was seen.
    pub(crate) revision: Option<u64>,
    /// Hunks, by where they start.
    pub(crate) hunks: Option<Vec<(usize, usize)>>,
    /// Where the cursor was.
    pub(crate) line: Option<usize>,
    /// What speaks against it was said.
    pub(crate) although: bool,
}

impl Arguments {
    /// Reads them as they come back, or as somebody wrote them by hand: the number of a review alone will do.
    pub(crate) fn read(params: &Value) -> Self {
        let Some(first) = params.pointer("/arguments/0") else { return Self::default() };
        let number = |name: &str| first.get(name).and_then(Value::as_u64);
        let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let typed = first.as_str().and_then(|typed| typed.parse().ok());
        let hunks = first.get("hunks").and_then(Value::as_array).map(|hunks| {
            hunks.iter().filter_map(|hunk| Some((index(hunk.get(0)?)?, index(hunk.get(1)?)?))).collect()
        });
        Self {
            review: number("review").or(first.as_u64()).or(typed).map(ReviewId),
            revision: number("revision"),
            hunks,
            line: first.get("line").and_then(index),
            although: first.get("although").and_then(Value::as_bool) == Some(true),
        }
    }
}

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

impl Plain {
    /// What can be done where the person is: the first and the last line of what is selected. What is about
    /// this document comes first: editors take the first when nothing is chosen.
    pub(super) fn actions(&self, key: Option<&Path>, lines: (usize, usize)) -> Vec<lsp::Command> {
        let roots = &self.client.roots;
        let several = self.reviews.len() > 1;
        let (mut actions, mut about, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for proposal in self.reviews.values() {
            let review = &proposal.review;
            if key.is_some() && proposal.path.as_deref() == key {
                let shows_originals = self.client.capabilities.pointer("/workspace/textDocumentContent");
                actions.extend(in_proposal(proposal, roots, lines, several));
                if shows_originals.is_some_and(Value::is_object) && review.original.is_some() {
                    actions.push(original(review));
                }
            } else if key == Some(&self.target(review)) {
                about.push(anywhere(review, roots));
                about.extend(deciding(review, roots, true));
            } else {
                others.push(anywhere(review, roots));
                if proposal.is_apart {
                    others.extend(deciding(review, roots, true));
                }
            }
        }
        actions.extend(about);
        actions.extend(others);
        actions
    }
}

/// What leads to a proposal, from wherever the person is.
pub(crate) fn anywhere(review: &Review, roots: &[PathBuf]) -> lsp::Command {
    command(review, texts::show(review, roots), "review", json!({}))
}

/// What shows what was there before.
pub(crate) fn original(review: &Review) -> lsp::Command {
    command(review, "alongside: Show the original".to_owned(), "original", json!({}))
}

/// What decides a review. `named`: its file has to be named, because it could be taken for another one.
pub(crate) fn deciding(review: &Review, roots: &[PathBuf], named: bool) -> [lsp::Command; 2] {
    let kept = review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped).count();
    let count = if kept < review.hunks.len() {
        format!(" ({kept} of {} changes)", review.hunks.len())
    } else {
        String::new()
    };
    let doubts = texts::doubts(review, roots);
    let name = if named { format!(" {}", texts::file_name(review, roots)) } else { String::new() };
    let accept = match &doubts {
        // They name it.
        Some(doubts) => format!("alongside: Accept although {doubts}{count}"),
        None => format!("alongside: Accept{name}{count}"),
    };
    [
        command(review, accept, "accept", json!({ "although": doubts.is_some() })),
        command(review, format!("alongside: Reject{name}"), "reject", json!({})),
    ]
}

/// What can be done in a proposal at some lines. What concerns a change needs no name: it is where the person
/// is.
pub(crate) fn in_proposal(
    proposal: &Proposal,
    roots: &[PathBuf],
    lines: (usize, usize),
    named: bool,
) -> Vec<lsp::Command> {
    let review = &proposal.review;
    let mut actions = Vec::new();
    let at: Vec<usize> = match review.whole_file_only {
        Some(_) => Vec::new(),
        None => proposal.hunks_in(lines.0, lines.1).collect(),
    };
    for (name, verb, already) in [("drop", "Drop", HunkState::Dropped), ("keep", "Keep", HunkState::Kept)] {
        let meant: Vec<(usize, usize)> = at
            .iter()
            .filter_map(|index| review.hunks.get(*index).filter(|hunk| hunk.state != already))
            .map(|hunk| (hunk.original.start, hunk.proposed.start))
            .collect();
        let title = match meant.len() {
            0 => continue,
            1 => format!("alongside: {verb} this change"),
            many => format!("alongside: {verb} these {many} changes"),
        };
        actions.push(command(review, title, name, json!({ "hunks": meant })));
    }
    if review.hunks.len() > 1 {
        let next = "alongside: Next change".to_owned();
        actions.push(command(review, next, "next", json!({ "line": lines.1 })));
    }
    actions.extend(deciding(review, roots, named));
    actions
}

/// The same above the lines, for editors that show such things.
pub(crate) fn lenses(proposal: &Proposal, roots: &[PathBuf], named: bool) -> Vec<lsp::CodeLens> {
    let review = &proposal.review;
    let lens = |line: usize, command: lsp::Command| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let at = to_lsp(alongside_desk::Position { line, character: 0 });
        let title = command.title.trim_start_matches("alongside: ").to_owned();
        let command = Some(lsp::Command { title, ..command });
        lsp::CodeLens { range: lsp::Range { start: at, end: at }, command, data: None }
    };
    let mut lenses: Vec<_> = deciding(review, roots, named).map(|command| lens(0, command)).into();
    if review.whole_file_only.is_none() {
        let lines = Text::new(review.current.clone()).len();
        for hunk in &review.hunks {
            let (verb, name) =
                if hunk.state == HunkState::Kept { ("Drop", "drop") } else { ("Keep", "keep") };
            let hunks = json!({ "hunks": [(hunk.original.start, hunk.proposed.start)] });
            let command = command(review, format!("{verb} this change"), name, hunks);
            lenses.push(lens(shown(hunk.current, lines).start, command));
        }
    }
    lenses
}

/// Commands as code actions, for editors that know such; leaves out what was not asked for.
pub(crate) fn as_actions(commands: Vec<lsp::Command>, params: &Value, literals: bool) -> Value {
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
