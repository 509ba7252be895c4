//! The hover on a proposal, and on its announcement in the target. A proposal shows only the new text; a
//! hover shows the old one, all of it.

use alongside_desk::{Hunk, HunkState, Review, Text};
use serde_json::{Value, json};

use super::lsp_types as lsp;
use super::messages;
use super::proposal::{Proposal, is_typed, shown};
use crate::client::Client;
use crate::hunk_diff::{fenced, hunk_diff};

/// A hover, without the marks of any format.
#[derive(Debug)]
pub(crate) enum Hover {
    /// The changes at the line.
    Changes(Vec<Change>),
    /// The way to a change: its line, its number, and the number of all.
    Elsewhere { is_next: bool, line: usize, number: usize, count: usize },
    /// The announcement in the target: the size of the proposal, the diff of its first changes, and how many
    /// others there are.
    Announced { size: String, diff: String, others: usize },
}

/// The most changes in the hover on an announcement: some editors lay out everything.
const MAX_ANNOUNCED: usize = 10;

/// A change under the cursor.
#[derive(Debug)]
pub(crate) struct Change {
    number: usize,
    count: usize,
    state: HunkState,
    /// Its lines are the person's only: the agent left them as they are.
    is_typed: bool,
    /// The person removed all of its lines.
    is_deleted: bool,
    /// The proposal counts as a whole only.
    is_whole: bool,
    /// The diff that counts, from the original.
    diff: String,
    /// The agent's own diff, if the person has changed it.
    proposed: Option<String>,
}

/// The hover at a line of a proposal; `None` if the proposal has no changes.
pub(crate) fn at(proposal: &Proposal, line: usize) -> Option<Hover> {
    let review = &proposal.review;
    let count = review.hunks.len();
    let here = proposal.hunks_at((line, line));
    if !here.is_empty() {
        let changes =
            here.into_iter().filter_map(|index| Some(change(proposal, index, review.hunks.get(index)?)));
        return Some(Hover::Changes(changes.collect()));
    }
    let lines = Text::new(review.current.clone()).len();
    let start = |hunk: &Hunk| shown(hunk.current, lines).start;
    let next = review.hunks.iter().position(|hunk| start(hunk) > line);
    let index = next.or(count.checked_sub(1))?;
    let line = start(review.hunks.get(index)?) + 1;
    Some(Hover::Elsewhere { is_next: next.is_some(), line, number: index + 1, count })
}

/// The hover on the announcement of a proposal in its target.
pub(crate) fn on_target(review: &Review) -> Hover {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let current = Text::new(review.current.clone());
    let first = review.hunks.iter().take(MAX_ANNOUNCED);
    let diff = first.map(|hunk| hunk_diff((&original, hunk.original), (&current, hunk.current))).collect();
    let others = review.hunks.len().saturating_sub(MAX_ANNOUNCED);
    Hover::Announced { size: messages::changes(review), diff, others }
}

fn change(proposal: &Proposal, index: usize, hunk: &Hunk) -> Change {
    let review = &proposal.review;
    let original = Text::new(review.original.clone().unwrap_or_default());
    let proposed = Text::new(review.proposed.clone());
    let proposed = hunk_diff((&original, hunk.original), (&proposed, hunk.proposed));
    let is_edited = hunk.state == HunkState::Edited;
    let diff = match is_edited {
        true => hunk_diff((&original, hunk.original), (&Text::new(review.current.clone()), hunk.current)),
        false => proposed.clone(),
    };
    Change {
        number: index + 1,
        count: review.hunks.len(),
        state: hunk.state,
        is_typed: is_typed(review, hunk),
        is_deleted: is_edited && hunk.current.is_empty(),
        is_whole: review.whole_file_only.is_some(),
        diff,
        proposed: Some(proposed).filter(|proposed| is_edited && !proposed.is_empty()),
    }
}

impl Hover {
    /// The hover in a format that the editor shows.
    pub(crate) fn to_lsp(&self, client: &Client) -> Value {
        let formats = client.capabilities.pointer("/textDocument/hover/contentFormat");
        let formats = formats.and_then(Value::as_array);
        let is_markdown = formats.is_none_or(|formats| formats.iter().any(|format| format == "markdown"));
        let kind = if is_markdown { lsp::MarkupKind::Markdown } else { lsp::MarkupKind::PlainText };
        let value = self.text(is_markdown, client.editor.actions_key);
        json!({ "contents": lsp::MarkupContent { kind, value } })
    }

    fn text(&self, is_markdown: bool, key: Option<&str>) -> String {
        let actions = match key {
            Some(key) if is_markdown => format!("`{key}`"),
            Some(key) => key.to_owned(),
            None => "a code action".to_owned(),
        };
        let block = |diff: &str| if is_markdown { fenced(diff) } else { diff.trim_end().to_owned() };
        match self {
            Self::Elsewhere { is_next, line, number, count } => {
                messages::change_elsewhere(*is_next, *line, *number, *count)
            }
            Self::Announced { size, diff, others } => {
                let heading = messages::waiting_here(size, &actions);
                let heading = if is_markdown { format!("**{heading}**") } else { heading };
                let diff = (!diff.is_empty()).then(|| block(diff));
                let others = (*others > 0).then(|| messages::changes_left_out(*others));
                [Some(heading), diff, others].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
            }
            Self::Changes(changes) => {
                let parts = changes.iter().flat_map(|change| {
                    let proposed = change.proposed.as_deref();
                    let proposed = proposed.map(|diff| [messages::AGENT_PROPOSED.to_owned(), block(diff)]);
                    [change.heading(is_markdown, &actions), block(&change.diff)]
                        .into_iter()
                        .chain(proposed.into_iter().flatten())
                });
                parts.collect::<Vec<_>>().join("\n\n")
            }
        }
    }
}

impl Change {
    fn heading(&self, is_markdown: bool, actions: &str) -> String {
        let state =
            messages::change_state(self.number, self.count, self.state, self.is_typed, self.is_deleted);
        let remedy = match self.is_whole {
            true => messages::decide_whole(actions),
            false => messages::change_again(self.state, self.is_typed, actions),
        };
        if is_markdown { format!("**{state}** {remedy}") } else { format!("{state} {remedy}") }
    }
}
