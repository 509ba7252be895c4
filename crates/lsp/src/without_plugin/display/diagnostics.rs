//! Diagnostics as marks of reviews, which every editor draws at a line and steps through.

use alongside_desk::{HunkState, Lines, Range, Review, Text, messages as desk_messages, without_ending};

use super::hunk_messages;
use crate::encoding::Encoding;
use crate::without_plugin::commands::hunks_at_lines::shown;
use crate::without_plugin::editor::Editor;
use crate::without_plugin::lsp_types as lsp;
use crate::without_plugin::messages;
use crate::without_plugin::open_documents::positions::position;

/// Returns the mark in the target of a review, at its first change. `lacks_actions`: this server offers no
/// actions there.
pub(crate) fn on_target(review: &Review, editor: &Editor, lacks_actions: bool) -> lsp::Diagnostic {
    let [text, ..] = review.texts();
    let start = target_line(review);
    let line = Lines { start, end: start + 1 };
    let said = messages::mark(review, editor.roots(), editor.kind().showing_key(), lacks_actions);
    mark(lsp::Severity::Information, line, &text, editor.encoding(), said)
}

/// Returns the line of the target that has the mark.
pub(crate) fn target_line(review: &Review) -> usize {
    let first = review.hunks.first().map(|hunk| hunk.original).unwrap_or_default();
    let [original, ..] = review.texts();
    shown(first, original.len()).start
}

/// Returns the marks in a proposal: that nobody waits for it, as long as it is so, and the text before and
/// the state of each hunk. `editor` is the text there.
pub(crate) fn in_proposal(review: &Review, editor: &Text, encoding: Encoding) -> Vec<lsp::Diagnostic> {
    let [original, proposed, current] = review.texts();
    let lines = current.len();
    let hunks = review.hunks.iter().map(|hunk| {
        let severity = match hunk.state {
            HunkState::Dropped => lsp::Severity::Hint,
            HunkState::Kept | HunkState::Edited => lsp::Severity::Information,
        };
        let texts = [(&original, hunk.original), (&proposed, hunk.proposed), (&current, hunk.current)];
        let texts = texts.map(|(text, lines)| text.lines(lines.start..lines.end));
        let place = shown(hunk.current, lines);
        if !hunk.current.is_empty() {
            let said = hunk_messages::hunk(hunk.state, texts, None);
            return mark(severity, place, editor, encoding, said);
        }
        let is_above = hunk.current.start <= place.start;
        let said = hunk_messages::hunk(hunk.state, texts, Some(if is_above { "above" } else { "below" }));
        let mut mark = mark(severity, place, editor, encoding, said);
        // The marked line itself has not changed.
        match is_above {
            true => mark.range.end = mark.range.start,
            false => mark.range.start = mark.range.end,
        }
        mark
    });
    let line = Lines { start: 0, end: 1 };
    let unawaited = desk_messages::unawaited(review)
        .map(|said| mark(lsp::Severity::Warning, line, editor, encoding, said));
    unawaited.into_iter().chain(hunks).collect()
}

/// Returns the marks in a proposal whose review has ended: they stay, while a message goes with the next key.
/// `late` is the line that the person types.
pub(crate) fn in_ended(editor: &Text, encoding: Encoding, late: Option<usize>) -> Vec<lsp::Diagnostic> {
    let at = |line: usize, said: &str| {
        let line = Lines { start: line, end: line + 1 };
        mark(lsp::Severity::Warning, line, editor, encoding, said.to_owned())
    };
    match late {
        None => vec![at(0, messages::ENDED_MARK)],
        Some(0) => vec![at(0, messages::TYPED_LATE_MARK)],
        Some(line) => vec![at(0, messages::ENDED_MARK), at(line, messages::TYPED_LATE_MARK)],
    }
}

fn mark(
    severity: lsp::Severity,
    lines: Lines,
    text: &Text,
    encoding: Encoding,
    message: String,
) -> lsp::Diagnostic {
    // The editor may still have another text for a moment.
    let start = lines.start.min(text.len().saturating_sub(1));
    let last = lines.end.clamp(start + 1, text.len().max(start + 1)) - 1;
    let end = text.lines(0..last).len() + without_ending(text.lines(last..last + 1)).len();
    let start = position(text, text.lines(0..start).len(), encoding);
    let range = Range { start, end: position(text, end, encoding) };
    lsp::Diagnostic { range, severity, source: "alongside", message }
}
