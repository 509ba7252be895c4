//! The rows of the lists over a turn review: files, comments, and what a finish has done.

use alongside_desk::review_model::comment_place::place;
use alongside_desk::review_model::comment_state::{answers, state_words};
use alongside_desk::{Comment, CommentId, Marked, TurnFile, TurnFinished};

use super::comment_input::UnsentComment;
use crate::text::fit::wrapped;
use crate::turn_files::TurnFiles;
use crate::words::comment_words;
use crate::words::finish_words;
use crate::words::turn_words as words;

/// The columns of a sentence in a list; a narrower screen cuts it.
const SENTENCE: usize = 56;

/// A row of a list over a turn review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnRow {
    Blank,
    Heading(String),
    /// A file, with whether all of it has been on the screen, and what a finish does to it.
    File {
        file: Box<TurnFile>,
        is_seen: bool,
        what: String,
    },
    /// A comment that an agent has read, with its place and its state.
    Comment {
        id: CommentId,
        /// Whether the comment is asked again with the next finish.
        again: bool,
        text: String,
    },
    /// A file that was undone, or the place of a comment.
    Item(String),
    /// A sentence, or a part of it.
    Sentence(String),
    /// A sentence, or a part of it, in the person's words.
    Words(String),
    /// A sentence, or a part of it, about something that is wrong.
    Warning(String),
}

impl TurnRow {
    /// Whether the person can choose the row in a list of files.
    pub(crate) fn is_choice(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Comment { .. })
    }
}

/// The files that were undone and whose text of before is kept, with the draft that holds it.
pub(crate) fn with_draft(finished: &TurnFinished) -> impl Iterator<Item = (&str, &str)> {
    let undone = finished.files.iter().filter(|file| file.refused.is_none());
    undone.filter_map(|file| Some((&*file.path, file.draft.as_deref()?)))
}

/// The end of a finish: files that were undone or not, and the message.
pub(crate) fn finished(finished: &TurnFinished) -> Vec<TurnRow> {
    let mut parts: Vec<Vec<TurnRow>> = Vec::new();
    let (refused, undone): (Vec<_>, Vec<_>) = finished.files.iter().partition(|file| file.refused.is_some());
    let mut part = |heading: &str, rows: Vec<TurnRow>| {
        if !rows.is_empty() {
            let heading = TurnRow::Heading(heading.to_owned());
            parts.push(std::iter::once(heading).chain(rows).collect());
        }
    };
    let row = |path: &str| std::iter::once(TurnRow::Item(words::harmless(path)));
    let back = with_draft(finished).next().map(|_| sentence(finish_words::HOW_BACK, TurnRow::Sentence));
    let undone = undone.iter().flat_map(|file| row(&file.path));
    part("Undone:", undone.chain(back.into_iter().flatten()).collect());
    let why = |why: Option<&str>| sentence(&words::harmless(why.unwrap_or_default()), TurnRow::Warning);
    let refused = refused.iter().flat_map(|file| row(&file.path).chain(why(file.refused.as_deref())));
    part("Not undone; these are as they were:", refused.collect());
    part("The agent is asked to undo:", finished.asked.iter().flat_map(|path| row(path)).collect());
    let sent = finished.sent.as_ref().map(|sent| words::sentence(&sent.words));
    part("Sent:", sent.into_iter().flat_map(|sent| sentence(&sent, TurnRow::Sentence)).collect());
    part(
        "Nothing was sent; comments wait:",
        finished.not_sent.iter().flat_map(|not| why(Some(not))).collect(),
    );
    parts.join(&TurnRow::Blank)
}

/// The files that are marked, below a heading; none if nothing is.
pub(crate) fn marked(files: &TurnFiles, heading: &str) -> Option<Vec<TurnRow>> {
    let row = |(file, marked): (&TurnFile, Marked)| {
        let row = TurnRow::File {
            is_seen: true,
            what: finish_words::undoing(file, marked, files.hunk_count(file)),
            file: Box::new(TurnFile { marked, ..file.clone() }),
        };
        let lines = files.marked_hunks(file).into_iter().flat_map(|(hunk, texts)| {
            let goes = finish_words::marked_lines(hunk, texts);
            std::iter::once(goes).chain(finish_words::returning_line(hunk, texts))
        });
        std::iter::once(row).chain(lines.map(TurnRow::Sentence)).collect::<Vec<_>>()
    };
    let rows: Vec<_> = files.all_marked().flat_map(row).collect();
    let heading = TurnRow::Heading(heading.to_owned());
    (!rows.is_empty()).then(|| std::iter::once(heading).chain(rows).collect())
}

/// The texts that the person typed and that the companion has not taken, below a heading.
pub(crate) fn unsent(unsent: &[UnsentComment]) -> Vec<TurnRow> {
    if unsent.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![TurnRow::Blank, TurnRow::Heading(comment_words::NOT_WRITTEN.into())];
    for text in unsent {
        let place = text.path.as_deref().map_or_else(|| "the whole turn".to_owned(), words::harmless);
        rows.push(TurnRow::Item(place));
        rows.extend(text.text.lines().flat_map(|line| sentence(&words::harmless(line), TurnRow::Words)));
    }
    rows
}

/// The comments that agents have read or that are asked again, below a heading.
pub(crate) fn read(files: &TurnFiles) -> Vec<TurnRow> {
    let turn = files.turn();
    let Some(answers) = answers(&turn.comments) else { return Vec::new() };
    let mut rows = vec![TurnRow::Blank, TurnRow::Heading(format!("Your last rounds: {answers}"))];
    for comment in turn.comments.iter().filter(|comment| is_answer(comment)) {
        let text = format!("{}{}", place(comment), state_words(comment, turn));
        rows.push(TurnRow::Comment { id: comment.id, again: comment.again, text });
        rows.extend(said(comment));
    }
    rows
}

/// Whether a comment is listed with its state.
pub(crate) fn is_answer(comment: &Comment) -> bool {
    comment.state.is_read() || comment.again
}

/// The words of a comment in rows.
pub(crate) fn said(comment: &Comment) -> Vec<TurnRow> {
    comment_words::text_lines(comment).flat_map(|line| sentence(&line, TurnRow::Words)).collect()
}

/// A sentence in rows.
pub(crate) fn sentence(text: &str, row: fn(String) -> TurnRow) -> impl Iterator<Item = TurnRow> + use<> {
    wrapped(text, SENTENCE).into_iter().map(row)
}
