//! The hover on a proposal, and on its announcement in the target. A proposal shows only the new text; a
//! hover shows the old one, all of it.

use alongside_desk::{Hunk, HunkState, Review, Text};
use alongside_presentation::{fenced, hunk_diff};
use serde_json::{Value, json};

use crate::client::Client;
use crate::without_plugin::commands::hunks_at_lines::{hunks_at, is_typed, line_count, shown};
use crate::without_plugin::messages;

/// The most changes in the hover on an announcement: some editors lay out everything.
const MAX_ANNOUNCED: usize = 10;

/// Returns the hover at a line of a proposal: the changes there, or the way to another one; `None` if the
/// proposal has no changes.
pub(crate) fn at(review: &Review, line: usize, client: &Client) -> Option<Value> {
    let format = Format::of(client);
    let (count, lines) = (review.hunks.len(), line_count(review));
    let here = hunks_at(review, (line, line));
    if !here.is_empty() {
        let hunks = here.into_iter().filter_map(|index| Some((index + 1, review.hunks.get(index)?)));
        return Some(format.hover(hunks.flat_map(|(number, hunk)| change(review, number, hunk, &format))));
    }
    let start = |hunk: &Hunk| shown(hunk.current, lines).start;
    let next = review.hunks.iter().position(|hunk| start(hunk) > line);
    let index = next.or(count.checked_sub(1))?;
    let line = start(review.hunks.get(index)?) + 1;
    Some(format.hover([messages::change_elsewhere(next.is_some(), line, index + 1, count)]))
}

/// Returns the hover on the announcement of a proposal in its target: its size, and the diff of its first
/// changes.
pub(crate) fn on_target(review: &Review, client: &Client) -> Value {
    let format = Format::of(client);
    let [original, _, current] = review.texts();
    let first = review.hunks.iter().take(MAX_ANNOUNCED);
    let diff: String =
        first.map(|hunk| hunk_diff((&original, hunk.original), (&current, hunk.current))).collect();
    let others = review.hunks.len().saturating_sub(MAX_ANNOUNCED);
    let heading = format.bold(&messages::waiting_here(&messages::changes(review), &format.actions));
    let diff = (!diff.is_empty()).then(|| format.block(&diff));
    format.hover([heading].into_iter().chain(diff).chain(messages::changes_left_out(others)))
}

/// Returns a change under the cursor: its state, the diff that counts, and the agent's own one if the person
/// has edited it.
fn change(review: &Review, number: usize, hunk: &Hunk, format: &Format) -> Vec<String> {
    let [original, proposed, current] = review.texts();
    let diff = |text: &Text, lines| hunk_diff((&original, hunk.original), (text, lines));
    let proposed = diff(&proposed, hunk.proposed);
    let is_edited = hunk.state == HunkState::Edited;
    let (is_typed, is_deleted) = (is_typed(review, hunk), is_edited && hunk.current.is_empty());
    let state = messages::change_state(number, review.hunks.len(), hunk.state, is_typed, is_deleted);
    let remedy = match review.whole_file_only {
        Some(_) => messages::decide_whole(&format.actions),
        None => messages::change_again(hunk.state, is_typed, &format.actions),
    };
    let heading = format!("{} {remedy}", format.bold(&state));
    if !is_edited {
        return vec![heading, format.block(&proposed)];
    }
    let mut parts = vec![heading, format.block(&diff(&current, hunk.current))];
    if !proposed.is_empty() {
        parts.extend([messages::AGENT_PROPOSED.to_owned(), format.block(&proposed)]);
    }
    parts
}

/// A format that the editor shows.
struct Format {
    is_markdown: bool,
    /// The keys or words by which the person opens the code actions.
    actions: String,
}

impl Format {
    fn of(client: &Client) -> Self {
        let formats = client.capabilities.pointer("/textDocument/hover/contentFormat");
        let formats = formats.and_then(Value::as_array);
        let is_markdown = formats.is_none_or(|formats| formats.iter().any(|format| format == "markdown"));
        let actions = match client.kind.actions_key {
            Some(key) if is_markdown => format!("`{key}`"),
            Some(key) => key.to_owned(),
            None => "a code action".to_owned(),
        };
        Self { is_markdown, actions }
    }

    fn bold(&self, text: &str) -> String {
        if self.is_markdown { format!("**{text}**") } else { text.to_owned() }
    }

    fn block(&self, diff: &str) -> String {
        if self.is_markdown { fenced(diff) } else { diff.trim_end().to_owned() }
    }

    fn hover(&self, parts: impl IntoIterator<Item = String>) -> Value {
        let kind = if self.is_markdown { "markdown" } else { "plaintext" };
        let parts: Vec<_> = parts.into_iter().collect();
        json!({ "contents": { "kind": kind, "value": parts.join("\n\n") } })
    }
}
