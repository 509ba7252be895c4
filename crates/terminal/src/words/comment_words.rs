//! The words about comments on a turn at the terminal desk, and the notes with which a page shows comments.

use alongside_desk::messages::sentence;
use alongside_desk::review_model::comment_place::{lines_now, place_in_file};
use alongside_desk::review_model::comment_state::state_words;
use alongside_desk::{Comment, Turn, harmless};

use crate::review_page::{NoteKind, NoteLine, NotePlace, PageNote};
use crate::text::fit::cut_end;

/// The most columns of a quoted comment.
const MAX_QUOTED_COLUMNS: usize = 32;

/// The sentence behind a message, if the companion does not have a comment that the person typed.
pub(crate) const COMES_BACK: &str = " c brings back what you typed.";

/// The message after the person left an input that has a text.
pub(crate) const NOT_KEPT: &str = "The comment is not saved yet.";

/// The message if the person would lose a text by switching to another comment.
pub(crate) const KEEP_FIRST: &str = "Enter saves this text first; Esc sets it aside.";

/// The message after the person removed all text of a comment.
pub(crate) const ENTER_REMOVES: &str = "Enter again removes it; Esc leaves it as it is.";

/// The message if the texts of the file have changed since the person began the comment.
pub(crate) const CHOOSE_AGAIN: &str =
    "The file has changed on disk: look at the lines again, then press Enter.";

/// The message if the file of a comment is no longer in the list.
pub(crate) const FILE_GONE: &str = "The file is not in the list any more.";

/// The message after a change of a comment's text.
pub(crate) const CHANGED: &str = "Comment changed.";

/// The message after the person asked a comment again that an agent has read.
pub(crate) const ASKED_AGAIN: &str = "Asked again: f sends it.";

/// The message after the person removed all text of a comment that is asked again.
pub(crate) const ENTER_TAKES_BACK: &str =
    "Enter again asks no more, and the comment stays as it was read; Esc leaves it.";

/// Returns the message that a comment is no longer asked again. The comment that the agent has read stays.
/// `words`: the text with which the person had asked it again.
pub(crate) fn not_asked_again(words: &str) -> String {
    let words = cut_end(&harmless::name(words.lines().next().unwrap_or_default()), MAX_QUOTED_COLUMNS);
    format!("Not asked again: only \"{words}\" is taken back, and the comment stays as it was read.")
}

/// The message after the person closed a comment that an agent has read.
pub(crate) const CLOSED: &str = "Comment closed.";

/// The message after a comment was removed.
pub(crate) const REMOVED: &str = "Comment removed.";

/// The message after an undo removed a comment that the person had just written.
pub(crate) const TAKEN_BACK: &str =
    "Comment taken back. Ctrl-R writes it again; the next c there begins with its words.";

/// The heading of the comments that the companion does not have, in the list of a turn.
pub(crate) const UNSENT_HEADING: &str = "Typed, and not saved (c brings the last one back):";

/// The sentence instead of a route, while no agent is known.
const NO_ROUTE: &str = "No known agent reads it: the comment waits here until one does.";

/// Returns the sentence about the way and the time in which an agent will read a comment.
pub(crate) fn route(turn: &Turn) -> String {
    let Some(route) = &turn.route else { return NO_ROUTE.into() };
    sentence(&route.words)
}

/// Returns the sentence about the way in which an agent will read the comment that the person types. The
/// finish sends it.
pub(crate) fn route_after_finish(turn: &Turn) -> String {
    let after = if turn.route.is_some() { "After f: " } else { "" };
    format!("{after}{}", route(turn))
}

/// Returns the message that the companion has a new comment.
pub(crate) fn kept(turn: &Turn) -> String {
    let waits = turn.unsent_comments().count();
    match waits {
        _ if turn.route.is_none() => "Comment saved. It waits until a known agent reads it.".into(),
        0 | 1 => "Comment saved. f sends it.".into(),
        waits => format!("Comment saved. f sends {waits}."),
    }
}

/// The lines of a comment, escaped.
pub(crate) fn text_lines(comment: &Comment) -> impl Iterator<Item = String> {
    comment.text.lines().map(|text| harmless::name(text).into_owned())
}

/// The comments on a file as notes beside their lines. Comments without a line are at the top.
pub(crate) fn notes(turn: &Turn, path: &str) -> Vec<PageNote> {
    let is_here = |comment: &&Comment| comment.anchor.path.as_deref() == Some(path);
    turn.comments.iter().filter(is_here).map(|comment| note(comment, turn)).collect()
}

fn note(comment: &Comment, turn: &Turn) -> PageNote {
    let range = lines_now(comment);
    let place = match range.and_then(|range| range.last.checked_sub(1)) {
        None => NotePlace::Top,
        Some(last) if comment.anchor.side.is_new() => NotePlace::BelowNew(last),
        Some(last) => NotePlace::BelowOld(last),
    };
    let (state, on) = (state_words(comment, turn), place_in_file(comment));
    let words = |text: String| NoteLine { text, kind: NoteKind::Words };
    let mut lines = Vec::new();
    let mut title = Some(format!("Comment on {on}{state}: "));
    if comment.lost {
        let text = format!("Comment on {on}{state}; this code is nowhere in the file now:");
        lines.push(NoteLine { text, kind: NoteKind::Warning });
        let code = comment.anchor.code.lines();
        lines.extend(code.map(|text| NoteLine { text: format!("  {text}"), kind: NoteKind::Code }));
        title = None;
    }
    for text in comment.text.lines() {
        lines.push(words(format!("{}{text}", title.take().unwrap_or_default())));
    }
    PageNote { place, covers: range.map_or(0, |range| range.lines().len()), lines }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Anchor, CommentState, LineRange, Side, TurnMessage};

    use super::*;

    #[test]
    fn a_comment_stands_below_its_lines_and_a_lost_one_on_top() {
        let range = |first, last| Some(LineRange { first, last });
        let anchor =
            Anchor { path: Some("a".into()), lines: range(4, 7), side: Side::New, code: "x = 1\n".into() };
        let comment = Comment { anchor, now: range(5, 8), text: "one\ntwo".into(), ..Comment::default() };
        let lost = Comment { lost: true, now: None, state: CommentState::Sent, ..comment.clone() };
        let old = Anchor { side: Side::Old, lines: range(1, 1), ..comment.anchor.clone() };
        let old = Comment { anchor: old, now: range(1, 1), ..comment.clone() };
        let whole = Comment { anchor: Anchor::default(), ..comment.clone() };
        let message = Some(TurnMessage { read: Some(1), ..TurnMessage::default() });
        let turn = Turn { comments: vec![comment, lost, old, whole], message, ..Turn::default() };
        let shown: Vec<_> = notes(&turn, "a")
            .into_iter()
            .map(|note| {
                let lines: Vec<_> = note.lines.iter().map(|line| line.text.clone()).collect();
                (note.place, note.covers, lines.join("|"))
            })
            .collect();
        assert_eq!(
            shown,
            [
                (NotePlace::BelowNew(7), 4, "Comment on lines 5–8: one|two".to_owned()),
                (
                    NotePlace::Top,
                    0,
                    "Comment on lines 4–7 (read); this code is nowhere in the file now:|  x = 1|one|two"
                        .into()
                ),
                (NotePlace::BelowOld(0), 1, "Comment on old line 1: one|two".into()),
            ]
        );
    }
}
